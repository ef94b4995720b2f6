import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Holds what is still reachable, not what awaits collection, against a limit. A sample collects only where the limit would be broken with
 * what awaits collection: below that, what is reachable is below it too. `growth` is exact from the limit on, and an upper bound below it.
 */
export const countLiveBytes = (limitBytes: number): { sample(): void; growth(): number } => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function')
    throw new Error('this engine does not let tests collect garbage');
  const read = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const readLive = (): number => {
    collect();
    collect(); // buffers that the first found unreachable are given back beside it, later on a busy machine: the second waits for that
    return read();
  };
  const start = readLive();
  let most = start;
  const sample = (): void => {
    const all = read();
    most = Math.max(most, all - start < limitBytes ? all : readLive());
  };
  return { sample, growth: () => most - start };
};
