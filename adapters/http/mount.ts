// Turns rows into routes: who calls, what is sent, may this caller touch that thing, the handler, the reply.
import Router from '@koa/router';
import type { Context } from 'koa';
import type { IncomingHttpHeaders } from 'node:http';
import { Failure, isFailure } from '#ports/failure';
import type { Audit } from '#ports/audit';
import type { Auth } from '#ports/auth';
import type { Log } from '#ports/log';
import type { Readiness } from '#ports/readiness';
import type { Toggles } from '#ports/toggles';
import type { Caller } from '#ports/model/identity';
import type { Gate, Named } from '#ports/api/gate';
import {
  changes,
  type Family,
  type Operation,
  type ReplyShape,
  type Subject,
} from '#ports/api/operation';
import type { TSchema } from '#ports/api/schema';
import type { Dressed, FamilyDress } from './families/family.js';
import { optimizerFamily, plainFamily } from './families/plain.js';
import { administrationFamily, trackingFamily } from './families/tracking.js';
import { oauthFamily } from './families/oauth.js';
import { pageFamily } from './families/page.js';
import { privateFamily } from './families/private.js';
import type { BodyBudget, Held } from './budget.js';
import { formReader } from './form.js';
import {
  credentialInBody,
  credentialInHeaders,
  credentialInQuery,
  sessionInCookie,
} from './identify.js';
import { noteRefused, underAudit } from './audited.js';
import { literalNames, reader } from './input.js';
import { jsonReader, type JsonBody, type JsonBounds } from './json.js';
import { openMultipart } from './multipart.js';
import { sendJson, sendReply } from './reply.js';
import { networkOf } from './source.js';

export const families: Readonly<Record<Family, FamilyDress>> = {
  tracking: trackingFamily,
  administration: administrationFamily,
  optimizer: optimizerFamily,
  plain: plainFamily,
  oauth: oauthFamily,
  private: privateFamily,
  page: pageFamily,
};

/** A row with the handler that answers it. */
export interface Route {
  readonly id: string;
  readonly area: string;
  readonly family: Family;
  readonly operation: Operation;
  readonly handle: (call: never) => Promise<unknown>;
}

export interface MountNeeds {
  readonly auth: Auth;
  readonly audit: Audit;
  /** Whether two texts are the same, in the same time for either answer. */
  readonly same: (one: string, other: string) => boolean;
  readonly gate: Gate;
  readonly log: Log;
  readonly readiness: Readiness;
  readonly toggles: Pick<Toggles, 'isOn'>;
  /** Refuses a client that is too old, by what its headers tell of it. */
  readonly checkClient: (headers: IncomingHttpHeaders) => void;
  readonly bounds: JsonBounds;
  /** Memory for the bodies of all requests under way. */
  readonly budget: BodyBudget;
  /** Whether replies are held against their rows: in tests and development. */
  readonly checkReplies: boolean;
  /** A page that tells what went wrong, for rows that are pages. */
  readonly failurePage: (
    status: number,
    sentence: string,
  ) => { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  /** Told of every failure that a row does not declare, in tests and development. */
  readonly undeclared?: (route: Route, failure: Failure) => void;
}

/** What somebody who has shown no credential may send as a body. */
const strangerBytes = 64 * 1024;

const atMost = (bytes: number, bounds: JsonBounds): JsonBounds => ({
  ...bounds,
  packedBytes: Math.min(bytes, bounds.packedBytes),
  inflatedBytes: Math.min(bytes, bounds.inflatedBytes),
});
const isOpen = ({ access }: Operation): boolean =>
  access === 'public' || access === 'visitor' || access === 'signed';
const boundsOf = (operation: Operation, bounds: JsonBounds): JsonBounds => {
  const most = operation.mostBytes ?? (isOpen(operation) ? strangerBytes : undefined);
  return most === undefined ? bounds : atMost(most, bounds);
};

export const subjectsOf = (operation: Operation): readonly Subject[] => {
  if (!('about' in operation) || operation.about === 'caller') return [];
  return 'length' in operation.about ? operation.about : [operation.about];
};
const pathsOf = (subject: Subject): readonly string[] =>
  'each' in subject ? [subject.path] : subject.paths;

const plainQuery = (
  query: NodeJS.Dict<string | string[]>,
  schema: TSchema | undefined,
): Record<string, unknown> => {
  const properties =
    (schema as { properties?: Record<string, { lenient?: string }> } | undefined)?.properties ?? {}; // typebox schemas are JSON Schema
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      Array.isArray(value) && properties[name]?.lenient !== 'texts' ? value[0] : value,
    ]),
  );
};

const refuseTwice = (query: NodeJS.Dict<string | string[]>): void => {
  for (const [name, value] of Object.entries(query))
    if (Array.isArray(value)) throw new Failure('invalid', `${name.slice(0, 60)} is sent twice`);
};

const refuseNul = (named: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(named))
    if (String(value).includes('\0'))
      throw new Failure('invalid', `${name} must not hold the character U+0000`);
};

const requireParts = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('invalid', 'a leading part of the body is not JSON', { cause });
  }
};

/** A request as its handler sees it, in the form in which things are named. */
export const validated = (
  named: Named,
  {
    query,
    params,
    body,
  }: { readonly query: unknown; readonly params: unknown; readonly body: unknown },
): Named => ({
  ...named,
  query: (query ?? {}) as Named['query'],
  params: (params ?? {}) as Named['params'],
  body,
}); // rows describe both as objects

export const isJsonBody = (body: Operation['body']): body is TSchema =>
  body !== undefined && !('multipart' in body) && !('raw' in body) && !('form' in body);

/** Makes what answers one row. */
const answer = (
  route: Route,
  {
    auth,
    audit,
    same,
    gate,
    readiness,
    toggles,
    bounds,
    budget,
    checkClient,
    checkReplies,
  }: MountNeeds,
) => {
  const { id, area, family, operation, handle } = route;
  const writes = changes(operation) && operation.access !== 'visitor';
  // A run that has begun goes on, whatever its client: its batches and beats were allowed when it was opened.
  const judgesClient =
    writes &&
    operation.parked !== true &&
    area !== 'live' &&
    (family === 'tracking' || family === 'optimizer');
  const dress = families[family];
  const subjects = subjectsOf(operation);
  const late = (subject: Subject) => pathsOf(subject).some((path) => path.startsWith('body.'));
  const [early, later] = [subjects.filter((subject) => !late(subject)), subjects.filter(late)];
  const parts = [
    ...new Set(
      [...subjects.flatMap(pathsOf), operation.credential ?? '']
        .filter((path) => path.startsWith('part.'))
        .map((path) => path.split('.')[1] ?? ''),
    ),
  ];
  const { body: bodyShape } = operation;
  const readQuery =
    operation.query === undefined ? undefined : reader(operation.query, 'the query');
  const readParams =
    operation.params === undefined ? undefined : reader(operation.params, 'the path');
  const formShape = bodyShape !== undefined && 'form' in bodyShape ? bodyShape : undefined;
  const readBody = isJsonBody(bodyShape)
    ? reader(bodyShape, 'the body')
    : formShape === undefined
      ? undefined
      : reader(formShape.form, 'the body');
  const readForm = formShape === undefined ? undefined : formReader(formShape);
  const readJson = isJsonBody(bodyShape)
    ? jsonReader({ literals: literalNames(bodyShape), keepsNul: operation.keepsNul === true })
    : undefined;
  const [rowBounds, strangerBounds] = [boundsOf(operation, bounds), atMost(strangerBytes, bounds)];
  const statuses = Object.keys(operation.replies).map(Number);
  const [only] = statuses;
  const replyReaders = new Map(
    Object.entries(operation.replies)
      .map(([status, shape]) => [status, bare(shape)] as const)
      .flatMap(([status, shape]) =>
        isSchema(shape) ? [[Number(status), reader(shape, `reply of ${id}`)] as const] : [],
      ),
  );

  const identify = async (credential: string | undefined): Promise<Caller | undefined> =>
    credential === undefined ? undefined : auth.identify(credential);

  const read = async (ctx: Context): Promise<never> => {
    const gone = new AbortController();
    ctx.req.once('aborted', () => gone.abort());
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) gone.abort();
    });
    const query = plainQuery(ctx.query, operation.query);
    if (operation.once === true) refuseTwice(ctx.query);
    const part: Record<string, unknown> = {};
    let json: JsonBody | undefined;
    let body: unknown;

    ctx.state['address'] ??= '';
    if (operation.toggle !== undefined && !toggles.isOn(operation.toggle))
      throw new SwitchedOff('invalid', `this is switched off here (toggle ${operation.toggle})`);
    const refusal = writes ? readiness.refusal() : undefined;
    if (refusal !== undefined) throw new Failure('unavailable', refusal, { retryAfter: 10 });

    const held = budget.open();
    ctx.state['held'] = held;
    if (bodyShape !== undefined)
      ctx.res.once('close', () => {
        held.release();
      });
    const restricted = !isOpen(operation);
    const asked = restricted || operation.access === 'visitor';
    let credential = asked
      ? (credentialInHeaders(ctx.req.headers) ?? credentialInQuery(query))
      : undefined;
    const cookie =
      asked && credential === undefined ? sessionInCookie(ctx.req.headers.cookie) : undefined;
    let caller: Caller | undefined;
    if (
      restricted &&
      credential === undefined &&
      cookie === undefined &&
      operation.credential !== undefined
    ) {
      if (readJson !== undefined) json = await readJson(ctx.req, strangerBounds, held);
      else await openLead();
      credential = credentialInBody(operation.credential, json?.value, part);
    }
    if (asked) {
      caller = await identify(credential ?? cookie);
      if (caller === undefined && restricted)
        throw new Failure(
          'unauthenticated',
          credential !== undefined
            ? 'the API key is not registered'
            : cookie !== undefined
              ? 'the session has ended; sign in again'
              : 'an API key is required',
        );
      ctx.state['caller'] = caller?.userName;
      ctx.state['who'] = caller;
    }
    if (judgesClient) checkClient(ctx.req.headers);
    refuseNul(query);
    refuseNul(ctx['params'] as Record<string, unknown>); // the router sets it to the path's parameters
    const named = (): Named => ({
      query,
      params: ctx['params'] as Record<string, unknown>,
      body: json?.value,
      part,
      header: ctx.req.headers,
    });
    if (parts.length > 0) await openLead();

    // The gate looks before the shape is checked: a missing key has its own code, and a stranger learns nothing of what a body lacks. What
    // needs a permission is asked of the values that the handler will see, since readers take more forms than one.
    let met: Record<string, unknown> = {};
    const proven = formShape !== undefined ? readForm?.(ctx.req, held) : undefined; // a form carries its proof in its body
    if (proven !== undefined) json = { value: await proven, digest: () => '' };
    if (caller?.csrf !== undefined && writes && !same(caller.csrf, csrfOf(ctx, json?.value)))
      throw new Failure('forbidden', 'the request does not carry the CSRF token of its session');
    if (caller !== undefined && restricted)
      met = await gate.admit(operation, early, named(), caller, met);
    const input = {
      query: readQuery?.(query),
      params: readParams?.({ ...(ctx['params'] as Record<string, unknown>) }),
    };
    if (readBody !== undefined && (readJson !== undefined || json !== undefined)) {
      json ??= await readJson?.(ctx.req, rowBounds, held);
      if (caller !== undefined && restricted && later.length > 0)
        met = await gate.admit(operation, later, named(), caller, met);
      body = readBody(json?.value);
    } else if (bodyShape !== undefined && 'multipart' in bodyShape)
      body ??= (await openMultipart(ctx.req, [])).parts;
    else if (bodyShape !== undefined) body = ctx.req;

    if (caller !== undefined && restricted)
      await gate.permit(operation, validated(named(), { ...input, body }), caller, met);
    Object.assign(ctx.state, { met });
    return {
      ...input,
      body,
      signal: gone.signal,
      address: ctx.state['address'] as string,
      source: networkOf(ctx.state['address'] as string),
      headers: ctx.req.headers,
      digest: () => json?.digest() ?? '',
      caller,
      ...met,
    } as never; // its parts were just made from the row that types the handler

    async function openLead(): Promise<void> {
      if (body !== undefined) return;
      const opened = await openMultipart(ctx.req, parts);
      for (const [name, text] of opened.lead) part[name] = requireParts(text);
      body = opened.parts;
    }
  };
  const send = async (ctx: Context, result: unknown): Promise<void> => {
    const [status, content] =
      statuses.length === 1 && only !== undefined
        ? [only, result]
        : [(result as { status: number }).status, (result as { body: unknown }).body]; // rows of several replies say which
    const given = operation.replies[status] ?? null;
    const shape = bare(given);
    const sent = given !== null && 'headed' in given ? setHeaders(ctx, content) : content;
    if (checkReplies) replyReaders.get(status)?.(structuredClone(sent ?? {}));
    await sendReply(ctx, status, shape, sent, (given) =>
      dress.success(given, isSchema(shape) ? (shape as { envelope?: string }).envelope : undefined),
    );
  };
  // A chain and not one function, in whose frame the whole body would stay while the handler waits for the database.
  const run = (ctx: Context, call: never): Promise<unknown> => {
    const { who, address, requestId, met } = ctx.state as {
      readonly who?: Caller;
      readonly address?: string;
      readonly requestId?: string;
      readonly met?: Readonly<Record<string, unknown>>;
    }; // set on the way here
    const { params, body } = call as { readonly params?: unknown; readonly body?: unknown }; // made from the row that types the handler
    return underAudit(
      audit,
      { id, operation, who, address, requestId, met: met ?? {}, params, body },
      () => handle(call),
    );
  };
  /** What the gate keeps from an audited row is written down too; who names what is not there tries nothing that is somebody's. */
  const turnedAway = async (ctx: Context, thrown: unknown): Promise<never> => {
    const { who, address, requestId } = ctx.state as {
      readonly who?: Caller;
      readonly address?: string;
      readonly requestId?: string;
    }; // set on the way here
    if (isFailure(thrown) && thrown.kind === 'forbidden' && who !== undefined)
      await noteRefused(audit, { id, who, address, requestId, reason: thrown.message });
    throw thrown;
  };
  const admitted =
    operation.audited === true
      ? (ctx: Context) => read(ctx).catch((thrown: unknown) => turnedAway(ctx, thrown))
      : read;
  return (ctx: Context): Promise<void> =>
    admitted(ctx)
      .then(operation.audited === true ? (call) => run(ctx, call) : handle)
      .then((result) => send(ctx, result));
};

/** What repeats the session's own token: a header, or the field of a form. */
const csrfOf = (ctx: Context, body: unknown): string => {
  const inBody =
    typeof body === 'object' && body !== null
      ? (body as { readonly csrf?: unknown }).csrf
      : undefined; // any object can be asked for a member
  return ctx.get('X-CSRF-Token') || (typeof inBody === 'string' ? inBody : '');
};

const bare = (shape: ReplyShape) => (shape !== null && 'headed' in shape ? shape.headed : shape);
const setHeaders = (ctx: Context, content: unknown): unknown => {
  const { headers, body } = content as {
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body: unknown;
  }; // the row's type makes the handler return this
  for (const [name, value] of Object.entries(headers))
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  return body;
};

const isSchema = (shape: ReturnType<typeof bare>): shape is TSchema =>
  shape !== null &&
  !('bytes' in shape) &&
  !('redirect' in shape) &&
  !('page' in shape) &&
  !('streamed' in shape) &&
  !('tag' in shape);

/** What a row answers while its toggle is off. */
class SwitchedOff extends Failure {}

const refusalFor = (operation: Operation, failure: Failure) => {
  if (failure instanceof SwitchedOff) return operation.refusals?.off;
  if (failure.kind === 'unauthenticated') return operation.refusals?.unauthenticated;
  if (failure.kind === 'conflict') return operation.refusals?.conflict;
  if (failure.kind === 'invalid' || failure.kind === 'tooLarge' || failure.kind === 'unsupported')
    return operation.refusals?.invalid;
  return failure.kind === 'absent' ? operation.refusals?.absent : undefined;
};

/** On rows that the client parks and replays, every temporary refusal is 429: on 503 and 507 that client loses what it sent. */
const parked = (operation: Operation, failure: Failure): Failure =>
  failure.kind === 'unavailable' && operation.parked === true
    ? new Failure('throttled', failure.message, {
        retryAfter: failure.retryAfter ?? 5,
        cause: failure,
      })
    : failure;

const wait = (ctx: Context, failure: Failure): void => {
  if (failure.kind !== 'throttled' && failure.kind !== 'unavailable') return;
  const seconds = failure.retryAfter ?? 5;
  ctx.set('Retry-After', String(Math.ceil(seconds)));
  ctx.set('Retry-After-Custom', String(seconds));
};

const sendNothing = (ctx: Context, status: number): void => {
  ctx.status = status;
  ctx.body = '';
};

/** Sends a refusal as the family has it: JSON, a page, or the way to sign in, which leads back to what was asked for. */
const tell = (
  ctx: Context,
  { family }: Route,
  { status, body }: Dressed,
  failurePage: MountNeeds['failurePage'],
): void => {
  if (family !== 'page') {
    sendJson(ctx, status, body);
    return;
  }
  if (status === 303) {
    ctx.redirect(
      ctx.method === 'GET' ? `/login?returnTo=${encodeURIComponent(ctx.url)}` : '/login',
    );
    ctx.status = 303;
    return;
  }
  const { headers, body: page } = failurePage(status, String(body));
  ctx.status = status;
  ctx.set(headers);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page;
};

const refuse = (
  ctx: Context,
  route: Route,
  thrown: unknown,
  { log, undeclared, failurePage }: MountNeeds,
): void => {
  const dress = families[route.family];
  (ctx.state['held'] as Held | undefined)?.release(); // set on the way here
  ctx.set(dress.headers ?? {});
  // Bytes that no one reads any more would keep the connection, and a client that sends before it reads, for ever.
  if (ctx.req.readableFlowing !== null) {
    ctx.req.unpipe();
    ctx.req.resume();
  }
  if (!isFailure(thrown)) {
    log.error('a request failed unexpectedly', {
      operation: route.id,
      requestId: ctx.state['requestId'],
      error: thrown,
    });
    if (route.operation.refusals?.every !== undefined) {
      sendNothing(ctx, route.operation.refusals.every.status);
      return;
    }
    tell(ctx, route, dress.defect(String(ctx.state['requestId'])), failurePage);
    return;
  }
  const failure = parked(route.operation, thrown);
  const every = route.operation.refusals?.every;
  if (every !== undefined) {
    ctx.state['refusal'] = failure.kind;
    log.warn('a request was refused without being told so', {
      operation: route.id,
      requestId: ctx.state['requestId'],
      error: failure,
    });
    sendNothing(ctx, every.status);
    return;
  }
  ctx.state['refusal'] = failure.kind;
  undeclared?.(route, failure);
  wait(ctx, failure);
  if (failure.kind === 'tooLarge') ctx.state['tooLarge'] = true;
  tell(ctx, route, dress.failure(failure, refusalFor(route.operation, failure)), failurePage);
};

/** Addresses below these are the server's own: a row whose path begins with a name of any kind does not answer there. */
export const ownRoots =
  /^\/(api|clientlib|optimizer|mpm|svc|opik|oauth|v1|health|metrics|swagger|openapi\.json|\.well-known|login|logout|password|invitation|signup|account|pages-\d+\.css)(\/|$)/;

/** One router for an area: a single router of all rows would halve the request rate. */
export const mountArea = (routes: readonly Route[], needs: MountNeeds): Router => {
  const router = new Router();
  for (const route of routes) {
    const serve = answer(route, needs);
    const wide = [route.operation.path].flat().some((path) => path.startsWith('/{'));
    const slashed = wide && [route.operation.path].flat().every((path) => path.endsWith('/')); // two names of any kind are an address of ours only with the slash that clients print
    const handler = async (ctx: Context, next: () => Promise<unknown>): Promise<unknown> => {
      if (wide && (ownRoots.test(ctx.path) || (slashed && !ctx.path.endsWith('/')))) return next();
      ctx.state['operation'] = route.id;
      try {
        await serve(ctx);
      } catch (thrown) {
        refuse(ctx, route, thrown, needs);
      }
    };
    for (const path of [route.operation.path].flat())
      router.register(
        path.replaceAll(/\{(\w+)\}/g, ':$1'),
        [route.operation.method],
        handler as never,
      ); // the router's context type is a superset of koa's
  }
  return router;
};
