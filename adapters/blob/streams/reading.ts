import type { Readable } from 'node:stream';
import type { ByteStream } from '#ports/bytes';

export interface Reading {
  /** The longest that the other side may send nothing while bytes are waited for. */
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
  /** What ends a silence that lasts too long. */
  readonly silent: () => Error;
  /** What is thrown in place of an error of the stream. */
  readonly failureOf: (thrown: unknown) => unknown;
}

/** The bytes of a reply, which is let go when they are read no further. A reader that takes its time is no silence of the other side. */
export async function* readReply(
  reply: Readable,
  { silenceMs, signal, silent, failureOf }: Reading,
): ByteStream {
  let waiting = false;
  const limit = setTimeout(() => {
    if (waiting) reply.destroy(silent());
  }, silenceMs);
  const pieces = reply[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>; // a reply without an encoding gives bytes
  try {
    for (;;) {
      waiting = true;
      limit.refresh();
      const next = await pieces.next();
      waiting = false;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (thrown) {
    throw signal?.aborted === true ? signal.reason : failureOf(thrown);
  } finally {
    clearTimeout(limit);
    reply.destroy();
  }
}
