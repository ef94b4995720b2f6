// Opens a storage on every engine that is to be had here, each on an empty database of its own.
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { mysqlStorage } from '#adapters/storage/mysql/open';
import { postgresStorage } from '#adapters/storage/postgres/open';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { Log } from '#ports/log';
import type { Meters } from '#ports/meters';
import { pendingUnlessAll } from '#test/pending';
import { makeDatabase } from '#test/servers/databases';
import { findServer } from '#test/servers/servers';

const silent: Log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const meters: Meters = { counter: () => ({ add: () => undefined }), histogram: () => ({ observe: () => undefined }), gauge: () => undefined, show: () => Promise.resolve('') };

/** Runs the cases once an engine; `open` answers the storage made before the first case. */
export const onEachEngine = (title: string, cases: (open: () => SqlStorage) => void): void => {
  for (const engine of ['postgres', 'mysql'] as const) {
    describe(`${title} on ${engine}`, () => {
      let storage: SqlStorage | undefined;
      let remove = (): Promise<void> => Promise.resolve();

      before(async function () {
        this.timeout(120_000);
        const server = await findServer(engine);
        if ('missing' in server) return pendingUnlessAll(this as never, server.missing); // hooks skip as cases do
        const database = await makeDatabase(server.url);
        remove = () => database.remove();
        const needs = { clock: systemClock, ids: systemIds, log: silent, meters };
        storage = engine === 'postgres' ? postgresStorage({ connection: database.url, poolSize: 5 }, needs) : mysqlStorage({ url: database.url, poolSize: 5 }, needs);
        await storage.migrations.up();
      });
      after(async () => {
        await storage?.close();
        await remove();
      });

      cases(() => {
        if (storage === undefined) throw new Error('the storage is open only while cases run');
        return storage;
      });
    });
  }
};
