// Starts programs that must not outlive this process, each in its own folder below one temporary folder.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '#adapters/storage/embedded/processes';

/** Rejection of a start that needs something this machine lacks; the message says what to do about it. */
export class NotInstalled extends Error {}

/** A running program: its log is `log` in `folder`. */
export interface Launched {
  readonly name: string;
  readonly pid: number;
  readonly folder: string;
  /** How it ended, once it has. */
  ended(): string | undefined;
  /** The last lines it wrote. */
  tail(): string;
  /** Asks it to end by its own signal, insists after ten seconds, and resolves when it is gone. May be repeated. */
  stop(): Promise<void>;
}

export interface LaunchOptions {
  readonly name: string;
  readonly program: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The signal that makes it end cleanly; `SIGTERM` when left out. */
  readonly signal?: 'SIGTERM' | 'SIGINT';
}

const folderPrefix = 'orrery-test-';
const asRoot = process.getuid?.() === 0;
const unprivileged = asRoot ? { uid: 65534, gid: 65534 } : {};
const children = new Map<ChildProcess, Launched>();
let root: string | undefined;

/** Where what is slow to fetch is kept between runs. */
export const cacheFolder = (): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'orrery-test');

/** Twenty-four hexadecimal digits nobody else knows. */
export const makeSecret = (): string => randomBytes(12).toString('hex');

/** Ports that systems give to nobody who asks for any, so that only another caller of ours could take one before its server listens there. */
const [firstPort, lastPort] = [18_000, 32_000];
const portAttempts = 50;

/** A loopback port that was free a moment ago. */
export const findFreePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < portAttempts; attempt++) {
    const port = randomInt(firstPort, lastPort);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer().once('error', () => {
        resolve(false);
      });
      probe.listen(port, '127.0.0.1', () => {
        probe.close(() => {
          resolve(true);
        });
      });
    });
    if (isFree) return port;
  }
  throw new Error('no port is free');
};

/** The full path of a program on the search path or in the system's folders. */
export const findProgram = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(':'), '/usr/local/sbin', '/usr/sbin', '/sbin']
    .map((folder) => join(folder, name))
    .find(isRunnable);

const isRunnable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Makes a folder below the temporary folder of this process that the started programs own. */
export const makeFolder = (...names: readonly string[]): string => {
  const folder = join(temporaryRoot(), ...names);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  giveAway(folder);
  return folder;
};

/** Writes a file only the started programs can read. */
export const writeOwnFile = (path: string, text: string): void => {
  writeFileSync(path, text, { mode: 0o600 });
  giveAway(path);
};

const giveAway = (path: string): void => {
  if (asRoot) chownSync(path, 65534, 65534);
};

const temporaryRoot = (): string => {
  if (root !== undefined) return root;
  removeLeftovers();
  root = mkdtempSync(join(tmpdir(), folderPrefix));
  chmodSync(root, 0o711);
  writeFileSync(join(root, 'owner'), String(process.pid));
  process.once('exit', endAtOnce);
  return root;
};

/** A process that was killed could not clean up; its programs died with it, its folder did not. */
const removeLeftovers = (): void => {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
    const folder = join(tmpdir(), name);
    try {
      if (
        statSync(folder).uid === process.getuid?.() &&
        !isAlive(Number(readFileSync(join(folder, 'owner'), 'utf8')))
      )
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // Being made or removed by another process at this moment: not ours to judge.
    }
  }
};

/** The last resort at exit, where nothing can be awaited. */
const endAtOnce = (): void => {
  for (const child of children.keys()) child.kill('SIGKILL');
  if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
};

/** A folder of programs as the started programs can reach it: itself, or a copy when it is closed to them. */
export const makeReachable = async (folder: string, name: string): Promise<string> => {
  if (!asRoot) return folder;
  try {
    await runToEnd('/bin/sh', ['-c', 'test -x "$0" && ls "$0" >/dev/null', folder]);
    return folder;
  } catch {
    const copy = join(temporaryRoot(), `programs-${name}`);
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }
};

export interface RunOptions {
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a program to its end, unprivileged, and resolves with what it printed. Rejects with the tail of its output. */
export const runToEnd = (
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> => runAs(unprivileged, program, args, options);

/** The same with the rights of this process, for what it may do itself. */
export const runHere = (
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> => runAs({}, program, args, options);

const runAs = (
  rights: { readonly uid?: number; readonly gid?: number },
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.folder ?? '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.environment },
      ...rights,
    });
    const printed: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => printed.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      const text = Buffer.concat(printed).toString();
      if (code === 0) resolve(text);
      else
        reject(
          new Error(
            `${basename(program)} ended with ${String(code)}: ${text.trim().split('\n').slice(-4).join(' | ')}`,
          ),
        );
    });
  });

/** Starts a program that ends when this process does, however this process ends. */
export const launch = (options: LaunchOptions): Launched => {
  const signal = options.signal ?? 'SIGTERM';
  const log = join(options.folder, `${options.name}.log`);
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;
  const [program, args] =
    setpriv === undefined
      ? [options.program, options.arguments]
      : [setpriv, ['--pdeathsig', signal, options.program, ...options.arguments]];
  const file = openSync(log, 'a');
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: options.folder,
    TMPDIR: options.folder,
    LANG: 'C.UTF-8',
    ...options.environment,
  };
  // Its own process group, so that an interrupt typed at the terminal reaches the servers after the tests, not before.
  const child = spawn(program, args, {
    cwd: options.folder,
    stdio: ['ignore', file, file],
    env: environment,
    detached: true,
    ...unprivileged,
  });
  closeSync(file);
  child.unref();
  return watch(child, options, log, signal);
};

const watch = (
  child: ChildProcess,
  { name, folder }: LaunchOptions,
  log: string,
  signal: NodeJS.Signals,
): Launched => {
  let end: string | undefined;
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => resolve(void (end = error.message)));
    child.once('exit', (code, by) => resolve(void (end = `ended with ${String(code ?? by)}`)));
  }).then(() => void children.delete(child));
  const launched: Launched = {
    name,
    pid: child.pid ?? 0,
    folder,
    ended: () => end,
    tail: () => readFileSync(log, 'utf8').trim().split('\n').slice(-5).join(' | '),
    stop: () => stop(child, gone, signal),
  };
  children.set(child, launched);
  return launched;
};

const stop = async (
  child: ChildProcess,
  gone: Promise<void>,
  signal: NodeJS.Signals,
): Promise<void> => {
  if (!children.has(child)) return;
  child.ref();
  child.kill(signal);
  const insist = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(insist);
};

/** Asks until `probe` stops rejecting, and resolves with its answer. Rejects when the program ends or the time is over. */
export const waitUntilReady = async <T>(
  launched: Launched,
  probe: () => Promise<T>,
  seconds = 60,
): Promise<T> => {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    if (launched.ended() !== undefined)
      throw new Error(`${launched.name} ${String(launched.ended())}: ${launched.tail()}`);
    try {
      return await probe();
    } catch (error) {
      if (Date.now() > deadline)
        throw new Error(
          `${launched.name} was not ready in ${String(seconds)} s: ${launched.tail()}`,
          { cause: error },
        );
    }
    await wait(25);
  }
};

/** Ends every program started here and removes the temporary folder. May be repeated. */
export const stopAll = async (): Promise<void> => {
  await Promise.all([...children.values()].map((launched) => launched.stop()));
  if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  process.off('exit', endAtOnce);
  root = undefined;
};
