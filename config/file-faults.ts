// What keeps a file or a folder that somebody named from being read or written, in words.
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure, isFailure } from '#ports/failure';

/** Why nothing can be written below a path, by the code of the fault. */
export const writeFaults: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in its place',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk is full',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its links lead in a circle',
};

const fileFaults: Readonly<Record<string, string>> = {
  ...writeFaults,
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
};

/** Whether a fault of the file system is about a path or what lies above or below it; one of writing names none. */
const isAbout = (file: string, path: unknown): boolean => {
  if (typeof path !== 'string') return true;
  const [one, other] = [resolve(file), resolve(path)];
  return other.startsWith(one) || one.startsWith(`${other}/`); // a draft has an ending more
};

/** The fault as a sentence that names the file, where it is one of reading or writing it; else as it came. */
const explainFile = (does: 'read' | 'written', file: string, thrown: unknown): unknown => {
  const { code, path } = Object(thrown) as { readonly code?: unknown; readonly path?: unknown }; // any object can be asked for members, which may be absent
  const why = typeof code === 'string' ? fileFaults[code] : undefined;
  if (isFailure(thrown) || why === undefined || !isAbout(file, path)) return thrown;
  return new Failure('forbidden', `${file} cannot be ${does}: ${why}`, { cause: thrown });
};

/** Does something with a file or folder. Rejects with `forbidden`, in a sentence that names it, where it cannot be read or written. */
export const withFile = async <T>(
  does: 'read' | 'written',
  file: string,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (thrown) {
    throw explainFile(does, file, thrown);
  }
};

/** Writes a file that is not there yet. Rejects with `conflict` where it is, and with `forbidden` where it cannot be written; no half of it stays. */
export const writeNewFile = async (bytes: Readable, file: string): Promise<void> => {
  await withFile('written', file, () =>
    pipeline(bytes, createWriteStream(file, { flags: 'wx' })).catch(
      async (thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'EEXIST')
          throw new Failure('conflict', `there is a file ${file} already`, { cause: thrown });
        await rm(file, { force: true });
        throw thrown;
      },
    ),
  );
};
