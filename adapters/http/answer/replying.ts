import type { Context } from 'koa';
import type { ReplyShape } from '#ports/api/operation';
import type { TSchema } from '#ports/api/schema';
import { reader } from '../input.js';
import { sendReply } from '../reply.js';
import type { Route } from '../route.js';

const bare = (shape: ReplyShape) => (shape !== null && 'headed' in shape ? shape.headed : shape);

const isSchema = (shape: ReturnType<typeof bare>): shape is TSchema =>
  shape !== null &&
  !('bytes' in shape) &&
  !('redirect' in shape) &&
  !('page' in shape) &&
  !('streamed' in shape) &&
  !('events' in shape) &&
  !('tag' in shape);

const setHeaders = (ctx: Context, content: unknown): unknown => {
  const { headers, body } = content as {
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body: unknown;
  }; // the row's type makes the handler return this
  for (const [name, value] of Object.entries(headers))
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  return body;
};

/** Readers of the replies that have a schema, by status. */
const replyReaders = ({ id, operation }: Route) =>
  new Map(
    Object.entries(operation.replies).flatMap(([status, shape]) => {
      const plain = bare(shape);
      return isSchema(plain) ? [[Number(status), reader(plain, `reply of ${id}`)] as const] : [];
    }),
  );

/** Makes what sends the results of a row's handler. In tests and development each is held against its schema first. */
export const replying = (route: Route, checkReplies: boolean) => {
  const { replies } = route.operation;
  const { dress } = route.family;
  const [only, ...others] = Object.keys(replies).map(Number);
  const readers = checkReplies ? replyReaders(route) : undefined;
  return async (
    ctx: Context,
    result: unknown,
    stillAllowed: () => Promise<unknown>,
  ): Promise<void> => {
    const { status, body } =
      others.length === 0 && only !== undefined
        ? { status: only, body: result }
        : (result as { readonly status: number; readonly body: unknown }); // rows of several replies say which
    const given = replies[status] ?? null;
    const shape = bare(given);
    const sent = given !== null && 'headed' in given ? setHeaders(ctx, body) : body;
    readers?.get(status)?.(structuredClone(sent ?? {}));
    await sendReply(ctx, status, shape, sent, {
      dress: (plain) =>
        dress.success(
          plain,
          isSchema(shape) ? (shape as { envelope?: string }).envelope : undefined,
        ),
      stillAllowed,
    });
  };
};
