import type { Middleware } from 'koa';

/** Takes slashes in a row of a path for one, as proxies do: clients join a base that ends with a slash and a path that begins with one. */
export const mergeSlashes: Middleware = (ctx, next) => {
  if (ctx.path.includes('//')) ctx.path = ctx.path.replaceAll(/\/{2,}/g, '/');
  return next();
};
