// The product as an operator runs it, in a temporary folder, and what the machine says of its processes.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import knex, { type Knex } from 'knex';
import { startEmbedded } from '#adapters/storage/embedded/supervisor';
import { systemLog } from '#adapters/system/log';
import { findFreePort, makeSecret } from '#test/servers/launch';
import { listBelow, usedBy } from './processes.js';

export interface BenchServer {
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly workspace: string;
  readonly pid: number;
  readonly folder: string;
  /** From the start of the process to the first 200 of readiness, in ms. */
  readonly startedInMs: number;
  /** The server's own database, beside it. */
  openDatabase(): Promise<Knex>;
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
  /** Processor time that the server and its database took so far, in ms. */
  usedMs(): { readonly server: number; readonly database: number };
  residentMb(): number;
  stop(): Promise<void>;
}

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '..', '..', 'config', 'main.js');
const readyLimitMs = 60_000;
const stopLimitMs = 30_000;

const throttlesOff = Object.fromEntries(
  ['METRICS', 'SYSTEM_METRICS', 'PARAMETERS', 'OUTPUT', 'ASSETS'].map((kind) => [
    `ORRERY_THROTTLE_${kind}_PER_MINUTE`,
    '0',
  ]),
);

/** Sends one request and gives the reply as JSON, nothing where it is empty; rejects with what was said at any other status than 200, 201 and 204. */
const exchange = async (
  url: string,
  apiKey: string,
  method: string,
  path: string,
  body: unknown,
): Promise<unknown> => {
  const reply = await fetch(url + path, {
    method,
    headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (![200, 201, 204].includes(reply.status))
    throw new Error(`${method} ${path} answered ${reply.status}: ${text.slice(0, 300)}`);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
};

const waitUntilReady = async (url: string, child: ChildProcess, log: string): Promise<void> => {
  const deadline = performance.now() + readyLimitMs;
  while (child.exitCode === null && performance.now() < deadline) {
    const ready = await fetch(`${url}/health/ready`).then(
      async (reply) => {
        await reply.arrayBuffer();
        return reply.status === 200;
      },
      () => false,
    );
    if (ready) return;
    await wait(5);
  }
  child.kill('SIGKILL');
  throw new Error(
    `the server did not become ready: ${readFileSync(log, 'utf8').split('\n').slice(-8).join(' | ')}`,
  );
};

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
// A server that is asked ends its database too, one that is killed may leave it.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void Promise.all([...children].map(endChild)).finally(() => {
      process.exit(1);
    });
  });

const endChild = async (child: ChildProcess): Promise<void> => {
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else
      child.once('exit', () => {
        resolve();
      });
  });
  child.kill('SIGTERM');
  const insist = setTimeout(() => {
    child.kill('SIGKILL');
  }, stopLimitMs);
  await gone;
  clearTimeout(insist);
  children.delete(child);
};

const openDatabase = async (folder: string): Promise<Knex> => {
  const { connection } = await startEmbedded({
    folder: join(folder, 'postgres'),
    log: systemLog('silent'),
    attachOnly: true,
  });
  return knex.default({ client: 'pg', connection, pool: { min: 0, max: 2 } });
};

export interface StartOptions {
  /** A folder that was used before; a new one, removed at the end, when left out. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server of its own over the embedded database, with default settings but without throttles. */
export const startServer = async ({
  folder: given,
  env = {},
}: StartOptions = {}): Promise<BenchServer> => {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'orrery-bench-')));
  const port = await findFreePort();
  const [apiKey, workspace] = [makeSecret(), `w${randomBytes(4).toString('hex')}`];
  const url = `http://127.0.0.1:${port}`;
  await writeFile(
    join(folder, 'config.json'),
    JSON.stringify({
      plugins: [{ name: join(here, 'plugin.js'), settings: { folder: join(folder, 'postgres') } }],
    }),
  );
  const log = join(folder, 'log');
  const written = openSync(log, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--min-semi-space-size=4', main], {
    env: {
      PATH: process.env['PATH'],
      // as `npm start` has it
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '524288',
      MALLOC_TRIM_THRESHOLD_: '524288',
      ORRERY_PORT: String(port),
      ORRERY_BASE_URL: url,
      ORRERY_DATA: folder,
      ORRERY_ADMIN_API_KEY: apiKey,
      ORRERY_ADMIN_WORKSPACE: workspace,
      ORRERY_CONFIG: join(folder, 'config.json'),
      ...throttlesOff,
      ...env,
    },
    stdio: ['ignore', written, written],
  });
  closeSync(written);
  children.add(child);
  await waitUntilReady(url, child, log);
  const startedInMs = performance.now() - startedAt;
  const pid = child.pid ?? 0;
  return {
    url,
    port,
    apiKey,
    workspace,
    pid,
    folder,
    startedInMs,
    openDatabase: () => openDatabase(folder),
    call: (method, path, body) => exchange(url, apiKey, method, path, body),
    usedMs: () => ({
      server: usedBy(pid),
      database: listBelow(pid).reduce((sum, one) => sum + usedBy(one), 0),
    }),
    residentMb: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    async stop() {
      await endChild(child);
      if (given === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Does something with a server of its own, and ends it whatever happens. */
export const withServer = async <T>(
  work: (server: BenchServer) => Promise<T>,
  options: StartOptions = {},
): Promise<T> => {
  const server = await startServer(options);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
};

/** Makes experiments of one project and gives their keys. */
export const makeExperiments = async (
  { call, workspace }: BenchServer,
  count: number,
  projectName = 'bench',
): Promise<readonly string[]> => {
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    const made = (await call('POST', '/api/rest/v2/write/experiment/create', {
      workspaceName: workspace,
      projectName,
    })) as { readonly experimentKey: string }; // the row's reply
    keys.push(made.experimentKey);
  }
  return keys;
};
