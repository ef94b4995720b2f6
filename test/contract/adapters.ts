// Who implements the storage port, and how to open each: a database of its own for every suite, with the schema in it.
import { mysqlStorage } from '#adapters/storage/mysql/open';
import { postgresStorage } from '#adapters/storage/postgres/open';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';
import { makeDatabase, type TestDatabase } from '#test/servers/databases';
import { copyEmbeddedDatabase, makeEmbeddedDatabase } from '#test/servers/embedded';
import { findServer, type ServerKind } from '#test/servers/servers';

export interface OpenedStorage {
  readonly storage: SqlStorage;
  /** Another process's view of the same database. */
  again(): SqlStorage;
  stop(): Promise<void>;
}

export interface StorageAdapter {
  readonly name: string;
  /** A storage on an empty database with the schema in it; or one line that says what to install. */
  open(): Promise<OpenedStorage | { readonly missing: string }>;
  /** The same without the schema. */
  openEmpty(): Promise<OpenedStorage | { readonly missing: string }>;
}

const parts = () => ({
  clock: systemClock,
  ids: systemIds,
  log: systemLog('silent'),
  meters: promMeters(),
});
const poolSize = 8;

const overUrl = (url: string, prepared = false): SqlStorage =>
  url.startsWith('postgres')
    ? postgresStorage({ connection: url, poolSize, prepared }, parts())
    : mysqlStorage({ url, poolSize }, parts());

const onDatabase = (database: TestDatabase, prepared = false): OpenedStorage => {
  const storage = overUrl(database.url, prepared);
  const opened = [storage];
  const again = () => {
    const other = overUrl(database.url, prepared);
    opened.push(other);
    return other;
  };
  return {
    storage,
    again,
    stop: async () => {
      for (const one of opened) await one.close();
      await database.remove();
    },
  };
};
const onEmbeddedDatabase = (database: TestDatabase): OpenedStorage => onDatabase(database, true);

const onServer = (kind: ServerKind): StorageAdapter => {
  const openEmpty = async (): Promise<OpenedStorage | { readonly missing: string }> => {
    const server = await findServer(kind);
    if ('missing' in server) return server;
    return onDatabase(await makeDatabase(server.url));
  };
  return { name: kind, openEmpty, open: () => migrated(openEmpty()) };
};

const migrated = async (opening: Promise<OpenedStorage | { readonly missing: string }>) => {
  const opened = await opening;
  if (!('missing' in opened)) await opened.storage.migrations.up();
  return opened;
};

const onEmbedded: StorageAdapter = {
  name: 'embedded',
  openEmpty: () => makeEmbeddedDatabase().then(onEmbeddedDatabase),
  open: () => copyEmbeddedDatabase().then(onEmbeddedDatabase),
};

/** Every adapter of the storage port; the long lane adds further servers. */
export const storageAdapters: readonly StorageAdapter[] = [
  onEmbedded,
  onServer('postgres'),
  onServer('mysql'),
  ...(process.env['ORRERY_TEST_LONG'] === '1' ? [onServer('mysql9'), onServer('pgbouncer')] : []),
];
