import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Counts what is still reachable, not what awaits collection: each sample collects first. */
export const countLiveBytes = (): { sample(): void; growth(): number } => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this engine does not let tests collect garbage');
  const measure = (): number => {
    collect();
    collect(); // buffers that the first found unreachable are given back beside it, later on a busy machine: the second waits for that
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const start = measure();
  let most = start;
  return { sample: () => void (most = Math.max(most, measure())), growth: () => most - start };
};
