// The user that runs the database may be barred from the data folder by a closed parent (root's home is one).
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { SpawnOptions } from 'node:child_process';
import { Failure } from '#ports/failure';
import { findClosedFolder, type Identity } from './identity.js';

/** Who runs the database's programs, and by which paths they reach the data folder. */
export interface Runner {
  /** `undefined`: this process's own user. */
  readonly identity: Identity | undefined;
  /** Whether the data folder's own path is barred to that user. */
  readonly barred: boolean;
  /** A path as the programs must name it. */
  see(path: string): string;
  /** What every spawn of a program needs besides its own standard streams. */
  readonly inherited: readonly number[];
  readonly spawnAs: Pick<SpawnOptions, 'uid' | 'gid'>;
  close(): Promise<void>;
}

/** The programs' number of the first inherited handle. */
const handleNumber = 3;

/**
 * Opens the way for `identity`. Where a parent of the folder is closed to it, Linux lets a handle that was opened before stand for
 * the folder; elsewhere this rejects with `forbidden`, naming the closed one.
 */
export const openRunner = async (
  { folder }: { readonly folder: string },
  identity: Identity | undefined,
): Promise<Runner> => {
  const plain = {
    identity,
    barred: false,
    see: (path: string) => path,
    inherited: [],
    spawnAs: identity ?? {},
    close: () => Promise.resolve(),
  };
  const closed = identity && (await findClosedFolder(folder, identity));
  if (closed === undefined) return plain;
  if (process.platform !== 'linux') {
    throw new Failure(
      'forbidden',
      `folder ${closed} is closed to uid ${String(identity?.uid)}, which runs the database in ${folder}`,
    );
  }
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    ...plain,
    barred: true,
    see: (path) =>
      path === folder || path.startsWith(`${folder}/`)
        ? `/proc/self/fd/${String(handleNumber)}${path.slice(folder.length)}`
        : path,
    inherited: [handle.fd],
    close: () => handle.close(),
  };
};
