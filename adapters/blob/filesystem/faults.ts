import { Failure } from '#ports/failure';

const sentences = new Map([
  ['ENOSPC', 'the folder of blobs has no room left'],
  ['EDQUOT', 'the folder of blobs has used up its quota'],
  ['EFBIG', 'the blob is larger than the file system takes'],
  ['EROFS', 'the folder of blobs is read-only'],
  ['EACCES', 'the folder of blobs may not be entered'],
  ['EPERM', 'the folder of blobs may not be changed'],
  ['EIO', 'the disk of the folder of blobs fails'],
  ['ESTALE', 'the folder of blobs is no longer mounted'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
]);

/** The code of a system call's error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** Awaits a call to the file system and rejects with `unavailable` where the disk is at fault; other errors fly as they are. */
export const onDisk = async <T>(call: Promise<T>): Promise<T> => {
  try {
    return await call;
  } catch (cause) {
    const sentence = sentences.get(codeOf(cause) ?? '');
    if (sentence === undefined) throw cause;
    throw new Failure('unavailable', sentence, { cause });
  }
};
