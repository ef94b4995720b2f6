// Server-sent events, as the HTML standard has them (9.2): written straight to the socket, a few hundred bytes of state for each listener.
import type { Context } from 'koa';

interface Sent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** How often a silent stream says that it is there, access is checked again, and a client is dropped that has taken nothing since, in ms. */
const usualBeatMs = 15_000;
/** After how long a client that lost the stream comes back, in ms. */
const retryMs = 2000;
/** What may wait in this process for one client. */
const mostBytes = 64 * 1024;

/** Texts of data that many are sent. */
const written = new WeakMap<object, string>();
const write = (data: unknown): string => {
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  const text = written.get(data) ?? JSON.stringify(data);
  written.set(data, text);
  return text;
};
const textOf = ({ id, event, data }: Sent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${write(data)}\n\n`;

interface Watch {
  /** Rejects once the client may no longer hear. */
  readonly stillAllowed: () => Promise<unknown>;
  readonly beatMs?: number;
}

/**
 * Sends texts until they end, the client leaves, takes nothing from one beat to the next, or `stillAllowed` rejects. Resolves once the headers are out.
 */
const sendTexts = (
  ctx: Context,
  texts: AsyncIterable<string>,
  { stillAllowed, beatMs = usualBeatMs }: Watch,
): void => {
  const { res } = ctx;
  ctx.status = 200;
  ctx.set('Content-Type', 'text/event-stream');
  ctx.set('Cache-Control', 'no-store, no-transform');
  ctx.set('X-Accel-Buffering', 'no'); // proxies would hold events back
  ctx.respond = false;
  res.flushHeaders();
  if (ctx.method === 'HEAD') {
    res.end();
    return;
  }

  let isFull = false;
  const beat = setInterval(() => {
    if (isFull && res.writableNeedDrain) {
      res.destroy();
      return;
    }
    isFull = res.writableNeedDrain;
    stillAllowed().then(
      () => {
        if (!res.writableEnded && !isFull) res.write(':\n\n');
      },
      () => {
        res.end();
      },
    );
  }, beatMs);
  beat.unref();
  res.once('close', () => {
    clearInterval(beat);
  });

  const drained = (): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        res.off('drain', go).off('close', go);
        resolve();
      };
      res.once('drain', go).once('close', go);
    });
  const pump = async (): Promise<void> => {
    for await (const text of texts) {
      if (res.writableEnded || res.destroyed) return;
      res.write(text);
      if (res.writableLength > mostBytes) await drained();
    }
  };
  pump().then(
    () => {
      res.end();
    },
    (error: unknown) => {
      ctx.app.emit('error', error, ctx);
      res.destroy();
    },
  );
};

async function* eventTexts(stream: AsyncIterable<readonly Sent[]>): AsyncGenerator<string> {
  yield `retry: ${retryMs}\n\n`;
  for await (const some of stream) yield some.map(textOf).join('');
}

/** Sends events, as `sendTexts` does; the client comes back with the id of the last event that it has. */
export const sendEvents = (
  ctx: Context,
  stream: AsyncIterable<readonly Sent[]>,
  watch: Watch,
): void => {
  sendTexts(ctx, eventTexts(stream), watch);
};

async function* dataTexts(pieces: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const piece of pieces) yield `data: ${JSON.stringify(piece)}\n\n`;
  yield 'data: [DONE]\n\n';
}

/** Sends pieces as events that have only data, as `sendTexts` does. */
export const sendPieces = (ctx: Context, pieces: AsyncIterable<unknown>, watch: Watch): void => {
  sendTexts(ctx, dataTexts(pieces), watch);
};
