// Folders, servers and questions for the cases of this folder; everything opened here is ended by `sweep`.
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import type { Log } from '#ports/log';
import { startEmbedded, type EmbeddedOptions, type EmbeddedPostgres } from '#adapters/storage/embedded/supervisor';

const folders: string[] = [];
const servers: EmbeddedPostgres[] = [];

/** A folder of its own for a database, not made yet, under one that everybody may pass. */
export const makeFolder = (name = 'postgres'): string => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-')));
  chmodSync(parent, 0o755);
  folders.push(parent);
  return join(parent, name);
};

export const silent: Log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** Starts a server that `sweep` ends, should the case not. */
export const open = async (folder: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> => {
  const server = await startEmbedded({ folder, log: silent, ...options });
  servers.push(server);
  return server;
};

/** Ends every server and removes every folder. */
export const sweep = async (): Promise<void> => {
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

/** The rows of one statement, over a connection of its own. */
export const ask = async ({ connection }: { readonly connection: ClientConfig }, sql: string): Promise<readonly unknown[]> => {
  const client = new Client(connection);
  client.on('error', () => undefined); // the rejection of the call says the same
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows as readonly unknown[]; // the library's row type is open
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** What a promise is rejected with. */
export const failureOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
};

/** Waits until `holds` answers true; fails after ten seconds. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const begun = performance.now(); performance.now() - begun < 10_000; await pause(20)) {
    if (await holds()) return;
  }
  throw new Error('waited ten seconds in vain');
};
