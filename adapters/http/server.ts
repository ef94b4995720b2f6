// The HTTP server: one koa application over the routers of the areas, with what holds for every request.
import Koa, { type Context } from 'koa';
import { createServer, type Server } from 'node:http';
import type { BlockList } from 'node:net';
import type { Ids } from '#ports/ids';
import type { Meters } from '#ports/meters';
import { Failure } from '#ports/failure';
import { basePathOf } from '#ports/settings';
import { isWide, ownAddresses, pathsOfRow } from './addresses.js';
import { belowBase } from './base-path.js';
import type { Family } from '#ports/api/families/family';
import { familiesOf, familyAt, isBelow } from './families.js';
import { areaRoutes, mount, plainRoutes, type Mounted, type MountNeeds } from './mount.js';
import type { Route } from './route.js';
import { stateOf } from './state.js';
import { requireRate, type LeastRate } from './least-rate.js';
import { sendJson } from './reply.js';
import { mergeSlashes } from './slashes.js';
import { sourceReader } from './source.js';
import { muchIsUnread, replyAndClose } from './unread.js';

export interface HttpNeeds extends MountNeeds {
  readonly ids: Ids;
  readonly meters: Meters;
  readonly corsOrigins: readonly string[];
  readonly proxies: BlockList;
  /** Whether browsers reach the server by https, and must do so from then on. */
  readonly isSecure: boolean;
  /** Told of each request as it begins; what it gives is called at its end. */
  readonly traffic: { begin(): () => void };
}

const pathPattern = (path: string) =>
  new RegExp(
    `^${path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/]+')}/?$`,
  );

/** Methods that some row has at this path, for the answer to another method. */
const methodsAt = (routes: readonly Route[], isOwn: (path: string) => boolean) => {
  const patterns = routes.flatMap((route) =>
    pathsOfRow(route).map((path) => ({
      pattern: pathPattern(path),
      wide: isWide(path),
      method: route.operation.method,
    })),
  );
  return (path: string) => [
    ...new Set(
      patterns
        .filter(({ pattern, wide }) => pattern.test(path) && !(wide && isOwn(path)))
        .map(({ method }) => method),
    ),
  ];
};

/** What a path that nothing serves may lack: clients that are given an address without the path that belongs to it ask for everything in the wrong place. */
const lackedBy = (
  { path, method }: Pick<Context, 'path' | 'method'>,
  methodsOf: (path: string) => readonly string[],
  families: readonly Family[],
): string => {
  const roots = families.flatMap((family) => family.roots);
  const lacked = roots.some((root) => isBelow(path, root))
    ? undefined
    : roots.find((root) => methodsOf(`${root}${path}`).includes(method));
  return lacked === undefined
    ? ''
    : `, but at ${lacked}${path.slice(0, 200)}: the address that the client was given may lack ${lacked}`;
};

const refuseUnknown = (
  ctx: Context,
  methodsOf: (path: string) => readonly string[],
  families: readonly Family[],
): void => {
  const methods = methodsOf(ctx.path);
  const lacked = lackedBy(ctx, methodsOf, families);
  const { dress } = familyAt(ctx.path, families);
  const failure = new Failure(
    'absent',
    methods.length === 0
      ? `there is nothing at ${ctx.path.slice(0, 200)}${lacked}`
      : `${ctx.method} is not served at ${ctx.path.slice(0, 200)}${lacked}`,
  );
  const { status, body } = dress.failure(failure, { status: methods.length === 0 ? 404 : 405 });
  if (methods.length > 0) ctx.set('Allow', methods.join(', '));
  sendJson(ctx, status, body);
};

/** What pages of other origins may send: SDKs and clients of the Model Context Protocol in a browser. */
const sentHeaders = [
  ...['Authorization', 'X-API-KEY', 'Content-Type', 'Comet-Sdk-Api', 'Comet-Workspace'],
  ...['Last-Event-ID', 'Mcp-Method', 'Mcp-Name', 'Mcp-Protocol-Version', 'Mcp-Session-Id'],
  ...['X-Fern-Language', 'X-Fern-Runtime', 'X-Fern-Runtime-Version', 'projectName'],
].join(', ');
/** What they may read of a reply beside its body: where what they made is, when to try again, and who gives out tokens. */
const readHeaders = [
  ...['Location', 'RateLimit-Reset', 'Retry-After', 'WWW-Authenticate', 'X-Opik-Deprecation'],
  ...['X-Opik-Actual-Model', 'X-Opik-Provider', 'X-Request-Id'],
].join(', ');

const allowOrigin = (ctx: Context, origins: readonly string[]): boolean => {
  const origin = ctx.get('Origin');
  if (origin === '' || !(origins.includes('*') || origins.includes(origin))) return false;
  ctx.set('Access-Control-Allow-Origin', origins.includes('*') ? '*' : origin);
  ctx.vary('Origin');
  ctx.set('Access-Control-Expose-Headers', readHeaders);
  if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return false;
  ctx.set('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
  ctx.set('Access-Control-Allow-Headers', sentHeaders);
  ctx.set('Access-Control-Max-Age', '600');
  ctx.status = 204;
  return true;
};

/** A path without what proves who somebody is, as it may be logged. */
const withoutSecrets = (path: string): string =>
  path.replaceAll(/orrery_[a-z]{2}_[\w-]*/g, (secret) => `${secret.slice(0, 10)}…`);

/** Of a refused request, why and from where; its sentence is the caller's, since it may name what was sent. */
const refusalOf = (ctx: Context): Readonly<Record<string, unknown>> => {
  const { status } = ctx;
  const { refusal, operation, address } = stateOf(ctx);
  if (status < 400 && refusal === undefined) return {};
  const reason =
    refusal ?? (status >= 500 ? 'defect' : operation === undefined ? 'absent' : 'refused');
  return { reason, address };
};

/** Paths that browsers may call from any origin. */
const openPaths = (routes: readonly Route[]) => {
  const patterns = routes
    .filter(({ operation }) => operation.wire?.cors === 'open')
    .flatMap(pathsOfRow)
    .map(pathPattern);
  return (path: string) => patterns.some((pattern) => pattern.test(path));
};

/** The application over these routes, grouped into one router an area. */
export const createApplication = (routes: readonly Route[], needs: HttpNeeds): Koa => {
  const app = new Koa();
  const requests = needs.meters.histogram(
    'orrery_request_seconds',
    'Time to answer a request',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    ['operation', 'status'],
  );
  const isOwn = ownAddresses(routes);
  const methods = methodsAt(routes, isOwn);
  const families = familiesOf(routes);
  const open = openPaths(routes);
  const sourceOf = sourceReader(needs.proxies, needs.log);
  app.on('error', (error: { code?: string }) => {
    if (
      error.code !== 'EPIPE' &&
      error.code !== 'ECONNRESET' &&
      error.code !== 'ERR_STREAM_PREMATURE_CLOSE'
    )
      needs.log.warn('a reply broke off', { error });
  });

  app.use(mergeSlashes);
  const base = basePathOf(needs.baseUrl);
  if (base !== '') app.use(belowBase(base, isOwn));
  app.use(async (ctx, next) => {
    const started = performance.now();
    const over = needs.traffic.begin();
    const requestId = needs.ids.next();
    const state = stateOf(ctx);
    state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    const done = () => {
      over();
      const operation = state.operation ?? 'none';
      const ms = performance.now() - started;
      requests.observe(ms / 1000, { operation, status: String(ctx.status) });
      needs.log.info('request', {
        requestId,
        method: ctx.method,
        path: withoutSecrets(ctx.path),
        operation,
        status: ctx.status,
        ms: Math.round(ms * 10) / 10,
        user: state.caller?.userName,
        ...refusalOf(ctx),
      });
    };
    ctx.res.once('close', done);
    if (needs.isSecure) ctx.set('Strict-Transport-Security', 'max-age=31536000');
    const { address, trusted } = sourceOf(ctx);
    state.address = address;
    state.fromTrustedProxy = trusted;
    if (
      ctx.req.headers.origin !== undefined &&
      allowOrigin(ctx, open(ctx.path) ? ['*'] : needs.corsOrigins)
    )
      return;
    await next();
    if (state.operation === undefined) refuseUnknown(ctx, methods, families);
    // A caller that is known may send all of a refused file, and then reads why: clients that park what is refused must see that reply.
    if (muchIsUnread(ctx.req) && (state.caller === undefined || state.tooLarge === true))
      await replyAndClose(ctx);
  });
  const mounted = mount(routes, needs, isOwn);
  app.use(plainRoutes(mounted) as never); // the router's middleware type names its own context
  const areas = new Map<string, Mounted[]>();
  for (const one of mounted) areas.set(one.route.area, [...(areas.get(one.route.area) ?? []), one]);
  for (const some of areas.values()) app.use(areaRoutes(some) as never); // as above
  return app;
};

const headersMs = 20_000;
const idleMs = 120_000;

/** A server whose slow senders are ended: headers within 20 s, bodies at a least rate, and nothing that stands still for 120 s. */
export const createHttpServer = (app: Koa, rate: LeastRate): Server => {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: 0,
      connectionsCheckingInterval: 5000,
      keepAliveTimeout: 75_000,
      maxHeaderSize: 32_768,
    },
    app.callback(),
  );
  requireRate(server, rate);
  server.on('connection', (socket) => {
    socket.setTimeout(idleMs, () => {
      socket.destroy();
    });
  });
  return server;
};
