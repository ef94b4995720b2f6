// Who implements the blob port, and how to open each: an empty folder or bucket of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesystemBlob } from '#adapters/blob/filesystem/filesystem-blob';
import { gcsBlob } from '#adapters/blob/gcs/gcs-blob';
import { s3Blob } from '#adapters/blob/s3/s3-blob';
import { asBlobStore, type BlobStore } from '#ports/blob-store';
import { makeGcsBucket, makeS3Bucket } from '#test/servers/buckets';
import { findServer, type MissingServer, type ServerKind } from '#test/servers/servers';

export interface OpenedStore {
  readonly store: BlobStore;
  stop(): Promise<void>;
}

export interface BlobAdapter {
  readonly name: string;
  /** Whether it offers links and joins parts; fake-gcs-server checks no signature, lets expired links pass and knows no parts. */
  readonly direct: boolean;
  /** What a large blob may take while it streams, in MiB: a bucket gathers parts of 8, two at a time. */
  readonly memoryMiB: number;
  /** An empty store; or one line that says what to install. */
  open(): Promise<OpenedStore | MissingServer>;
}

const onFilesystem: BlobAdapter = {
  name: 'a file system',
  direct: false,
  memoryMiB: 16,
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'orrery-blob-'));
    return {
      store: asBlobStore(await filesystemBlob({ folder })),
      stop: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

const onS3 = (kind: ServerKind, name: string): BlobAdapter => ({
  name,
  direct: true,
  memoryMiB: 24,
  async open() {
    const server = await findServer(kind);
    if ('missing' in server) return server;
    const bucket = await makeS3Bucket(server);
    return { store: await s3Blob(bucket.options), stop: () => bucket.remove() };
  },
});

const onGcs = (kind: ServerKind, name: string): BlobAdapter => ({
  name,
  direct: kind === 'gcs',
  memoryMiB: 24,
  async open() {
    const server = await findServer(kind);
    if ('missing' in server) return server;
    const bucket = await makeGcsBucket(server);
    return { store: await gcsBlob(bucket.options), stop: () => bucket.remove() };
  },
});

const isLong = process.env['ORRERY_TEST_LONG'] === '1';

/** Every adapter of the blob port; the long lane adds further servers. */
export const blobAdapters: readonly BlobAdapter[] = [
  onFilesystem,
  onS3('s3', 'S3'),
  onGcs('gcs', 'GCS'),
  ...(isLong ? [onS3('minio', 'MinIO'), onGcs('fakegcs', 'fake-gcs-server')] : []),
];
