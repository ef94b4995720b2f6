// The HTTP server: one koa application over the routers of the areas, with what holds for every request.
import Koa, { type Context } from 'koa';
import { createServer, type Server } from 'node:http';
import type { Ids } from '#ports/ids';
import type { Meters } from '#ports/meters';
import type { Family } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import { families, mountArea, ownRoots, type MountNeeds, type Route } from './mount.js';
import { sendJson } from './reply.js';

export interface HttpNeeds extends MountNeeds {
  readonly ids: Ids;
  readonly meters: Meters;
  readonly corsOrigins: readonly string[];
}

const familyOf = (path: string): Family => (path.startsWith('/optimizer') ? 'optimizer' : /^\/(api|clientlib)\b/.test(path) ? 'tracking' : 'plain');

const pathPattern = (path: string) => new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);

/** Methods that some row has at this path, for the answer to another method. */
const methodsAt = (routes: readonly Route[]) => {
  const patterns = routes.flatMap((route) => [route.operation.path].flat().map((path) => ({ pattern: pathPattern(path), wide: path.startsWith('/{'), method: route.operation.method })));
  return (path: string) => [...new Set(patterns.filter(({ pattern, wide }) => pattern.test(path) && !(wide && ownRoots.test(path))).map(({ method }) => method))];
};

const refuseUnknown = (ctx: Context, methods: readonly string[]): void => {
  const dress = families[familyOf(ctx.path)];
  const failure = new Failure('absent', methods.length === 0 ? `there is nothing at ${ctx.path.slice(0, 200)}` : `${ctx.method} is not served at ${ctx.path.slice(0, 200)}`);
  const { status, body } = dress.failure(failure, { status: methods.length === 0 ? 404 : 405 });
  if (methods.length > 0) ctx.set('Allow', methods.join(', '));
  sendJson(ctx, status, body);
};

const allowOrigin = (ctx: Context, origins: readonly string[]): boolean => {
  const origin = ctx.get('Origin');
  if (origin === '' || !(origins.includes('*') || origins.includes(origin))) return false;
  ctx.set('Access-Control-Allow-Origin', origins.includes('*') ? '*' : origin);
  ctx.vary('Origin');
  if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return false;
  ctx.set('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
  ctx.set('Access-Control-Allow-Headers', 'Authorization, Comet-Sdk-Api, X-API-KEY, Content-Type');
  ctx.set('Access-Control-Max-Age', '600');
  ctx.status = 204;
  return true;
};

/** The application over these routes, grouped into one router an area. */
export const createApplication = (routes: readonly Route[], needs: HttpNeeds): Koa => {
  const app = new Koa();
  const requests = needs.meters.histogram('orrery_request_seconds', 'Time to answer a request', [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30], ['operation', 'status']);
  const methods = methodsAt(routes);
  app.on('error', (error: { code?: string }) => { if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') needs.log.warn('a reply broke off', { error }); });

  app.use(async (ctx, next) => {
    const started = performance.now();
    const requestId = needs.ids.next();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    if (ctx.path.startsWith('//')) ctx.path = ctx.path.replace(/^\/+/, '/'); // one client joins its base and the path with two slashes
    const done = () => {
      const operation = String(ctx.state['operation'] ?? 'none');
      const ms = performance.now() - started;
      requests.observe(ms / 1000, { operation, status: String(ctx.status) });
      needs.log.info('request', { requestId, method: ctx.method, path: ctx.path, operation, status: ctx.status, ms: Math.round(ms * 10) / 10, user: ctx.state['caller'] });
    };
    ctx.res.once('close', done);
    if (allowOrigin(ctx, needs.corsOrigins)) return;
    await next();
    if (ctx.state['operation'] === undefined) refuseUnknown(ctx, methods(ctx.path));
  });
  const areas = new Map<string, Route[]>();
  for (const route of routes) areas.set(route.area, [...(areas.get(route.area) ?? []), route]);
  for (const some of areas.values()) app.use(mountArea(some, needs).routes() as never); // the router's middleware type names its own context
  return app;
};

/** A server whose slow senders are ended: headers within 60 s, and a body that must keep moving. */
export const createHttpServer = (app: Koa): Server => {
  const server = createServer({ headersTimeout: 60_000, requestTimeout: 0, keepAliveTimeout: 75_000, maxHeaderSize: 32_768 }, app.callback());
  server.on('connection', (socket) => { socket.setTimeout(120_000, () => { socket.destroy(); }); });
  return server;
};
