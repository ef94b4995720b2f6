// An embedded database that is made once a run, with the schema and nothing in it, and copied to where a test wants one: making each takes a second.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '#adapters/storage/embedded/supervisor';
import { postgresStorage } from '#adapters/storage/postgres/open';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';

/** How whoever runs the tests hands it on. */
export const templateVariable = 'ORRERY_TEST_TEMPLATE';

export interface Template {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Makes it. */
export const makeTemplate = async (): Promise<Template> => {
  const parent = await mkdtemp(join(tmpdir(), 'orrery-template-'));
  const folder = join(parent, 'postgres');
  const log = systemLog('silent');
  const server = await startEmbedded({ folder, log });
  const storage = postgresStorage(
    { connection: server.connection, poolSize: 2 },
    { clock: systemClock, ids: systemIds, log, meters: promMeters() },
  );
  try {
    await storage.migrations.up();
  } finally {
    await storage.close();
    await server.stop();
  }
  await rm(join(folder, 'lock'), { force: true });
  return { folder, remove: () => rm(parent, { recursive: true, force: true }) };
};

/** Lays a copy of it into a server's data folder, where there is one; else the server makes its own. */
export const layDatabase = async (data: string): Promise<void> => {
  const template = process.env[templateVariable];
  if (template === undefined) return;
  // Half of it is log that nothing was written to yet: as holes, where the system's own command can make them.
  await promisify(execFile)('cp', [
    '-a',
    ...(process.platform === 'linux' ? ['--sparse=always'] : []),
    template,
    join(data, 'postgres'),
  ]);
};
