// A server that a proxy has below a path of its host: requests come with that path or without it, and what is said of addresses on this host begins with it.
import type { Context, Middleware } from 'koa';
import { Failure } from '#ports/failure';

const isBelow = (path: string, base: string): boolean =>
  path === base || path.startsWith(`${base}/`);

/** Where documents of a host are looked for that tell of what is below a path of it (RFC 8414, 9728): that path stands at the end. */
const wellKnown = '/.well-known/';

const withoutBase = (path: string, base: string): string => {
  if (isBelow(path, base)) return path.slice(base.length) || '/';
  return path.startsWith(wellKnown) && path.endsWith(base) ? path.slice(0, -base.length) : path;
};

/** An address that a browser is led to, with the base where it is one of this host. */
const withBase = (address: string, base: string): string =>
  address.startsWith('/') && !address.startsWith('//') && !isBelow(address, base)
    ? `${base}${address}`
    : address;

/** Addresses in markup of ours, in which no text of others holds a quote. */
const ownAddresses = /(<[^<>]*? (?:href|src|action)=")(\/[^"]*)/g;

const headerOf = (ctx: Context, name: string): string => {
  const value = ctx.res.getHeader(name);
  return typeof value === 'string' ? value : '';
};

const dress = (ctx: Context, base: string): void => {
  const location = headerOf(ctx, 'Location');
  if (location !== '') ctx.set('Location', withBase(location, base));
  const [, wait = '', to = ''] = /^(\d+; url=)(.*)$/.exec(headerOf(ctx, 'Refresh')) ?? [];
  if (to !== '') ctx.set('Refresh', wait + withBase(to, base));
  if (typeof ctx.body === 'string' && ctx.response.is('text/html') !== false)
    ctx.body = ctx.body.replaceAll(
      ownAddresses,
      (_, before: string, address: string) => before + withBase(address, base),
    );
};

/** Throws where the base path begins like an address of the server's own: then it could not be told whether a proxy took it off. */
export const belowBase = (base: string, isOwn: (path: string) => boolean): Middleware => {
  if (isOwn(base))
    throw new Failure(
      'invalid',
      `ORRERY_BASE_URL must not have a path that begins with ${base.split('/', 2).join('/')}, which is an address of the server's own`,
    );
  return async (ctx, next) => {
    ctx.path = withoutBase(ctx.path, base);
    await next();
    dress(ctx, base);
  };
};
