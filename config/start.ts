// A start begins with what it waits longest for, the embedded database, while the rest of the program is still being read from the disk.
import cluster from 'node:cluster';
import type { EmbeddedPostgres } from '#adapters/storage/embedded/supervisor';
import { loadSettings, type Loaded } from './load.js';
import { explainFolder } from './data-folder.js';
import { startDatabase } from './embedded.js';

const begin = async ({ values }: Loaded): Promise<EmbeddedPostgres> => {
  const { systemLog } = await import('#adapters/system/log');
  return startDatabase(values, { log: systemLog(values.ORRERY_LOG_LEVEL), owns: true });
};

/** Serves until a signal. Rejects with a `Failure` whose sentence says what keeps it from starting; nothing it began goes on then. */
export const start = async (
  environment: NodeJS.ProcessEnv,
  options: { readonly json?: boolean } = {},
): Promise<void> => {
  const loaded = loadSettings(environment);
  const begun =
    loaded.values.ORRERY_STORAGE === 'embedded' && cluster.isPrimary ? begin(loaded) : undefined;
  begun?.catch(() => undefined); // told where it is waited for
  try {
    const { serve } = await import('./serve.js');
    await serve(loaded, begun, options);
  } catch (thrown) {
    await begun?.then(
      (server) => server.stop(),
      () => undefined,
    );
    throw explainFolder(loaded.values, thrown);
  }
};
