// Turns rows into routes.
import Router from '@koa/router';
import type { Context } from 'koa';
import { isWide, pathsOfRow } from './addresses.js';
import { answering } from './answer/answer.js';
import type { AnswerNeeds } from './answer/incoming.js';
import { refuse, type RefuseNeeds } from './answer/refusing.js';
import type { Route } from './route.js';
import { stateOf } from './state.js';

export type MountNeeds = AnswerNeeds & RefuseNeeds;

type Middleware = (ctx: Context, next: () => Promise<unknown>) => Promise<unknown>;

const serving = (route: Route, needs: MountNeeds, isOwn: (path: string) => boolean): Middleware => {
  const answer = answering(route, needs);
  const paths = pathsOfRow(route);
  const wide = paths.some(isWide);
  const slashed = wide && paths.every((path) => path.endsWith('/')); // two names of any kind are an address of ours only with the slash that clients print
  return async (ctx, next) => {
    if (wide && (isOwn(ctx.path) || (slashed && !ctx.path.endsWith('/')))) return next();
    stateOf(ctx).operation = route.id;
    try {
      return await answer(ctx);
    } catch (thrown) {
      refuse(ctx, route, thrown, needs);
      return undefined;
    }
  };
};

/** One router for an area: a single router of all rows would halve the request rate. */
export const mountArea = (
  routes: readonly Route[],
  needs: MountNeeds,
  isOwn: (path: string) => boolean,
): Router => {
  const router = new Router();
  for (const route of routes) {
    const serve = serving(route, needs, isOwn);
    for (const path of pathsOfRow(route))
      router.register(
        path.replaceAll(/\{(\w+)\}/g, ':$1'),
        [route.operation.method],
        serve as never, // the router's context type is a superset of koa's
      );
  }
  return router;
};
