// A real database and a real folder under the use-cases that a file of tests is about.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesystemBlob } from '#adapters/blob/filesystem/filesystem-blob';
import { systemLog } from '#adapters/system/log';
import type { Blob } from '#ports/blob';
import type { Storage } from '#ports/storage/storage';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';

/** The embedded storage, open before the first case of a file and closed after the last. */
export const embedded = (): (() => OpenedStorage) => {
  let opened: OpenedStorage | undefined;
  before('open the embedded storage', async () => {
    const result = await storageAdapters[0]?.open(); // the embedded one comes first
    if (result === undefined || 'missing' in result)
      throw new Error('the embedded storage does not open');
    opened = result;
  });
  after(async () => {
    await opened?.stop();
  });
  return () => {
    if (opened === undefined) throw new Error('it is not open');
    return opened;
  };
};

/** What the sweep of bytes needs besides them. */
export const queueing = ({ stores: { queueFaults } }: Storage) => ({
  faults: queueFaults,
  log: systemLog('silent'),
});

/** A folder of blobs, removed after the last case. */
export const folderOfBlobs = (): (() => Blob) => {
  let folder: string | undefined;
  let blob: Blob | undefined;
  before('make a folder', async () => {
    folder = await mkdtemp(join(tmpdir(), 'orrery-blobs-'));
    blob = await filesystemBlob({ folder });
  });
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  return () => {
    if (blob === undefined) throw new Error('it is not open');
    return blob;
  };
};
