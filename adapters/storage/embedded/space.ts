// The disk's room, and the bytes held back so that a full one can still be opened for reading.
import { rm, stat, statfs, writeFile } from 'node:fs/promises';
import { Failure } from '#ports/failure';
import type { Places } from './places.js';

const megabyte = 1024 ** 2;

/** Bytes that this user may still write. */
export const measureRoom = async (
  folder: string,
): Promise<{ readonly free: number; readonly size: number }> => {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
};

const neededToMake = 200 * megabyte;

/** Rejects with `unavailable` when the disk is too full to make a database on. */
export const requireRoom = async (folder: string): Promise<void> => {
  const { free } = await measureRoom(folder);
  if (free >= neededToMake) return;
  throw new Failure(
    'unavailable',
    `the disk of ${folder} has ${String(Math.floor(free / megabyte))} MB free and the database needs 200 MB`,
  );
};

/** Below this the database cannot open its log: one segment of 16 MB, and a margin. */
export const neededToStart = 24 * megabyte;

/** Twice `max_wal_size`, or a tenth of a small disk: writes stop here, before the database stops by itself. */
export const isFull = ({ free, size }: { readonly free: number; readonly size: number }): boolean =>
  free < Math.min(512 * megabyte, Math.max(64 * megabyte, size / 10));

const ballastSize = 32 * megabyte;

/** The held bytes piece by piece, so that holding them back takes no such room in memory. */
const ballastPieces = function* (): Generator<Buffer> {
  const piece = Buffer.alloc(megabyte, 'orrery');
  for (let laid = 0; laid < ballastSize; laid += piece.length) yield piece;
};

/** Holds 32 MB back, if they are not needed; never rejects, since a server must not fail for it. */
export const layBallast = async (
  { folder, ballast }: Places,
  signal: AbortSignal,
): Promise<void> => {
  if (
    await stat(ballast).then(
      ({ size }) => size === ballastSize,
      () => false,
    )
  )
    return;
  const { free, size } = await measureRoom(folder).catch(() => ({ free: 0, size: 0 }));
  if (isFull({ free: free - 2 * ballastSize, size })) return;
  await writeFile(ballast, ballastPieces(), { mode: 0o600, signal }).catch(() =>
    rm(ballast, { force: true }),
  );
};

/** Gives the held bytes up; says whether there were any. */
export const dropBallast = ({ ballast }: Places): Promise<boolean> =>
  rm(ballast).then(
    () => true,
    () => false,
  );
