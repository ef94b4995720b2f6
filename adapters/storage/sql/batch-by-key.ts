// Joins what comes while the same is under way into the next round: one transaction and one sync to disk for many requests.
import { Failure } from '#ports/failure';

interface Waiting<T, R> {
  readonly item: T;
  readonly done: (result: R) => void;
  readonly failed: (thrown: unknown) => void;
}

export interface JoiningBounds<T> {
  /** Items of one key take turns; those of others go beside them. */
  readonly keyOf: (item: T) => string;
  /** Items of one round. */
  readonly together: number;
  /** Items of one key that may wait; one more is refused with `unavailable`. */
  readonly waiting: number;
}

/** `run` gives a result for each item, in their order. A round that fails is done again item by item, so that only the guilty one is refused. */
export const batchByKey = <T, R>(
  { keyOf, together, waiting: most }: JoiningBounds<T>,
  run: (items: readonly T[]) => Promise<readonly R[]>,
): ((item: T) => Promise<R>) => {
  /** What waits for its turn; an entry exists while somebody works on its key. */
  const queues = new Map<string, Waiting<T, R>[]>();

  const serve = async (group: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await run(group.map(({ item }) => item));
      group.forEach(({ done }, at) => {
        done(results[at] as R);
      }); // one of each, as promised
    } catch (thrown) {
      if (group.length === 1) group[0]?.failed(thrown);
      else for (const one of group) await serve([one]);
    }
  };
  const serveAll = async (key: string, queue: Waiting<T, R>[]): Promise<void> => {
    while (queue.length > 0) await serve(queue.splice(0, together));
    queues.delete(key);
  };

  return (item) =>
    new Promise<R>((done, failed) => {
      const key = keyOf(item);
      const queue = queues.get(key);
      const one = { item, done, failed };
      if (queue === undefined) {
        const fresh = [one];
        queues.set(key, fresh);
        void serveAll(key, fresh);
      } else if (queue.length >= most)
        failed(
          new Failure('unavailable', 'too many changes of this are waiting', { retryAfter: 5 }),
        );
      else queue.push(one);
    });
};
