import type { Context } from 'koa';
import { bareShape, type BareShape, type ReplyDetails } from '#ports/api/operation';
import type { TSchema } from '#ports/api/schema';
import { stringifyKept } from '#ports/kept-json';
import { reader } from '../input.js';
import { isInPieces, sendReply } from '../reply.js';
import type { Route } from '../route.js';
import type { AnswerNeeds } from './incoming.js';

const isSchema = (shape: BareShape): shape is TSchema =>
  shape !== null &&
  !('bytes' in shape) &&
  !('redirect' in shape) &&
  !('page' in shape) &&
  !('streamed' in shape) &&
  !('piece' in shape) &&
  !('events' in shape) &&
  !('tag' in shape);

type ReplyNeeds = Pick<AnswerNeeds, 'checkReplies' | 'cookies' | 'baseUrl'>;

/** What a reply says besides its body, as headers. */
const setDetails = (
  ctx: Context,
  {
    cookies,
    secret,
    cacheSeconds,
    neverChanges,
    version,
    challenge,
    retryAfter,
    deprecation,
    madeAt,
    continueAt,
    answeredBy,
  }: ReplyDetails,
  { cookies: jar, baseUrl }: ReplyNeeds,
): void => {
  if (cookies !== undefined) ctx.set('Set-Cookie', cookies.map(jar.write));
  if (secret === true) {
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Pragma', 'no-cache');
    ctx.set('Referrer-Policy', 'no-referrer');
  } else if (cacheSeconds !== undefined)
    ctx.set(
      'Cache-Control',
      `public, max-age=${cacheSeconds}${neverChanges === true ? ', immutable' : ''}`,
    );
  if (version !== undefined) {
    ctx.set('ETag', `"${version}"`);
    ctx.set('Cache-Control', 'private, no-cache');
  }
  if (challenge !== undefined) ctx.set('WWW-Authenticate', challenge);
  if (retryAfter !== undefined) ctx.set('Retry-After', String(Math.ceil(retryAfter)));
  if (deprecation !== undefined) ctx.set('X-Opik-Deprecation', deprecation);
  if (madeAt !== undefined) ctx.set('Location', `${baseUrl}${madeAt}`);
  if (continueAt !== undefined) ctx.set('Refresh', `0; url=${continueAt}`);
  if (answeredBy !== undefined) {
    setPlain(ctx, 'X-Opik-Provider', answeredBy.provider);
    setPlain(ctx, 'X-Opik-Actual-Model', answeredBy.model);
  }
};

/** A header with a text from outside, which may hold what no header can. */
const setPlain = (ctx: Context, name: string, value: string): void => {
  if (/^[!-~]+$/.test(value)) ctx.set(name, value);
};

/** Readers of the replies that have a schema, by status. */
const replyReaders = ({ id, operation }: Route) =>
  new Map(
    Object.entries(operation.replies).flatMap(([status, shape]) => {
      const bare = bareShape(shape);
      const plain = bare !== null && 'piece' in bare ? bare.whole : bare;
      return isSchema(plain) ? [[Number(status), reader(plain, `reply of ${id}`)] as const] : [];
    }),
  );

type Whole = { readonly status?: number; readonly body: unknown } & ReplyDetails;

/** Makes what sends the results of a row's handler. In tests and development each is held against its schema first. */
export const replying = (route: Route, needs: ReplyNeeds) => {
  const { replies } = route.operation;
  const { dress } = route.family;
  const [only, ...others] = Object.keys(replies).map(Number);
  const single = others.length === 0 ? only : undefined;
  const isPlain = single !== undefined && bareShape(replies[single] ?? null) === replies[single];
  const readers = needs.checkReplies ? replyReaders(route) : undefined;
  return async (
    ctx: Context,
    result: unknown,
    stillAllowed: () => Promise<unknown>,
  ): Promise<void> => {
    const {
      status = single ?? 200,
      body,
      ...details
    } = (isPlain ? { body: result } : result) as Whole; // the row's type makes the handler return this
    if (!isPlain) setDetails(ctx, details, needs);
    const shape = bareShape(replies[status] ?? null);
    if (!isInPieces(body)) readers?.get(status)?.(JSON.parse(stringifyKept(body ?? {})));
    await sendReply(ctx, status, shape, body, {
      dress: (plain) =>
        dress.success(
          plain,
          isSchema(shape) ? (shape as { envelope?: string }).envelope : undefined,
        ),
      stillAllowed,
    });
  };
};
