// Who implements the storage port, and how to open each: a database of its own for every suite, with the schema in it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded, type EmbeddedPostgres } from '#adapters/storage/embedded/supervisor';
import { mysqlStorage } from '#adapters/storage/mysql/open';
import { postgresStorage } from '#adapters/storage/postgres/open';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';
import { atEnd } from '#test/ending';
import { makeDatabase } from '#test/servers/databases';
import { layDatabase } from '#test/servers/template';
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

const parts = () => ({ clock: systemClock, ids: systemIds, log: systemLog('silent'), meters: promMeters() });
const poolSize = 8;

const overUrl = (url: string, prepared = false): SqlStorage => (url.startsWith('postgres') ? postgresStorage({ connection: url, poolSize, prepared }, parts()) : mysqlStorage({ url, poolSize }, parts()));

const onServer = (kind: ServerKind): StorageAdapter => {
  const openEmpty = async (): Promise<OpenedStorage | { readonly missing: string }> => {
    const server = await findServer(kind);
    if ('missing' in server) return server;
    const database = await makeDatabase(server.url);
    const opened: SqlStorage[] = [overUrl(database.url)];
    const again = () => { const other = overUrl(database.url); opened.push(other); return other; };
    return { storage: opened[0]!, again, stop: async () => { for (const one of opened) await one.close(); await database.remove(); } };
  };
  return { name: kind, openEmpty, open: () => migrated(openEmpty()) };
};

const migrated = async (opening: Promise<OpenedStorage | { readonly missing: string }>) => {
  const opened = await opening;
  if (!('missing' in opened)) await opened.storage.migrations.up();
  return opened;
};

let embedded: Promise<EmbeddedPostgres> | undefined;
/** One embedded server for every suite of this process. */
const startOnce = () => (embedded ??= (async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-embedded-'));
  await layDatabase(folder);
  const server = await startEmbedded({ folder: join(folder, 'postgres'), log: systemLog('silent') });
  atEnd(async () => { await server.stop(); await rm(folder, { recursive: true, force: true }); });
  return server;
})());

const onEmbedded: StorageAdapter = {
  name: 'embedded',
  async openEmpty() {
    const { host, port, user, password } = (await startOnce()).connection;
    const address = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/postgres?host=${encodeURIComponent(host)}`;
    const database = await makeDatabase(address);
    const opened: SqlStorage[] = [overUrl(database.url, true)];
    const again = () => { const other = overUrl(database.url, true); opened.push(other); return other; };
    return { storage: opened[0]!, again, stop: async () => { for (const one of opened) await one.close(); await database.remove(); } };
  },
  open: () => migrated(onEmbedded.openEmpty()),
};

/** Every adapter of the storage port; the long lane adds further servers. */
export const storageAdapters: readonly StorageAdapter[] = [onEmbedded, onServer('postgres'), onServer('mysql'), ...(process.env['ORRERY_TEST_LONG'] === '1' ? [onServer('mysql9'), onServer('pgbouncer')] : [])];
