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
  const server = await startEmbedded({
    folder: join(folder, 'postgres'),
    log: systemLog('silent'),
  });
  atEnd(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { host, port, user, password } = server.connection;
  return `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/template1?host=${encodeURIComponent(host)}`;
});

/** The server's own database, to which nobody stays connected, so that it can be copied: with the schema, which one that was laid has already. */
const nameOfBlank = once(async () => {
  const url = new URL(await addressOfServer());
  url.pathname = '/orrery';
  const storage = postgresStorage(
    { connection: url.href, poolSize: 2 },
    { clock: systemClock, ids: systemIds, log: systemLog('silent'), meters: promMeters() },
  );
  await storage.migrations.up().finally(() => storage.close());
  return url.pathname.slice(1);
});

/** An empty database. */
export const makeEmbeddedDatabase = async (): Promise<TestDatabase> =>
  makeDatabase(await addressOfServer());

/** A database with the schema in it. */
export const copyEmbeddedDatabase = async (): Promise<TestDatabase> =>
  makeDatabase(await addressOfServer(), await nameOfBlank());
