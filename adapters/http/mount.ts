// Semaphore rows into routes.
import Router from '@koa/router';
import type { Context } from 'koa';
import { firstSegment, isWide, pathsOfRow } from './addresses.js';
import { answering } from './answer/answer.js';
import type { AnswerNeeds } from './answer/incoming.js';
import { refuse, type RefuseNeeds } from './answer/refusing.js';
import type { Route } from './route.js';
import { stateOf } from './state.js';

export type MountNeeds = AnswerNeeds & RefuseNeeds;

type Middleware = (ctx: Context, next: () => Promise<unknown>) => Promise<unknown>;

/** What a row asks of who shows no credential that counts: a token, and where to learn who gives it out, if this server does. */
const challengeOf = (
  { operation: { wire } }: Route,
  routes: readonly Route[],
  baseUrl: string,
): string | undefined => {
  const path = wire?.resourceMetadata;
  if (path === undefined) return undefined;
  return routes.some((one) => pathsOfRow(one).includes(path))
    ? `Bearer resource_metadata="${baseUrl}${path}"`
    : 'Bearer';
};

const serving = (
  route: Route,
  routes: readonly Route[],
  needs: MountNeeds,
  isOwn: (path: string) => boolean,
): Middleware => {
  const answer = answering(route, needs);
  const refuseNeeds = { ...needs, challenge: challengeOf(route, routes, needs.baseUrl) };
  const paths = pathsOfRow(route);
  const wide = paths.some(isWide);
  const named = new Set(paths.filter((path) => !isWide(path)).map(firstSegment));
  const slashed = wide && paths.every((path) => path.endsWith('/')); // two names of any kind are an address of ours only with the slash that clients print
  return async (ctx, next) => {
    const isOthers = !named.has(firstSegment(ctx.path)) && isOwn(ctx.path);
    if (wide && (isOthers || (slashed && !ctx.path.endsWith('/')))) return next();
    stateOf(ctx).operation = route.id;
    try {
      return await answer(ctx);
    } catch (thrown) {
      refuse(ctx, route, thrown, refuseNeeds);
      return undefined;
    }
  };
};

export interface Mounted {
  readonly route: Route;
  readonly serve: Middleware;
}

export const mount = (
  routes: readonly Route[],
  needs: MountNeeds,
  isOwn: (path: string) => boolean,
): readonly Mounted[] =>
  routes.map((route) => ({ route, serve: serving(route, routes, needs, isOwn) }));

/** One router for the rows of an area: a single router of all rows would halve the request rate. */
const routerOf = (mounted: readonly Mounted[]): Router => {
  const router = new Router();
  for (const { route, serve } of mounted)
    for (const path of pathsOfRow(route))
      router.register(
        path.replaceAll(/\{(\w+)\}/g, ':$1'),
        [route.operation.method],
        serve as never, // the router's context type is a superset of koa's
      );
  return router;
};

/** Serves the rows of an area. Its router is made when a request comes that may be for it: all of them together would be a twentieth of a start. */
export const areaRoutes = (mounted: readonly Mounted[]): Middleware => {
  const beginnings = [
    ...new Set(
      mounted.flatMap(({ route }) =>
        pathsOfRow(route).map((path) => (path.split('{', 1)[0] ?? '').toLowerCase()),
      ),
    ),
  ];
  let routes: Middleware | undefined;
  return (ctx, next) => {
    const path = ctx.path.toLowerCase(); // as the router compares
    if (!beginnings.some((beginning) => path.startsWith(beginning))) return next();
    routes ??= routerOf(mounted).routes() as unknown as Middleware; // its context is a superset of koa's
    return routes(ctx, next);
  };
};

/** Serves requests at paths without parameters, as most are, without asking one router after the other; others go on to those. */
export const plainRoutes = (mounted: readonly Mounted[]): Middleware => {
  const known = new Map<string, Middleware>();
  for (const { route, serve } of mounted)
    for (const path of pathsOfRow(route)) {
      const key = `${route.operation.method} ${path}`;
      if (!path.includes('{') && !known.has(key)) known.set(key, serve);
    }
  return (ctx, next) => {
    const serve = known.get(`${ctx.method} ${ctx.path}`);
    if (serve === undefined) return next();
    ctx['params'] = {};
    return serve(ctx, next);
  };
};
