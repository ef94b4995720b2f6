import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredBlob } from '#ports/blob';
import { codeOf, onDisk } from './faults.js';
import { interruptible } from '../streams/interruptible.js';

export interface Target {
  /** Where the bytes gather. */
  readonly incoming: string;
  /** Folders of the file, outermost first. */
  readonly folders: readonly string[];
  readonly file: string;
}

/** Writes the source beside its place, syncs it, moves it there and syncs the folder; leaves nothing when any of it fails. */
export const writeDurably = async (
  target: Target,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> => {
  try {
    const stored = await writeFile(target.incoming, source, signal);
    signal?.throwIfAborted();
    await moveTo(target);
    await syncFolder(dirname(target.file));
    return stored;
  } catch (error) {
    await rm(target.incoming, { force: true });
    throw error;
  }
};

/** Almost always the folders are there already. */
const moveTo = async ({ incoming, folders, file }: Target): Promise<void> => {
  try {
    await rename(incoming, file);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') return onDisk(Promise.reject(thrown as Error)); // what the system's calls reject with
    await makeFolders(folders);
    await onDisk(rename(incoming, file));
  }
};

const writeFile = async (
  path: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> => {
  const file = await onDisk(open(path, 'wx', 0o600));
  try {
    const stored = await copy(source, file, signal);
    await onDisk(file.sync());
    return stored;
  } finally {
    await file.close();
  }
};

const copy = async (
  source: AsyncIterable<Uint8Array>,
  file: FileHandle,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> => {
  const hash = createHash('sha256');
  let size = 0;
  for await (const bytes of interruptible(source, signal)) {
    hash.update(bytes);
    size += bytes.length;
    await onDisk(file.appendFile(bytes));
  }
  return { size, sha256: hash.digest('hex') };
};

// A new folder lasts only once the one around it is synced.
const makeFolders = async (folders: readonly string[]): Promise<void> => {
  const innermost = folders.at(-1);
  if (innermost === undefined) return;
  const made = await onDisk(mkdir(innermost, { recursive: true, mode: 0o700 }));
  if (made === undefined) return;
  for (const folder of folders) await syncFolder(dirname(folder));
};

const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return; // folders cannot be synced there
  const folder = await onDisk(open(path, 'r'));
  try {
    await onDisk(folder.sync());
  } finally {
    await folder.close();
  }
};
