// What several commands begin with.
import { systemLog } from '#adapters/system/log';
import type { BlobStore } from '#ports/blob-store';
import { Failure } from '#ports/failure';
import type { Drivers, OpenedStorage } from '../drivers.js';
import { loadSettings, type Loaded } from '../load.js';
import { importPlugins, type ImportedPlugin } from '../plugins.js';

/** The settings of this environment. Rejects with every fault at once. */
export const readSettings = (): Loaded => loadSettings(process.env);

/** Plugins that the settings list, with what they warn of on standard error. */
export const listPlugins = (loaded: Loaded): Promise<readonly ImportedPlugin[]> =>
  importPlugins(loaded, systemLog('warn'));

/** Does `work` over the place of bytes that the settings name, and stops its driver. */
export const withBlobs = async <T>(
  drivers: Drivers,
  work: (store: BlobStore) => Promise<T>,
): Promise<T> => {
  const { made, stop } = await drivers.openBlobs();
  try {
    return await work(made);
  } finally {
    await stop();
  }
};

/** Rejects with `conflict` while a server uses the database, or did until a moment ago without having ended in order. */
export const refuseWhileServing = async (
  { storage }: OpenedStorage,
  what: string,
): Promise<void> => {
  const changed =
    (await storage.migrations.isEmpty()) || (await storage.migrations.gap()).missing > 0;
  const serving = await storage.stores.leases.count('process:').catch((thrown: unknown) => {
    if (changed) return 0; // a schema without the table of leases has no server
    throw thrown;
  });
  if (serving > 0)
    throw new Failure(
      'conflict',
      `${what} is refused while ${serving === 1 ? 'a server serves' : `${serving} servers serve`} from this database: stop it first (one that was killed counts for 15 s)`,
    );
};

/** How many of something, in words. */
export const count = (n: number, one: string, many = `${one}s`): string =>
  `${n} ${n === 1 ? one : many}`;
