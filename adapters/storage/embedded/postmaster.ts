// One server process: spawned, or found running and taken over.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '#ports/log';
import type { Programs } from './binaries.js';
import { isAlive } from './processes.js';
import type { Places } from './places.js';
import { cleanEnvironment, run } from './run.js';
import type { Runner } from './runner.js';

export interface Launch {
  readonly places: Places;
  readonly programs: Programs;
  readonly runner: Runner;
  readonly sockets: string;
  readonly log: Log;
}

export interface Postmaster {
  readonly pid: number;
  readonly adopted: boolean;
  /** The folder of its socket. */
  readonly sockets: string;
  /** Settles when the process is gone, however it went. */
  readonly ended: Promise<void>;
  /** What it said last, newest at the end. */
  lastWords(): readonly string[];
  /** Ends it: first with a clean shutdown, and if that takes too long without one, which costs a recovery and no data. */
  stop(): Promise<void>;
}

/** Spawns a server; it may end again at once. */
export const spawnPostmaster = async (launch: Launch): Promise<Postmaster> => {
  const { programs, places, runner } = launch;
  const command = [...(await dieWithParent()), programs.postgres, ...settings(launch)];
  const child = spawn(command[0] ?? programs.postgres, command.slice(1), {
    cwd: places.folder,
    env: { ...cleanEnvironment, ...programs.environment },
    stdio: ['ignore', 'ignore', 'pipe', ...runner.inherited],
    detached: true, // else Ctrl-C would end it before the last writes
    ...runner.spawnAs,
  });
  child.unref();
  const words = keepWords(child, launch.log);
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      words.push(error.message);
      resolve();
    });
    // its own children may outlive a killed server and keep the pipe open: the last words are waited for, but not long
    child.once('exit', () => setTimeout(resolve, lastWordsMs));
    child.once('close', () => {
      resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    adopted: false,
    sockets: launch.sockets,
    ended,
    lastWords: () => words,
    stop: () => stopProcess(child.pid, ended, child),
  };
};

/** Takes over a server that another process left running. */
export const adoptPostmaster = (pid: number, sockets: string): Postmaster => {
  const ended = watchProcess(pid);
  return {
    pid,
    adopted: true,
    sockets,
    ended,
    lastWords: () => [],
    stop: () => stopProcess(pid, ended),
  };
};

const settings = ({ places, runner, sockets }: Launch): readonly string[] => [
  ...['-D', runner.see(places.cluster), '-k', sockets],
  ...Object.entries({
    listen_addresses: '',
    unix_socket_permissions: '0700',
    // a small disk suffices, and a recovery stays short
    max_wal_size: '256MB',
    // nothing is replicated from here: less log, and one process less
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    // no idle read workers
    io_method: 'sync',
    // what the system keeps of its files anyway need not be kept twice
    shared_buffers: '64MB',
    // tables that fill within seconds are known of before a minute has passed
    autovacuum_naptime: '15s',
    // statements and rows of the product do not belong in a log
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

const setpriv = '/usr/bin/setpriv';
let parentDeath: Promise<readonly string[]> | undefined;

/** Where the system has the means, a killed parent takes its server along, cleanly; elsewhere the next start adopts it. */
const dieWithParent = (): Promise<readonly string[]> => {
  const prefix = [setpriv, '--pdeathsig', 'SIGINT', '--'];
  parentDeath ??= run({
    file: setpriv,
    args: [...prefix.slice(1), 'true'],
    environment: {},
    cwd: '/',
  }).then(({ code }) => (code === 0 ? prefix : []));
  return parentDeath;
};

const keepWords = (child: ChildProcess, log: Log): string[] => {
  const words: string[] = [];
  if (!child.stderr) return words;
  // the pipe alone must not keep this process alive; a pipe of node is a socket, which can be told so
  (child.stderr as unknown as { unref(): void }).unref();
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (/\b(STATEMENT|DETAIL|CONTEXT): /.test(line)) return; // these quote what users wrote
    words.push(line);
    if (words.length > 20) words.shift();
    if (/\b(FATAL|PANIC|WARNING):/.test(line) && !/the database system is/.test(line))
      log.warn('database server says', { line });
    else log.debug('database server says', { line });
  });
  return words;
};

const lastWordsMs = 200;
const pollMs = 20;
const watchMs = 500;

const watchProcess = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await pause(watchMs, undefined, { ref: false });
};

/** How long a clean shutdown may take, then how long one without. */
const cleanStopMs = 8_000;
const quickStopMs = 4_000;

const stopProcess = async (
  pid: number | undefined,
  ended: Promise<void>,
  child?: ChildProcess,
): Promise<void> => {
  if (pid === undefined) return;
  child?.ref();
  for (const [signal, patienceMs] of [
    ['SIGINT', cleanStopMs],
    ['SIGQUIT', quickStopMs],
    ['SIGKILL', quickStopMs],
  ] as const) {
    send(pid, signal);
    if (await endsWithin(pid, ended, patienceMs)) return;
  }
};

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // gone already
  }
};

const endsWithin = async (
  pid: number,
  ended: Promise<void>,
  patienceMs: number,
): Promise<boolean> => {
  let over = false;
  void ended.then(() => (over = true));
  for (let waited = 0; waited < patienceMs; waited += pollMs) {
    if (over || !isAlive(pid)) return true;
    await pause(pollMs);
  }
  return false;
};
