import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './lock.js';
import { run } from './run.js';

/** What `postmaster.pid` says of the server on a cluster. */
export interface PidFile {
  readonly pid: number;
  /** Absent while the server is only beginning. */
  readonly sockets: string | undefined;
}

/** Reads `postmaster.pid`: `undefined` without one, `empty` when it names nobody. */
export const readPidFile = async (cluster: string): Promise<PidFile | 'empty' | undefined> => {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const [pid = '', , , , sockets = ''] = text.split('\n');
  return Number(pid) > 0 ? { pid: Number(pid), sockets: sockets === '' ? undefined : sockets } : 'empty';
};

export const removePidFile = async (cluster: string): Promise<undefined> => {
  await rm(join(cluster, 'postmaster.pid'), { force: true });
};

/** Whether `pid` is a live Postgres that may be running on this cluster; after a crash the pid may be anybody's. */
export const servesCluster = async (pid: number, cluster: string): Promise<boolean> => {
  if (!isAlive(pid) || (await readName(pid)) !== 'postgres') return false;
  const at = await readlink(`/proc/${String(pid)}/cwd`).catch(() => undefined); // other users' cannot be read
  return at === undefined || at === (await realpath(cluster));
};

const readName = async (pid: number): Promise<string> => {
  const linux = await readFile(`/proc/${String(pid)}/comm`, 'utf8').catch(() => undefined);
  if (linux !== undefined) return linux.trim();
  const asked = await run({ file: 'ps', args: ['-o', 'comm=', '-p', String(pid)], environment: {}, cwd: '/' });
  return asked.output.trim().split('/').at(-1) ?? '';
};
