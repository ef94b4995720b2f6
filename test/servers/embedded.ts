// The embedded database as tests share it: one server for all of a process, and a database of its own for each that asks.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '#adapters/storage/embedded/supervisor';
import { postgresStorage } from '#adapters/storage/postgres/open';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';
import { atEnd } from '#test/ending';
import { makeDatabase, type TestDatabase } from './databases.js';
import { layDatabase } from './template.js';

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** How its server is reached, started on the first call and ended with the tests. */
const addressOfServer = once(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-embedded-'));
  await layDatabase(folder);
  const server = await startEmbedded({ folder: join(folder, 'postgres'), log: systemLog('silent') });
  atEnd(async () => { await server.stop(); await rm(folder, { recursive: true, force: true }); });
  const { host, port, user, password } = server.connection;
  return `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/template1?host=${encodeURIComponent(host)}`;
});

/** One with the schema and nothing in it, to which nobody is connected, so that it can be copied: changing an empty one takes half a second. */
const nameOfBlank = once(async () => {
  const { url } = await makeEmbeddedDatabase();
  const storage = postgresStorage({ connection: url, poolSize: 2 }, { clock: systemClock, ids: systemIds, log: systemLog('silent'), meters: promMeters() });
  await storage.migrations.up().finally(() => storage.close());
  return new URL(url).pathname.slice(1);
});

/** An empty database. */
export const makeEmbeddedDatabase = async (): Promise<TestDatabase> => makeDatabase(await addressOfServer());

/** A database with the schema in it. */
export const copyEmbeddedDatabase = async (): Promise<TestDatabase> => makeDatabase(await addressOfServer(), await nameOfBlank());
