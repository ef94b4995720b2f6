// Where the tests of a laptop keep their files: in memory, since those of databases are many, and making and removing them is what a disk is slowest at.
import { chmod, mkdtemp, readFile, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '#adapters/storage/embedded/processes';

/** A disk in memory, as Linux has it. */
const memory = '/dev/shm';
/** Four times what the tests ever fill at once. */
const enough = 4 * 1024 ** 3;
const prefix = 'orrery-tests-';

/** A folder that goes with the process. */
export interface QuickFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes one; `undefined` where there is no such disk, no room on it, or nothing on it may be run. */
export const makeQuickFolder = async (): Promise<QuickFolder | undefined> => {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize < enough || !(await mayRun())) return undefined;
  await removeLeftovers();
  const path = await mkdtemp(join(memory, `${prefix}${String(process.pid)}-`));
  await chmod(path, 0o1777); // as temporary folders are: servers run as somebody else
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
};

const mayRun = async (): Promise<boolean> => {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  return mounts
    .split('\n')
    .some((line) => line.split(' ')[1] === memory && !line.includes('noexec'));
};

/** A process that was killed left its folder behind; one in which something is still mounted stays. */
const removeLeftovers = async (): Promise<void> => {
  for (const name of (await readdir(memory)).filter((one) => one.startsWith(prefix))) {
    const folder = join(memory, name);
    const { uid } = await stat(folder).catch(() => ({ uid: undefined }));
    if (uid === process.getuid?.() && !isAlive(Number(name.slice(prefix.length).split('-')[0])))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
};
