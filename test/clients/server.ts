// Starts the product as an operator does and hands out what a client needs to reach it.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { systemLog } from '#adapters/system/log';
import { openAuth, openStorage } from '#config/opening';
import { loadSettings } from '#config/load';
import { serveHere } from '#config/serve';
import type { SettingValues } from '#config/settings';
import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { atEnd } from '#test/ending';
import { isWhole } from '#test/sampling';
import { makeGcsBucket, makeS3Bucket } from '#test/servers/buckets';
import { makeDatabase } from '#test/servers/databases';
import { copyEmbeddedDatabase } from '#test/servers/embedded';
import { findFreePort, makeSecret } from '#test/servers/launch';
import { findServer, type MissingServer } from '#test/servers/servers';
import { layDatabase } from '#test/servers/template';
import { checkNothingStored, neverStored } from './secrets.js';

export type StorageChoice = 'embedded' | 'postgres' | 'mysql';

/**
 * The databases over which servers are tried: each where everything must run, and where a run is about areas by name; elsewhere the embedded one, or a laptop
 * would be busy for an hour. What an adapter does is tried on each that is there.
 */
export const triedStorages: readonly [StorageChoice, ...StorageChoice[]] = isWhole()
  ? ['embedded', 'postgres', 'mysql']
  : ['embedded'];

export type BlobChoice = 'filesystem' | 's3' | 'gcs';

export interface ServerOptions {
  readonly storage: StorageChoice;
  /** Where it keeps bytes; a folder of its own when left out. */
  readonly blob?: BlobChoice;
  /** Settings beside the ones every start needs; they win over those. */
  readonly env?: Readonly<Record<string, string>>;
  /** A process and an embedded database of its own, also on a laptop, for what looks at them. */
  readonly apart?: boolean;
  /** What tells the server the time, which is then served by this process. */
  readonly clock?: Clock;
}

/** The product, running. */
export interface StartedServer {
  /** The root, without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string;
  readonly pid: number;
  /** The environment it was started with, for what connects to its database beside it. */
  readonly settings: Readonly<Record<string, string>>;
  /** What it has written since it was started last. */
  output(): string;
  /** Ends it as an operator does, and starts it again over what it stored, at the same address. */
  restart(): Promise<void>;
  /** SIGTERM, then waits for the end. Rejects when it did not end by itself within 30 seconds, or when its embedded database held a secret of this run. May be repeated. */
  stop(): Promise<void>;
}

const main = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'config', 'main.js');
const readyLimitMs = 60_000;
const stopLimitMs = 30_000;

/**
 * Starts a server over an empty store of that kind: in a process of its own where everything must run; on a laptop one over the embedded database
 * is served by this process, from a database among others, since the start of each process and each database takes a second. Resolves with
 * `missing` when the machine has no such database.
 */
export const startServer = async ({
  storage,
  blob = 'filesystem',
  env = {},
  apart = process.env['ORRERY_TEST_ALL'] === '1',
  clock,
}: ServerOptions): Promise<StartedServer | MissingServer> => {
  const within = storage === 'embedded' && (!apart || clock !== undefined);
  const store = await (within ? makeShare() : makeStore(storage));
  if ('missing' in store) return store;
  const bytes = await makeBucket(blob);
  if ('missing' in bytes) {
    await store.remove();
    return bytes;
  }
  const port = await findFreePort();
  const data = mkdtempSync(join(tmpdir(), 'orrery-data-'));
  if (storage === 'embedded' && !within) await layDatabase(data);
  const url = `http://127.0.0.1:${String(port)}`;
  const apiKey = makeSecret();
  const workspace = `w${randomBytes(4).toString('hex')}`;
  const settings = {
    ORRERY_PORT: String(port),
    ORRERY_BASE_URL: url,
    ORRERY_DATA: data,
    ORRERY_ADMIN_API_KEY: apiKey,
    ORRERY_ADMIN_WORKSPACE: workspace,
    ...store.settings,
    ...bytes.settings,
    ...env,
  };
  const clean = async () => {
    rmSync(data, { recursive: true, force: true });
    await store.remove();
    await bytes.remove();
  };
  const begin = () => (within ? serveWithin(settings, clock) : launch(settings, url));
  let running: Running;
  try {
    running = await begin();
  } catch (thrown) {
    await clean();
    throw thrown;
  }
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    try {
      // One that was killed has nobody who serves its database.
      if (storage === 'embedded' && running.ended() === undefined)
        await checkNothingStored(settings);
    } finally {
      await running.stop().finally(clean);
    }
  };
  return {
    url,
    apiKey,
    workspace: settings.ORRERY_ADMIN_WORKSPACE,
    get pid() {
      return running.pid;
    },
    settings,
    output: () => running.output(),
    async restart() {
      await running.stop();
      running = await begin();
    },
    stop: () => (stopping ??= stop()),
  };
};

const lent = new Map<string, Promise<StartedServer | MissingServer>>();

/**
 * A server that is shared in this process by all who ask for the same, as an administrator sees it whose workspace nobody else uses. For cases
 * that neither look at the whole installation nor change it; its log is everybody's, and it ends with the process, whoever stops it.
 */
export const borrowServer = async (
  options: ServerOptions,
): Promise<StartedServer | MissingServer> => {
  const wanted = JSON.stringify(options);
  const lending =
    lent.get(wanted) ??
    startServer(options).then((server) => {
      // Said only now, so that it ends before what it was started upon.
      atEnd(async () => {
        lent.delete(wanted);
        if (!('missing' in server)) await server.stop();
      });
      return server;
    });
  lent.set(wanted, lending);
  const server = await lending;
  return 'missing' in server
    ? server
    : { ...server, ...(await addAdministrator(server)), stop: () => Promise.resolve() };
};

/** The storage of a running server, opened a second time, for what no operation does or shows. */
export interface Beside {
  readonly storage: SqlStorage;
  readonly auth: Auth;
  readonly values: SettingValues;
  close(): Promise<void>;
}

export const openBeside = async ({
  settings,
  url,
}: Pick<StartedServer, 'settings' | 'url'>): Promise<Beside> => {
  const loaded = loadSettings(settings);
  const { storage, stop } = await openStorage(loaded, false);
  return {
    storage,
    auth: openAuth(storage, loaded.values, url),
    values: loaded.values,
    async close() {
      await storage.close();
      await stop();
    },
  };
};

const addAdministrator = async (
  server: StartedServer,
): Promise<Pick<StartedServer, 'apiKey' | 'workspace'>> => {
  const beside = await openBeside(server);
  try {
    const [apiKey, workspace] = [makeSecret(), `w${randomBytes(5).toString('hex')}`];
    await beside.auth.addUser({
      name: `admin-${randomBytes(5).toString('hex')}`,
      admin: true,
      workspace,
      apiKey,
    });
    return { apiKey: neverStored(apiKey), workspace };
  } finally {
    await beside.close();
  }
};

interface Store {
  readonly settings: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

/** An empty store of that kind, and the settings that lead to it. */
export const makeStore = async (storage: StorageChoice): Promise<Store | MissingServer> => {
  if (storage === 'embedded')
    return { settings: { ORRERY_STORAGE: 'embedded' }, remove: () => Promise.resolve() };
  const server = await findServer(storage);
  if ('missing' in server) return server;
  const database = await makeDatabase(server.url);
  return {
    settings: { ORRERY_STORAGE: storage, [`ORRERY_${storage.toUpperCase()}_URL`]: database.url },
    remove: database.remove,
  };
};

/** A database on the embedded server of this process. */
const makeShare = async (): Promise<Store> => {
  const { url, remove } = await copyEmbeddedDatabase();
  return { settings: { ORRERY_STORAGE: 'postgres', ORRERY_POSTGRES_URL: url }, remove };
};

const makeBucket = async (blob: BlobChoice): Promise<Store | MissingServer> => {
  if (blob === 'filesystem') return { settings: {}, remove: () => Promise.resolve() };
  const server = await findServer(blob);
  if ('missing' in server) return server;
  return blob === 's3' ? makeS3Bucket(server) : makeGcsBucket(server);
};

interface Running {
  readonly pid: number;
  readonly ended: () => string | undefined;
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

const launch = async (
  settings: Readonly<Record<string, string>>,
  url: string,
): Promise<Running> => {
  const running = watch(
    spawn(process.execPath, [main], {
      env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  await waitUntilReady(url, running);
  return running;
};

const serveWithin = async (
  settings: Readonly<Record<string, string>>,
  clock: Clock | undefined,
): Promise<Running> => {
  let written = '';
  const loaded = loadSettings(settings);
  const { stop } = await serveHere(loaded, {
    owns: true,
    clock,
    log: systemLog(loaded.values.ORRERY_LOG_LEVEL, {
      write: (line) => {
        written += line;
      },
    }),
  });
  return { pid: process.pid, ended: () => undefined, output: () => written, stop };
};

const watch = (child: ChildProcess): Running => {
  const written: Buffer[] = [];
  let end: string | undefined;
  let stopping: Promise<void> | undefined;
  child.stdout?.on('data', (chunk: Buffer) => written.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => written.push(chunk));
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => resolve(void (end = error.message)));
    child.once('close', (code, signal) =>
      resolve(void (end = `ended with ${String(code ?? signal)}`)),
    );
  });
  // A test process that ends without its `after` hooks must not leave the server behind.
  const endAtOnce = (): void => void child.kill('SIGKILL');
  process.once('exit', endAtOnce);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const insist = setTimeout(endAtOnce, stopLimitMs);
    await gone;
    clearTimeout(insist);
    process.off('exit', endAtOnce);
    if (child.signalCode === 'SIGKILL')
      throw new Error(`the server did not end within ${String(stopLimitMs / 1000)} s of SIGTERM`);
  };
  return {
    pid: child.pid ?? 0,
    ended: () => end,
    output: () => Buffer.concat(written).toString(),
    stop: () => (stopping ??= stop()),
  };
};

const waitUntilReady = async (url: string, running: Running): Promise<void> => {
  const deadline = Date.now() + readyLimitMs;
  for (;;) {
    if (running.ended() !== undefined) break;
    const ready = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
      readToEnd,
      () => false,
    );
    if (ready) return;
    if (Date.now() > deadline) break;
    await wait(50);
  }
  const why = running.ended() ?? 'was not ready in time';
  await running.stop().catch(() => undefined);
  throw new Error(
    `the server ${why}: ${running.output().trim().split('\n').slice(-10).join(' | ')}`,
  );
};

/** The body is read so that the connection is free again. */
const readToEnd = async (reply: Response): Promise<boolean> => {
  await reply.arrayBuffer();
  return reply.status === 200;
};
