import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What `postmaster.pid` says of the server on a cluster. */
export interface PidFile {
  readonly pid: number;
  /** Absent while the server is only beginning. */
  readonly sockets: string | undefined;
}

/** Reads `postmaster.pid`: `undefined` without one, `empty` when it names nobody. */
export const readPidFile = async (cluster: string): Promise<PidFile | 'empty' | undefined> => {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (text === undefined) return undefined;
  const [pid = '', , , , sockets = ''] = text.split('\n');
  return Number(pid) > 0
    ? { pid: Number(pid), sockets: sockets === '' ? undefined : sockets }
    : 'empty';
};

export const removePidFile = async (cluster: string): Promise<undefined> => {
  await rm(join(cluster, 'postmaster.pid'), { force: true });
};
