// Postgres refuses to run as root, so a server started by root runs as somebody else.
import { chown, lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '#ports/failure';

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const nobody: Identity = { uid: 65534, gid: 65534 };

/**
 * Who runs the database: `undefined` for this process's own user; for root the cluster's owner, or nobody.
 * Rejects with `forbidden` when the cluster belongs to another user than this one.
 */
export const chooseIdentity = async (cluster: string): Promise<Identity | undefined> => {
  const found = await stat(cluster).catch(() => undefined);
  const own = process.getuid?.();
  if (own === 0)
    return found === undefined || found.uid === 0 ? nobody : { uid: found.uid, gid: found.gid };
  if (found !== undefined && found.uid !== own) {
    throw new Failure(
      'forbidden',
      `data folder ${cluster} belongs to uid ${String(found.uid)} and this process runs as uid ${String(own)}`,
    );
  }
  return undefined;
};

/** Gives the whole tree at `path` to `owner`; links are given, not followed. */
export const giveTree = async (path: string, owner: Identity): Promise<void> => {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return;
  await chown(path, owner.uid, owner.gid);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) await giveTree(join(path, name), owner);
};

/** The nearest folder at or above `path` that `who` may not pass, by its mode; `undefined` when the way is open. */
export const findClosedFolder = async (
  path: string,
  who: Identity,
): Promise<string | undefined> => {
  const { mode, uid, gid } = await stat(path);
  const bit = uid === who.uid ? 0o100 : gid === who.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return path;
  return dirname(path) === path ? undefined : findClosedFolder(dirname(path), who);
};
