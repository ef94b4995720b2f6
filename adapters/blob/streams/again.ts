import { setTimeout as wait } from 'node:timers/promises';

const pausesMs = [100, 400] as const;

/** Does it again, twice at most and after a short pause, while what was thrown is likely to pass. */
export const again = async <T>(
  work: () => Promise<T>,
  passes: (thrown: unknown) => boolean,
  signal?: AbortSignal,
): Promise<T> => {
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch (thrown) {
      if (signal?.aborted === true || !passes(thrown)) throw thrown;
      // Processes that failed together must not come back together.
      await wait(pauseMs * (0.5 + Math.random()));
    }
  }
  return work();
};
