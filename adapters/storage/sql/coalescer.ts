// Joins what arrives while a flush is under way into the next one: one transaction and one sync to disk for many requests. When much
// waits, a second flush of other experiments runs beside it, so that the database need not wait while this process reads requests.
import { Failure, isFailure } from '#ports/failure';

export interface CoalescerBounds {
  readonly queueBytes: number;
  readonly queueRequests: number;
  readonly flushBytes: number;
  /** As much must wait before another flush runs beside one. */
  readonly besideBytes: number;
}

const mostFlushes = 2;

/** What is to be written of one experiment. */
export interface Batch {
  readonly experimentId: string;
  /** Of memory, roughly. */
  readonly bytes: number;
}

interface Waiting<B, R> {
  readonly batch: B;
  readonly resolve: (result: R) => void;
  readonly reject: (thrown: unknown) => void;
}

export interface Coalescer<B extends Batch, R> {
  /** Resolves once the batch is durable. Rejects with `unavailable` when more waits than the queue may hold. */
  add(batch: B): Promise<R>;
  readonly depth: () => { readonly requests: number; readonly bytes: number };
  /** Waits until nothing is under way; what is added afterwards is refused. */
  close(): Promise<void>;
}

/** `flush` stores batches in one transaction, in their order within an experiment, and tells how each fared; after a data fault each is tried alone. */
export const createCoalescer = <B extends Batch, R>(
  bounds: CoalescerBounds,
  flush: (batches: readonly B[]) => Promise<readonly (R | Failure)[]>,
  isDataFault: (thrown: unknown) => boolean,
): Coalescer<B, R> => {
  let queue: Waiting<B, R>[] = [];
  let queued = 0;
  let closed = false;
  const running = new Set<Promise<void>>();
  /** Experiments of the flushes under way: what else comes for them waits, so that points keep their order. */
  const busy = new Set<string>();

  const settle = (waiting: Waiting<B, R>, result: R | Failure | undefined): void => {
    if (result === undefined || isFailure(result))
      waiting.reject(result ?? new Failure('unavailable', 'the batch was not stored'));
    else waiting.resolve(result);
  };
  const alone = async (waiting: Waiting<B, R>): Promise<void> => {
    try {
      settle(waiting, (await flush([waiting.batch]))[0]);
    } catch (thrown) {
      waiting.reject(thrown);
    }
  };
  const together = async (some: readonly Waiting<B, R>[]): Promise<void> => {
    try {
      const results = await flush(some.map((waiting) => waiting.batch));
      some.forEach((waiting, i) => {
        settle(waiting, results[i]);
      });
    } catch (thrown) {
      // One request's bad value must not refuse the others: each is tried alone, so that only the guilty one fails.
      if (some.length > 1 && isDataFault(thrown)) for (const waiting of some) await alone(waiting);
      else for (const waiting of some) waiting.reject(thrown);
    }
  };
  const takeSome = (): readonly Waiting<B, R>[] => {
    const [some, left]: [Waiting<B, R>[], Waiting<B, R>[]] = [[], []];
    let bytes = 0;
    const passed = new Set(busy);
    for (const waiting of queue) {
      const { batch } = waiting;
      const fits =
        !passed.has(batch.experimentId) &&
        (some.length === 0 || bytes + batch.bytes <= bounds.flushBytes);
      (fits ? some : left).push(waiting);
      if (fits) bytes += batch.bytes;
      else passed.add(batch.experimentId);
    }
    queue = left;
    queued -= bytes;
    return some;
  };
  const run = async (): Promise<void> => {
    for (let some = takeSome(); some.length > 0; some = takeSome()) {
      const ids = [...new Set(some.map(({ batch }) => batch.experimentId))];
      for (const id of ids) busy.add(id);
      await together(some);
      for (const id of ids) busy.delete(id);
    }
  };
  const start = (): void => {
    if (running.size > 0 && (running.size >= mostFlushes || queued < bounds.besideBytes)) return;
    const one: Promise<void> = Promise.resolve()
      .then(run)
      .finally(() => {
        running.delete(one);
        if (running.size === 0 && queue.length > 0) start();
      });
    running.add(one);
  };

  return {
    add(batch) {
      const { bytes } = batch;
      if (closed)
        return Promise.reject(
          new Failure('unavailable', 'the server is stopping', { retryAfter: 5 }),
        );
      if (
        queue.length >= bounds.queueRequests ||
        (queue.length > 0 && queued + bytes > bounds.queueBytes)
      )
        return Promise.reject(
          new Failure('unavailable', 'the server has more to write than it may hold', {
            retryAfter: 2,
          }),
        );
      const done = new Promise<R>((resolve, reject) => {
        queue.push({ batch, resolve, reject });
      });
      queued += bytes;
      start();
      return done;
    },
    depth: () => ({ requests: queue.length, bytes: queued }),
    async close() {
      closed = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
};
