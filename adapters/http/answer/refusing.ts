// Refusals and defects, as the row and its family have them on the wire.
import type { Context } from 'koa';
import { Failure, isFailure } from '#ports/failure';
import type { Log } from '#ports/log';
import { takesPages } from '#ports/api/faces';
import type { Operation, Refusal } from '#ports/api/operation';
import type { Dressed } from '#ports/api/families/family';
import { failureStatuses } from '../openapi.js';
import { failurePage } from '../pages/frame.js';
import { sendJson, sendPage } from '../reply.js';
import type { Route } from '../route.js';
import { stateOf } from '../state.js';
import { SwitchedOff } from './available.js';

/** What telling somebody of a refusal needs from outside. */
export interface RefuseNeeds {
  readonly log: Log;
  /** Whether replies and failures are held against their rows: in tests and development. */
  readonly checkReplies: boolean;
  /** What a refusal for lack of a credential asks for, where the row has programs as its clients. */
  readonly challenge?: string | undefined;
}

/** Where a row answers a failure with another status or code than its family. */
const refusalFor = ({ wire }: Operation, failure: Failure): Refusal | undefined => {
  const refusals = wire?.refusals;
  if (failure instanceof SwitchedOff) return refusals?.off;
  switch (failure.kind) {
    case 'invalid':
    case 'tooLarge':
      return refusals?.invalid;
    case 'unsupported':
      return failure.reason === 'notInstalled' ? refusals?.notInstalled : refusals?.invalid;
    case 'unauthenticated':
    case 'conflict':
    case 'absent':
    case 'unprocessable':
      return refusals?.[failure.kind];
    default:
      return undefined;
  }
};

/** On rows that the client parks and replays, every temporary refusal is 429: on 503 and 507 that client loses what it sent. */
const throttledInstead = (operation: Operation, failure: Failure): Failure =>
  failure.kind === 'unavailable' && operation.wire?.retryableWith429 === true
    ? new Failure('throttled', failure.message, {
        retryAfter: failure.retryAfter ?? 5,
        cause: failure,
      })
    : failure;

/** Says when to try again. One client reads the header of the usual name, another takes fractions of a second from its own. */
const setRetryAfter = (ctx: Context, failure: Failure): void => {
  if (failure.kind !== 'throttled' && failure.kind !== 'unavailable') return;
  const seconds = failure.retryAfter ?? 5;
  ctx.set('Retry-After', String(Math.ceil(seconds)));
  ctx.set('Retry-After-Custom', String(seconds));
  // A third reads whole seconds, and parses nothing else.
  if (failure.kind === 'throttled')
    ctx.set('RateLimit-Reset', String(Math.max(1, Math.ceil(seconds))));
};

/** Lets the rest of a body pass: bytes that no one reads any more would keep the connection, and a client that sends before it reads, for ever. */
const dropBody = ({ req }: Context): void => {
  if (req.readableFlowing === null) return;
  req.unpipe();
  req.resume();
};

const sendToSignIn = (ctx: Context): void => {
  ctx.redirect(ctx.method === 'GET' ? `/login?returnTo=${encodeURIComponent(ctx.url)}` : '/login');
  ctx.status = 303;
};

/** Tells a program that takes no pages why, in a line; what would be the way to sign in is the word that it must. */
const sendLine = (ctx: Context, status: number, line: string): void => {
  ctx.status = status === 303 ? 401 : status;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = `${line}\n`;
};

/** Sends a refusal as the family has it: JSON, a page, or the way to sign in, which leads back to what was asked for. */
const sendRefusal = (ctx: Context, { family }: Route, { status, body }: Dressed): void => {
  if (family.dress.pages !== true) {
    sendJson(ctx, status, body);
    return;
  }
  ctx.vary('Accept');
  if (!takesPages(ctx.get('Accept'), ctx.get('User-Agent'))) {
    sendLine(ctx, status, String(body));
    return;
  }
  if (status === 303) {
    sendToSignIn(ctx);
    return;
  }
  ctx.status = status;
  sendPage(ctx, failurePage(status, String(body)));
};

/** Rows that tell their caller nothing answer every refusal with one status; the log has the reason. */
const sendNothing = (ctx: Context, status: number): void => {
  ctx.status = status;
  ctx.body = '';
};

/** Writes an error to the log where a row refuses by a status that it does not declare. */
const checkDeclared = (route: Route, failure: Failure, status: number, log: Log): void => {
  const { id, operation } = route;
  if (status in operation.replies || failureStatuses(route).includes(status)) return;
  log.error('a row refused with a status that it does not declare', {
    operation: id,
    status,
    error: failure,
  });
};

const refuseFailure = (
  ctx: Context,
  route: Route,
  thrown: Failure,
  { log, checkReplies, challenge }: RefuseNeeds,
): void => {
  const { id, operation, family } = route;
  const state = stateOf(ctx);
  const failure = throttledInstead(operation, thrown);
  state.refusal = failure.kind;
  const every = operation.wire?.refusals?.every;
  if (every !== undefined) {
    log.warn('a request was refused without being told so', {
      operation: id,
      requestId: state.requestId,
      error: failure,
    });
    sendNothing(ctx, every.status);
    return;
  }
  setRetryAfter(ctx, failure);
  if (failure.kind === 'unauthenticated' && challenge !== undefined)
    ctx.set('WWW-Authenticate', challenge);
  if (failure.kind === 'tooLarge') state.tooLarge = true;
  const dressed = family.dress.failure(failure, refusalFor(operation, failure));
  if (checkReplies) checkDeclared(route, failure, dressed.status, log);
  sendRefusal(ctx, route, dressed);
};

const answerDefect = (ctx: Context, route: Route, thrown: unknown, { log }: RefuseNeeds): void => {
  const { requestId } = stateOf(ctx);
  log.error('a request failed unexpectedly', { operation: route.id, requestId, error: thrown });
  const every = route.operation.wire?.refusals?.every;
  if (every === undefined) sendRefusal(ctx, route, route.family.dress.defect(String(requestId)));
  else sendNothing(ctx, every.status);
};

/** Answers a request that was refused or that failed; gives back the memory of its body. */
export const refuse = (ctx: Context, route: Route, thrown: unknown, needs: RefuseNeeds): void => {
  stateOf(ctx).held?.release();
  ctx.set(route.family.dress.headers ?? {});
  dropBody(ctx);
  if (isFailure(thrown)) refuseFailure(ctx, route, thrown, needs);
  else answerDefect(ctx, route, thrown, needs);
};
