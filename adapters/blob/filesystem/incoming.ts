// Files being written. Their names say which process writes them, so that those of a process that died can be told and swept.
import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { codeOf } from './faults.js';

const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');
const startedAt = Math.round(performance.timeOrigin);
const dayMs = 24 * 60 * 60 * 1000;
const nameRule = /^(?<host>[A-Za-z0-9-]+)_(?<pid>\d+)_(?<startedAt>\d+)_[0-9a-f-]+$/;

/** A path in the folder that no one else uses. */
export const nameIncoming = (folder: string): string =>
  join(folder, `${host}_${process.pid}_${startedAt}_${randomUUID()}`);

/** Removes what processes of this machine that have ended left behind, and whatever no one has written to for a day. */
export const sweepIncoming = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (isOrphaned(name) || (await isOld(path))) await rm(path, { force: true });
  }
};

const isOrphaned = (name: string): boolean => {
  const writer = nameRule.exec(name)?.groups;
  if (writer === undefined || writer['host'] !== host) return false;
  const pid = Number(writer['pid']);
  // In a container the next process often gets the same number; its start tells them apart.
  return pid === process.pid ? Number(writer['startedAt']) !== startedAt : !isAlive(pid);
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
};

const isOld = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined); // gone meanwhile: its writer was alive
  return found !== undefined && Date.now() - found.mtimeMs > dayMs;
};
