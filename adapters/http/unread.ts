// Ends a request whose body is not read to its end: the reply goes out at once, and the rest is not waited for without bounds.
import type { Context } from 'koa';
import type { IncomingMessage } from 'node:http';

const [drainBytes, drainMs, pauseMs] = [32 * 1024 * 1024, 5000, 1000];
/** So much is let pass to keep the connection. */
const smallBytes = 1024 * 1024;

/** Whether much of the body may still come. */
export const muchIsUnread = (request: IncomingMessage): boolean =>
  !request.complete &&
  !request.destroyed &&
  (request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > smallBytes);

/**
 * Reads on for a while and then stops: most clients send all of a body before they read anything, and would not see the reply.
 * A client that is still sending after that is made to wait for a moment, in which it reads: closing at once would reset the connection and throw the reply away.
 */
const drain = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    if (request.complete || request.destroyed) {
      resolve();
      return;
    }
    let left = drainBytes;
    const stop = (): void => {
      clearTimeout(late);
      request.off('data', count);
      resolve();
    };
    const count = (piece: Buffer): void => {
      left -= piece.length;
      if (left >= 0) return;
      request.off('data', count);
      request.pause();
      clearTimeout(late);
      late = setTimeout(stop, pauseMs);
    };
    let late = setTimeout(stop, drainMs);
    for (const end of ['end', 'close', 'error'] as const) request.once(end, stop);
    request.unpipe();
    request.on('data', count);
    request.resume();
  });

/** Sends the reply that is set, and closes the connection once the client has had time to see it. */
export const replyAndClose = async (ctx: Context): Promise<void> => {
  ctx.set('Connection', 'close');
  // Koa sends streams and buffers by itself; the header above closes the connection after them.
  if (ctx.body !== undefined && ctx.body !== null && typeof ctx.body !== 'string') return;
  const text = typeof ctx.body === 'string' ? ctx.body : '';
  ctx.length = Buffer.byteLength(text);
  ctx.respond = false;
  ctx.res.flushHeaders();
  if (text !== '') ctx.res.write(text);
  await drain(ctx.req);
  ctx.res.end(() => {
    if (!ctx.req.complete) ctx.req.socket.destroy();
  });
};
