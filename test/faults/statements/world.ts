// The whole product in this process over a storage that breaks, with nobody but the test to start its jobs.
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpServer } from '#adapters/http/server';
import { systemLog } from '#adapters/system/log';
import { compose } from '#config/compose';
import { loadSettings } from '#config/load';
import { makeSecret } from '#test/servers/launch';
import { freshName } from '#test/contract/storage/builders';
import type { StorageAdapter } from '#test/contract/adapters';
import { breakable, type Breaking } from './breaking.js';

export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface BreakableServer {
  readonly breaking: Breaking;
  /** Asks with a path behind `/v1/private/`; bytes are sent as they are. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    type?: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Runs a job of the product once. */
  run(job: string): Promise<void>;
  /** Makes what waits for its time due. */
  hasten(table: string, column: string): Promise<void>;
  stop(): Promise<void>;
}

/** Its storage is the adapter's, opened a second time. */
export const startBreakable = async (
  adapter: StorageAdapter,
  env: Readonly<Record<string, string>> = {},
): Promise<BreakableServer | { readonly missing: string }> => {
  const opened = await adapter.open();
  if ('missing' in opened) return opened;
  const storage = opened.again();
  const breaking = breakable(storage);
  const data = mkdtempSync(join(tmpdir(), 'orrery-statements-'));
  const log = systemLog('silent');
  const loaded = loadSettings({
    ...{ ORRERY_DATA: data, ORRERY_STORAGE: 'postgres', ORRERY_PORT: '1', ...env },
    ORRERY_POSTGRES_URL: 'postgres://not.asked/for',
  });
  const composed = await compose({
    ...{ loaded, baseUrl: 'http://127.0.0.1:1', owns: false, log },
    storage: {
      ...{ storage, migratesItself: false, state: () => 'running' },
      stop: () => Promise.resolve(),
    },
  });
  const [apiKey, workspace] = [makeSecret(), freshName('workspace')];
  await composed.auth.addUser({ name: freshName('user'), admin: true, workspace, apiKey });
  const server = createHttpServer(composed.app, {
    ...{ graceMs: 20_000, bytesPerSecond: 1, lookEveryMs: 60_000 },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address has this form
  return {
    breaking,
    async ask(method, path, body, type = 'application/json', more = {}) {
      const reply = await fetch(`http://127.0.0.1:${port}/v1/private/${path}`, {
        method,
        headers: { Authorization: apiKey, 'Content-Type': type, ...more },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: reply.status, text: await reply.text() };
    },
    async run(name) {
      const job = composed.jobs.find((one) => one.name === name);
      if (job === undefined) throw new Error(`there is no job ${name}`);
      await job.run(new AbortController().signal);
    },
    async hasten(table, column) {
      await opened.storage.connection
        .db(table)
        .whereNotNull(column)
        .update({ [column]: 1 });
    },
    async stop() {
      composed.endListening();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      await composed.stop();
      await opened.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
};
