// One process serves a data folder. The lock names it by pid and by when that pid began, since pids are used again.
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { Failure } from '#ports/failure';
import { readBeginning } from './processes.js';

export interface FolderLock {
  release(): Promise<void>;
}

/** Takes the lock at `path`, also from a holder that is gone. Rejects with `conflict`, naming the pid, when another process holds it. */
export const takeLock = async (path: string): Promise<FolderLock> => {
  const own = `${String(process.pid)} ${readBeginning(process.pid)}`;
  if (taken.has(path)) throw held(path, process.pid);
  taken.add(path);
  try {
    while (!(await claim(path, own))) await breakStale(path);
  } catch (error) {
    taken.delete(path);
    throw error;
  }
  return {
    release: async () => {
      taken.delete(path);
      await rm(path, { force: true });
    },
  };
};

/** Locks of this very process: the file cannot tell two of its own servers apart. */
const taken = new Set<string>();

const held = (path: string, pid: number) => new Failure('conflict', `another Orrery (pid ${String(pid)}) already serves ${path.replace(/\/lock$/, '')}`);

/** A link is made with its content whole, and only where none is. */
const claim = async (path: string, own: string): Promise<boolean> => {
  const draft = `${path}.${String(process.pid)}`;
  await writeFile(draft, own, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // rejections of node:fs carry a code
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

const breakStale = async (path: string): Promise<void> => {
  const seen = await read(path);
  if (seen === undefined) return;
  const [pid = '', ...beginning] = seen.split(' ');
  if (Number(pid) > 0 && beginning.join(' ') === readBeginning(Number(pid))) throw held(path, Number(pid));
  const aside = `${path}.${String(process.pid)}.stale`;
  await rename(path, aside).catch(() => undefined); // another start may have been quicker
  // what was moved may be the quicker one's fresh lock: then it goes back
  if ((await read(aside)) !== seen) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
};

const read = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
