import { isFailure } from '#ports/failure';
import { openStorage } from './compose.js';
import type { OpenedStorage } from './drivers.js';
import type { Loaded } from './load.js';

/** Commands connect to a running database; where none runs, they start the embedded one and stop it again. */
export const withStorage = async <T>(loaded: Loaded, work: (opened: OpenedStorage) => Promise<T>): Promise<T> => {
  const opened = await openStorage(loaded, false).catch((thrown: unknown) => {
    if (isFailure(thrown) && thrown.kind === 'unavailable' && loaded.values.ORRERY_STORAGE === 'embedded') return openStorage(loaded, true);
    throw thrown;
  });
  try {
    return await work(opened);
  } finally {
    await opened.storage.close();
    await opened.stop();
  }
};
