// A request on its way to its handler, and the form of a step of that way.
import type { Context } from 'koa';
import type { Audit } from '#ports/audit';
import type { Auth } from '#ports/auth';
import type { Log } from '#ports/log';
import type { Otlp } from '#ports/otlp';
import type { RateLimits } from '#ports/rate-limits';
import type { Readiness } from '#ports/readiness';
import type { Toggles } from '#ports/toggles';
import type { Caller } from '#ports/model/identity';
import type { Gate, Named } from '#ports/api/gate';
import type { Operation } from '#ports/api/operation';
import type { ToldRequest } from '#ports/sign-in';
import type { TSchema } from '#ports/api/schema';
import type { IncomingHttpHeaders } from 'node:http';
import type { CookieJar } from '../cookies.js';
import type { BodyBudget, Held } from '../budget.js';
import type { JsonBody, JsonBounds } from '../json.js';
import type { Input } from '../route.js';
import type { Row } from './row.js';

/** What answering a request needs from outside. */
export interface AnswerNeeds {
  readonly auth: Auth;
  readonly audit: Audit;
  /** Whether a session counts for a request that says by its headers who sends it; absent where no headers are believed. */
  readonly judgeSession?: ((caller: Caller, request: ToldRequest) => Promise<boolean>) | undefined;
  /** Whether two texts are the same, in the same time for either answer. */
  readonly same: (one: string, other: string) => boolean;
  /** What browsers keep for the server. */
  readonly cookies: CookieJar;
  readonly gate: Gate;
  readonly rates: RateLimits;
  readonly otlp: Pick<Otlp, 'count'>;
  readonly log: Log;
  readonly readiness: Readiness;
  readonly toggles: Pick<Toggles, 'isOn'>;
  /** Refuses a client that is too old, by what its headers tell of it. */
  readonly checkClient: (headers: IncomingHttpHeaders) => void;
  /** Refuses whoever does not bring the internal token in these headers. */
  readonly checkInternalToken: (headers: IncomingHttpHeaders) => void;
  readonly bounds: JsonBounds;
  /** The address by which browsers and clients reach the server, without a slash at its end. */
  readonly baseUrl: string;
  /** Memory for the bodies of all requests under way. */
  readonly budget: BodyBudget;
  /** Whether replies and failures are held against their rows: in tests and development. */
  readonly checkReplies: boolean;
}

/** What is known of a request so far. Each step fills in what is its own, so these members change. */
export interface Incoming {
  readonly ctx: Context;
  /** Whether it was let in before, and is judged again while its reply goes on. */
  readonly again: boolean;
  /** The address as it was sent. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  /** The address as the row describes it; members that it does not describe stay undefined. */
  valid: Pick<Input, 'query' | 'params'>;
  /** Leading parts of a multipart body. */
  readonly part: Record<string, unknown>;
  held: Held | undefined;
  caller: Caller | undefined;
  /** The JSON or form body as it was sent. */
  json: JsonBody | undefined;
  /** What the handler gets as the body. */
  body: unknown;
  /** The records that the gate found. */
  admitted: Record<string, unknown>;
}

/** One step of the way to the handler. It rejects with the `Failure` by which the request is refused. */
export type Step = (incoming: Incoming) => Promise<void> | void;

/** Makes the step of a row; `undefined` where the row has no need of it. */
export type StepMaker = (row: Row, needs: AnswerNeeds) => Step | undefined;

/** A query as names and values; of a name that is sent twice the first counts, unless the row takes several. */
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

/** A request of which nothing has been judged. */
export const begin = (ctx: Context, { query }: Operation, again = false): Incoming => ({
  ctx,
  again,
  query: plainQuery(ctx.query, query),
  params: ctx['params'] as Record<string, string>, // the router sets it to the path's parameters
  valid: { query: undefined, params: undefined },
  part: {},
  held: undefined,
  caller: undefined,
  json: undefined,
  body: undefined,
  admitted: {},
});

/** The parts of a request in which the gate looks for what it is about, as they were sent. */
export const namedBy = ({ ctx, query, params, json, part }: Incoming): Named => ({
  query,
  params,
  body: json?.value,
  part,
  header: ctx.req.headers,
});
