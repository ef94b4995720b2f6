import { mkdir, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import {
  requireBlobKey,
  resolveByteRange,
  type Blob,
  type BlobEntry,
  type OpenedBlob,
} from '#ports/blob';
import { Failure } from '#ports/failure';
import { codeOf, onDisk } from './faults.js';
import { nameIncoming, sweepIncoming } from './incoming.js';
import { layOut, locate } from './layout.js';
import { listBlobs } from './listing.js';
import { writeDurably } from './writing.js';

/** How many files are removed side by side. */
const removalsAtOnce = 16;

/**
 * Blobs as files below `folder`, which is made when missing. Sweeps what processes that died left half-written. Several
 * processes of one machine may share the folder. Rejects with `unavailable` when the folder cannot be used.
 */
export const filesystemBlob = async ({ folder }: { readonly folder: string }): Promise<Blob> => {
  const layout = layOut(folder);
  for (const path of [layout.blobs, layout.incoming])
    await onDisk(mkdir(path, { recursive: true, mode: 0o700 }));
  await onDisk(sweepIncoming(layout.incoming));
  return {
    put: async (key, source, { signal } = {}) => {
      requireBlobKey(key);
      signal?.throwIfAborted();
      return writeDurably(
        { incoming: nameIncoming(layout.incoming), ...locate(layout, key) },
        source,
        signal,
      );
    },
    open: async (key, { range, signal } = {}) => {
      requireBlobKey(key);
      signal?.throwIfAborted();
      const file = await onDisk(open(locate(layout, key).file, 'r')).catch(absentAs(key));
      return startReading(file, range, signal);
    },
    stat: async (key): Promise<BlobEntry> => {
      requireBlobKey(key);
      const found = await onDisk(stat(locate(layout, key).file)).catch(absentAs(key));
      return { key, size: found.size };
    },
    remove: async (keys) => {
      keys.forEach(requireBlobKey);
      for (let at = 0; at < keys.length; at += removalsAtOnce) {
        const some = keys.slice(at, at + removalsAtOnce);
        await Promise.all(some.map((key) => onDisk(rm(locate(layout, key).file, { force: true }))));
      }
    },
    list: async ({ prefix, after = '', limit }) => {
      if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
        throw new Failure('invalid', `limit ${limit} must be from 1 to 1000`);
      return listBlobs(layout, { prefix, after }, limit);
    },
  };
};

type Options = NonNullable<Parameters<Blob['open']>[1]>;

const startReading = async (
  file: FileHandle,
  range: Options['range'],
  signal: Options['signal'],
): Promise<OpenedBlob> => {
  try {
    const { size } = await onDisk(file.stat());
    const stream = file.createReadStream(range === undefined ? {} : resolveByteRange(range, size));
    // Whoever reads it hears of a fault by itself. One that is given up before anybody does, since its client has left, must not end the process.
    stream.on('error', () => undefined);
    return { size, stream: signal === undefined ? stream : addAbortSignal(signal, stream) };
  } catch (error) {
    await file.close();
    throw error;
  }
};

const absentAs =
  (key: string) =>
  (error: unknown): never => {
    if (codeOf(error) === 'ENOENT')
      throw new Failure('absent', `blob ${key} not found`, { cause: error });
    throw error;
  };
