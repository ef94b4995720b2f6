import { readFileSync } from 'node:fs';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { run } from './run.js';

/** Whether a process has this pid, be it ours or not; one that has ended and waits for its parent to notice counts as gone. */
export const isAlive = (pid: number): boolean => {
  const stat = readStat(pid);
  if (stat !== undefined) return !/^[ZX]/.test(stat);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // kill throws with a code
  }
};

/** What tells a live process from a later one of the same pid; `gone` when there is none. Elsewhere than on Linux a live pid is believed. */
export const readBeginning = (pid: number): string => {
  if (!isAlive(pid)) return 'gone';
  // the start time is the 20th field after the name
  const since = readStat(pid)?.split(' ')[19];
  return since === undefined ? 'alive' : `since ${since}`;
};

/** What Linux says of a process, from its state on: the name before it, in brackets, may hold spaces. */
const readStat = (pid: number): string | undefined => {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2);
  } catch {
    return undefined;
  }
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
  const asked = await run({
    file: 'ps',
    args: ['-o', 'comm=', '-p', String(pid)],
    environment: {},
    cwd: '/',
  });
  return asked.output.trim().split('/').at(-1) ?? '';
};
