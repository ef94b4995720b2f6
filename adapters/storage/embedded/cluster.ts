import { chmod, chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { Failure } from '#ports/failure';
import type { Programs } from './binaries.js';
import { giveTree } from './identity.js';
import type { Places } from './places.js';
import { run } from './run.js';
import type { Runner } from './runner.js';
import { requireRoom } from './space.js';

export const user = 'orrery';

/** Reads the password; `undefined` when none was made yet. */
export const readPassword = async (places: Places): Promise<string | undefined> => {
  const text = await readFile(places.password, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Failure(
      'forbidden',
      `${places.password} cannot be read by this user (${error.code ?? error.message})`,
      { cause: error },
    );
  });
  return text?.trim();
};

/**
 * Makes the cluster unless there is one, and sees that the existing one can be run: same major version, right owner, closed to others.
 * Rejects with `conflict` on another major version and `unavailable` when the disk is too full.
 */
export const prepareCluster = async (
  places: Places,
  programs: Programs,
  runner: Runner,
): Promise<void> => {
  const version = await readFile(`${places.cluster}/PG_VERSION`, 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (version === undefined) return makeCluster(places, programs, runner);
  if (Number(version) !== programs.major) {
    throw new Failure(
      'conflict',
      `data folder ${places.cluster} belongs to Postgres ${version.trim()} and the programs are Postgres ${String(programs.major)}`,
    );
  }
  await closeToOthers(places, runner);
};

const closeToOthers = async ({ cluster }: Places, { identity }: Runner): Promise<void> => {
  const { uid, mode } = await stat(cluster);
  if (identity && uid !== identity.uid) await giveTree(cluster, identity);
  if ((mode & 0o077) !== 0) await chmod(cluster, 0o700);
};

const makeCluster = async (places: Places, programs: Programs, runner: Runner): Promise<void> => {
  await requireRoom(places.folder);
  await rm(places.making, { recursive: true, force: true });
  await mkdir(places.making, { mode: 0o700 });
  if (runner.identity) await chown(places.making, runner.identity.uid, runner.identity.gid);
  const handed = await handPassword(places, runner);
  const { code, refused, output } = await run({
    file: programs.initdb,
    args: initArguments(runner.see(places.making), runner.see(handed)),
    environment: programs.environment,
    cwd: places.folder,
    runner,
  });
  await rm(handed, { force: true });
  if (code !== 0) {
    await rm(places.making, { recursive: true, force: true });
    throw new Failure(
      'unavailable',
      `the database could not be made in ${places.folder}: ${lastLine(output) ?? refused ?? 'initdb was ended'}`,
    );
  }
  await rename(places.making, places.cluster);
  await syncFolder(places.folder);
};

const initArguments = (folder: string, passwordFile: string): readonly string[] => [
  ...['-D', folder, '-U', user, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
  ...['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  // one call syncs the whole file system where it can; a walk over a thousand files takes longer than all the rest
  ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
];

/** Keeps a password for the application and leaves a copy for `initdb`, which may run as somebody else; answers with the copy's path. */
const handPassword = async (places: Places, { identity }: Runner): Promise<string> => {
  const password = randomBytes(24).toString('base64url');
  const handed = `${places.password}.initdb`;
  for (const path of [places.password, handed]) {
    await rm(path, { force: true });
    await writeFile(path, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  }
  if (identity) await chown(handed, identity.uid, identity.gid);
  return handed;
};

const lastLine = (output: string): string | undefined =>
  output
    .split('\n')
    .filter((line) => /error|fatal|panic/i.test(line))
    .at(0);

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
};
