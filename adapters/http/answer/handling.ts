// The handler's turn, and the entry in the audit log for rows that are audited.
import type { Context } from 'koa';
import type { Audit } from '#ports/audit';
import { isFailure } from '#ports/failure';
import type { CookieJar } from '../cookies.js';
import { bearerIn } from '../identify.js';
import { noteRefused, underAudit } from '../audited.js';
import type { Route } from '../route.js';
import { networkOf } from '../source.js';
import { stateOf } from '../state.js';
import type { Incoming } from './incoming.js';

const noDigest = (): string => '';

/** The versions that a client names, strong and weak ones alike. */
const heldVersions = (header = ''): readonly string[] =>
  header.split(',').map((one) =>
    one
      .trim()
      .replace(/^W\//, '')
      .replace(/^"([^"]*)"$/, '$1'),
  );

/** A signal that aborts when the client is gone before it has its reply, or is gone already; of a stream of events also when the server ends it. */
const goneSignal = (ctx: Context): AbortSignal => {
  const { req, res } = ctx;
  const gone = new AbortController();
  const judge = (): void => {
    if (!res.writableFinished || ctx.respond === false) gone.abort();
  };
  if (res.closed) judge();
  req.once('aborted', () => gone.abort());
  res.once('close', judge);
  return gone.signal;
};

/** What a request has become when all steps are done. */
export interface Admitted {
  /** What the handler is called with; its parts were made from the row that types the handler. */
  readonly call: never;
  readonly admitted: Readonly<Record<string, unknown>>;
}

/** What a handler may ask of the request itself. Few do, and each costs as much as a step: on the prototype none of it is made before. */
class Call {
  readonly #ctx: Context;
  readonly #jar: CookieJar;
  readonly address: string;
  readonly agent: string;
  readonly path: string;
  readonly fromTrustedProxy: boolean;
  readonly headers: Context['req']['headers'];
  #signal: AbortSignal | undefined;

  constructor(ctx: Context, jar: CookieJar) {
    const { address = '', fromTrustedProxy = false } = stateOf(ctx);
    this.#ctx = ctx;
    this.#jar = jar;
    this.address = address;
    this.fromTrustedProxy = fromTrustedProxy;
    this.headers = ctx.req.headers;
    this.agent = this.headers['user-agent'] ?? '';
    this.path = ctx.path;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= goneSignal(this.#ctx));
  }
  get source(): string {
    return networkOf(this.address);
  }
  get cookies() {
    return this.#jar.read(this.headers.cookie);
  }
  get heldVersions(): readonly string[] {
    return heldVersions(this.headers['if-none-match']);
  }
  get bearer() {
    return bearerIn(this.headers);
  }
  get declaredBytes(): number | undefined {
    const length = this.headers['content-length'];
    return length === undefined ? undefined : Number(length);
  }
}

/** The call of a request that every step has passed. */
export const callOf = (incoming: Incoming, jar: CookieJar): Admitted => {
  const { ctx, valid, body, json, caller, admitted } = incoming;
  const call = Object.assign(
    new Call(ctx, jar),
    valid,
    { body, digest: json?.digest ?? noDigest, caller },
    admitted,
  );
  return { call: call as never, admitted }; // its parts were just made from the row that types the handler
};

/** Calls the handler of an audited row between the two halves of its entry. */
export const handleUnderAudit =
  ({ id, operation, handle }: Route, audit: Audit) =>
  (ctx: Context, { call, admitted }: Admitted): Promise<unknown> => {
    const { caller: who, address, requestId } = stateOf(ctx);
    const { params, body } = call as { readonly params?: unknown; readonly body?: unknown }; // made from the row that types the handler
    return underAudit(
      audit,
      { id, operation, who, address, requestId, admitted, params, body },
      () => handle(call),
    );
  };

/** Writes down what the gate keeps from an audited row. Whoever names what is not there tries nothing that is somebody's. */
export const noteTurnedAway = async (
  { id }: Route,
  audit: Audit,
  ctx: Context,
  thrown: unknown,
): Promise<void> => {
  const { caller: who, address, requestId } = stateOf(ctx);
  if (isFailure(thrown) && thrown.kind === 'forbidden' && who !== undefined)
    await noteRefused(audit, { id, who, address, requestId, reason: thrown.message });
};
