// A server on a data folder and port of its own, which is killed and started again.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '#test/servers/launch';
import { layDatabase } from '#test/servers/template';

const main = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'config', 'main.js');

export interface MortalServer {
  readonly url: string;
  readonly key: string;
  readonly data: string;
  output(): string;
  pid(): number;
  /** Starts it and waits until it is ready. Rejects when it ends instead. */
  start(): Promise<void>;
  /** Starts it and resolves with its exit code when it ends by itself. */
  startToEnd(): Promise<number | null>;
  /** kill -9 of the server process, and of its database when asked. */
  kill(withDatabase: boolean): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Ends it however it takes, and removes its data. */
  destroy(): Promise<void>;
}

/** Process id of the embedded database's server, where one runs on this data folder. */
export const databasePid = (data: string): number | undefined => {
  const file = join(data, 'postgres', 'cluster', 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : Number.NaN;
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
};

const killQuietly = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== 'ESRCH') throw thrown; // a system error carries a code; that it is gone already is what was wanted
  }
};

/** A folder for a server's data, with a database in it that holds nothing yet. */
const dataFolder = async (): Promise<string> => {
  const folder = newFolder();
  await layDatabase(folder);
  return folder;
};
/** One in which there is nothing at all. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'orrery-fault-'));

export const mortalServer = async (
  settings: Readonly<Record<string, string>> = {},
  given?: string,
): Promise<MortalServer> => {
  const data =
    given ?? (settings['ORRERY_STORAGE'] === undefined ? await dataFolder() : newFolder());
  const port = await findFreePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const key = 'fault-test-key';
  let child: ChildProcess | undefined;
  let ended: Promise<number | null> = Promise.resolve(null);
  let output = '';
  const launch = (): ChildProcess => {
    const started = spawn(process.execPath, [main], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        TMPDIR: process.env['TMPDIR'],
        ORRERY_PORT: String(port),
        ORRERY_BASE_URL: url,
        ORRERY_DATA: data,
        ORRERY_ADMIN_API_KEY: key,
        ORRERY_ADMIN_WORKSPACE: 'faults',
        ORRERY_LOG_LEVEL: 'warn',
        ...settings,
      },
    });
    child = started;
    started.stdout.on('data', (piece: Buffer) => {
      output += piece.toString();
    });
    started.stderr.on('data', (piece: Buffer) => {
      output += piece.toString();
    });
    ended = new Promise((resolve) => {
      started.once('exit', resolve);
    });
    return started;
  };
  const isOver = (one: ChildProcess) => one.exitCode !== null || one.signalCode !== null;
  return {
    url,
    key,
    data,
    output: () => output,
    pid: () => child?.pid ?? 0,
    async start() {
      const started = launch();
      for (let tries = 0; tries < 900; tries++) {
        if (isOver(started)) throw new Error(`the server ended: ${output.slice(-1500)}`);
        if (
          await fetch(`${url}/health/ready`).then(
            async (reply) => {
              await reply.arrayBuffer();
              return reply.ok;
            },
            () => false,
          )
        )
          return;
        await wait(50);
      }
      throw new Error(`the server was not ready in time: ${output.slice(-1500)}`);
    },
    startToEnd() {
      launch();
      return ended;
    },
    async kill(withDatabase) {
      const database = databasePid(data);
      killQuietly(child?.pid);
      if (withDatabase) killQuietly(database);
      await ended;
    },
    async stop() {
      child?.kill('SIGTERM');
      return ended;
    },
    async destroy() {
      if (child !== undefined && !isOver(child)) {
        child.kill('SIGTERM');
        await Promise.race([ended, wait(30_000, undefined, { ref: false })]); // a timer that would outlast the tests is not waited for
        if (!isOver(child)) killQuietly(child.pid);
      }
      killQuietly(databasePid(data));
      await wait(100);
      rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
};

/** JSON over HTTP; the body of the reply as it came. */
export const callJson = async (
  server: Pick<MortalServer, 'url' | 'key'>,
  path: string,
  body?: unknown,
): Promise<{
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}> => {
  const reply = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: server.key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: reply.status,
    body: (await reply.json()) as Record<string, unknown>,
    headers: reply.headers,
  }; // every reply of the API is an object
};

export const createExperiment = async (server: MortalServer): Promise<string> =>
  String(
    (await callJson(server, '/api/rest/v2/write/experiment/create', {})).body['experimentKey'],
  );
