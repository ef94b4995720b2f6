// Results of deliveries are stored together, whichever channels they are of: each transaction of its own would keep requests from theirs.
import { isFailure } from '#ports/failure';
import type { Attempt, GivenQueue } from '#ports/storage/deliveries';

type Store = (attempts: readonly Attempt[], given: readonly GivenQueue[]) => Promise<void>;

interface Part {
  readonly attempts: readonly Attempt[];
  readonly given: readonly GivenQueue[];
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

/** Stores parts as one; one of them that cannot be stored fails none of the others. */
const storeParts = async (store: Store, parts: readonly Part[]): Promise<void> => {
  try {
    await store(
      parts.flatMap(({ attempts }) => attempts),
      parts.flatMap(({ given }) => given),
    );
    for (const { resolve } of parts) resolve();
  } catch (thrown) {
    if (parts.length === 1 || (isFailure(thrown) && thrown.kind === 'unavailable'))
      for (const { reject } of parts) reject(thrown);
    else for (const part of parts) await storeParts(store, [part]);
  }
};

/** Gathers what there is to store until it is time, and stores it in the order in which it came. A process that dies meanwhile has deliveries sent again. */
export const recordTogether = (store: Store, time: () => Promise<void>): Store => {
  let open: Part[] | undefined;
  let before = Promise.resolve();
  return (attempts, given) =>
    new Promise((resolve, reject) => {
      const part = { attempts, given, resolve, reject };
      if (open !== undefined) {
        open.push(part);
        return;
      }
      const parts = (open = [part]);
      before = Promise.all([before, time()]).then(() => {
        open = undefined;
        return storeParts(store, parts);
      });
    });
};
