/** The source's chunks, until the signal aborts: then it throws the signal's reason at once, even while the source sends nothing. */
export async function* interruptible<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  if (signal === undefined) return yield* source;
  const chunks = source[Symbol.asyncIterator]();
  try {
    for (
      let next = await nextUnlessAborted(chunks, signal);
      !next.done;
      next = await nextUnlessAborted(chunks, signal)
    )
      yield next.value;
  } finally {
    // Not awaited: a generator that sends nothing would never answer. Its error, if any, is no longer anyone's.
    chunks.return?.().catch(() => undefined);
  }
}

// A promise of its own for each chunk: racing one that lasts as long as the stream would keep every chunk alive.
const nextUnlessAborted = <T>(
  chunks: AsyncIterator<T>,
  signal: AbortSignal,
): Promise<IteratorResult<T>> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    const forget = () => signal.removeEventListener('abort', abort);
    chunks.next().then(resolve, reject).finally(forget);
  });
