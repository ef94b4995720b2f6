import { join, resolve } from 'node:path';
import { startEmbedded, type EmbeddedPostgres } from '#adapters/storage/embedded/supervisor';
import type { Log } from '#ports/log';
import type { SettingValues } from './settings.js';

/** The embedded database where the settings put it: started, or, by who does not own it, found running. */
export const startDatabase = (
  values: SettingValues,
  { log, owns }: { readonly log: Log; readonly owns: boolean },
): Promise<EmbeddedPostgres> =>
  startEmbedded({
    folder: join(resolve(values.ORRERY_DATA), 'postgres'),
    log,
    attachOnly: !owns,
    ...(values.PG_BIN_DIR === '' ? {} : { binDir: values.PG_BIN_DIR }),
  });
