import { requireBlobKey, type Blob, type ByteRange, type OpenedBlob } from '#ports/blob';
import type { BlobStore } from '#ports/blob-store';
import { Failure } from '#ports/failure';
import { asking, oneByOne } from '../streams/bucket.js';
import { Silent } from '../streams/faults.js';
import { isOurs, requireLimit } from '../streams/keys.js';
import { readReply } from '../streams/reading.js';
import { connectS3, type S3Connection, type S3Options } from './client.js';
import { passes, failureOf } from './faults.js';
import { s3Links } from './links.js';
import { s3Multipart } from './multipart.js';
import { writeBlob } from './writing.js';

const removalsAtOnce = 1000;

/**
 * Blobs as objects of a bucket of S3 or of a server that speaks as it does. Looks into the bucket once, and rejects with
 * `unavailable` and a sentence that says which of endpoint, region, bucket, key or permission is wrong.
 */
export const s3Blob = async (options: S3Options): Promise<BlobStore> => {
  const connection = connectS3(options);
  const blob = objectsOf(connection);
  await blob.list({ prefix: '', limit: 1 });
  return { blob, links: s3Links(connection), multipart: s3Multipart(connection) };
};

const objectsOf = (connection: S3Connection): Blob => {
  const { bucket, place } = connection;
  const ask = asking({
    passes,
    failureOf: (thrown, doing, key) => failureOf(thrown, place, doing, key),
  });
  return {
    ...oneByOne(ask, {
      write: (key, source, signal) => writeBlob(connection, key, source, signal),
      open: (key, range, signal) => openBlob(connection, key, range, signal),
      sizeOf: async (key) => (await connection.client().statObject(bucket, key)).size,
    }),
    remove: async (keys) => {
      keys.forEach(requireBlobKey);
      for (let at = 0; at < keys.length; at += removalsAtOnce) {
        const left = await ask('remove', () =>
          connection.client().removeObjects(bucket, keys.slice(at, at + removalsAtOnce)),
        );
        if (left.length > 0)
          throw new Failure(
            'unavailable',
            `${place} did not remove ${left.length} of ${keys.length} blobs`,
          );
      }
    },
    list: async ({ prefix, after = '', limit }) => {
      requireLimit(limit);
      const page = await ask('list', () =>
        connection.client().listObjectsV2Query(bucket, prefix, '', '', limit, after),
      );
      const found = page.objects.flatMap(({ name, size }) =>
        name === undefined ? [] : [{ key: name, size }],
      );
      return {
        entries: found.filter(({ key }) => isOurs(key)),
        next: page.isTruncated ? found.at(-1)?.key : undefined,
      };
    },
  };
};

/** `bytes 3-6/10`: the last number is the whole size. */
const wholeSize = (header: string | undefined): number | undefined => {
  const size = /\/(\d+)$/.exec(header ?? '')?.[1];
  return size === undefined ? undefined : Number(size);
};

const openBlob = async (
  { client, bucket, place, silenceMs }: S3Connection,
  key: string,
  range: ByteRange | undefined,
  signal: AbortSignal | undefined,
): Promise<OpenedBlob> => {
  const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end ?? ''}` };
  const reply = await client(signal).makeRequestAsync(
    { method: 'GET', bucketName: bucket, objectName: key, headers },
    '',
    [200, 206, 416],
  );
  if (reply.statusCode === 416 || (range !== undefined && reply.statusCode === 200)) {
    reply.destroy();
    throw new Failure(
      'invalid',
      `range ${range?.start ?? 0}-${range?.end ?? ''} must lie within the bytes of blob ${key}`,
    );
  }
  const size = wholeSize(reply.headers['content-range']) ?? Number(reply.headers['content-length']);
  // From here on the reader's pace decides; how long the bucket may send nothing is watched while reading.
  reply.setTimeout(0);
  return {
    size,
    stream: readReply(reply, {
      silenceMs,
      signal,
      silent: () => new Silent(),
      failureOf: (thrown) => failureOf(thrown, place, 'read', key),
    }),
  };
};
