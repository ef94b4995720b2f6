// Folders, servers and questions for the cases of this folder; everything opened here is ended by `sweep`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, type ClientConfig } from 'pg';
import type { Log } from '#ports/log';
import { isAlive } from '#adapters/storage/embedded/processes';
import {
  startEmbedded,
  type EmbeddedOptions,
  type EmbeddedPostgres,
} from '#adapters/storage/embedded/supervisor';

const folders: string[] = [];
const servers: EmbeddedPostgres[] = [];
const owners: (() => Promise<void>)[] = [];

/** A folder of its own for a database, not made yet, under one that everybody may pass. */
export const makeFolder = (name = 'postgres'): string => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-')));
  chmodSync(parent, 0o755);
  folders.push(parent);
  return join(parent, name);
};

export const silent: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** Starts a server that `sweep` ends, should the case not. */
export const open = async (
  folder: string,
  options: Partial<EmbeddedOptions> = {},
): Promise<EmbeddedPostgres> => {
  const server = await startEmbedded({ folder, log: silent, ...options });
  servers.push(server);
  return server;
};

/** Ends every server, then does what else is to be done before the folders go, and removes every folder. */
export const sweep = async (between: () => void = () => undefined): Promise<void> => {
  for (const end of owners.splice(0)) await end();
  for (const server of servers.splice(0)) await server.stop();
  between();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

/** The rows of one statement, over a connection of its own. */
export const ask = async (
  { connection }: { readonly connection: ClientConfig },
  sql: string,
): Promise<readonly unknown[]> => {
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

/** The pid of the server on a folder, as its own file names it. */
export const serverPid = (folder: string): number =>
  Number(readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);

export const isGone = (pid: number): boolean => !isAlive(pid);

export interface Owner {
  readonly pid: number;
  /** What it said first. */
  readonly said: {
    readonly connection?: ClientConfig;
    readonly started?: boolean;
    readonly kind?: string;
    readonly message?: string;
  };
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Another process that serves `folder`, as the user given; it has started, or has said why not. */
export const startOwner = async (
  folder: string,
  {
    through = [],
    ...user
  }: {
    readonly uid?: number;
    readonly gid?: number;
    /** A program that runs the process, with its arguments. */ readonly through?: readonly string[];
  } = {},
): Promise<Owner> => {
  const [program = process.execPath, ...words] = [
    ...through,
    process.execPath,
    fileURLToPath(new URL('owner.js', import.meta.url)),
    folder,
  ];
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'], ...user });
  const ended = once(child, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  owners.push(() => end('SIGKILL'));
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended,
  ])) as [unknown]; // both events carry one value or more
  return { pid: child.pid ?? 0, said: JSON.parse(String(line)) as Owner['said'], end }; // the other side writes this shape
};
