import { isFailure } from '#ports/failure';
import { openStorage } from './opening.js';
import { explainFolder, requireDataFolder } from './data-folder.js';
import type { OpenedStorage } from './drivers.js';
import type { Loaded } from './load.js';
import { requireStorage } from './storage-faults.js';

export interface WithStorageOptions {
  /** Whether an embedded database is made where there is none; without it, that is refused. */
  readonly makes?: boolean;
}

/** Commands connect to a running database; where none runs, they start the embedded one and stop it again. */
export const withStorage = async <T>(
  loaded: Loaded,
  work: (opened: OpenedStorage) => Promise<T>,
  { makes = false }: WithStorageOptions = {},
): Promise<T> => {
  if (!makes) requireDataFolder(loaded, { bytes: false });
  const quiet =
    loaded.sources.ORRERY_LOG_LEVEL === 'default'
      ? { ...loaded, values: { ...loaded.values, ORRERY_LOG_LEVEL: 'warn' } }
      : loaded; // the life of the process is of no interest here
  const opened = await openStorage(quiet, false)
    .catch(async (thrown: unknown) => {
      if (
        isFailure(thrown) &&
        thrown.kind === 'unavailable' &&
        loaded.values.ORRERY_STORAGE === 'embedded'
      )
        return openStorage(quiet, true);
      throw thrown;
    })
    .catch((thrown: unknown) => {
      throw explainFolder(loaded.values, thrown);
    });
  try {
    await requireStorage(opened, loaded.values);
    return await work(opened);
  } finally {
    await opened.storage.close();
    await opened.stop();
  }
};
