import { requireBlobKey, type Blob, type ByteRange, type OpenedBlob } from '#ports/blob';
import type { BlobStore } from '#ports/blob-store';
import { Failure } from '#ports/failure';
import { asking, oneByOne } from '../streams/bucket.js';
import { Silent } from '../streams/faults.js';
import { isOurs, requireLimit } from '../streams/keys.js';
import { readReply } from '../streams/reading.js';
import {
  askSize,
  connectGcs,
  readJson,
  removeObject,
  type GcsConnection,
  type GcsOptions,
} from './client.js';
import { passes, failureOf } from './faults.js';
import { gcsLinks } from './links.js';
import { gcsMultipart } from './multipart.js';
import { writeBlob } from './writing.js';

const removalsAtOnce = 16;

interface Listing {
  readonly items?: readonly { readonly name: string; readonly size: string }[];
  readonly nextPageToken?: string;
}

/**
 * Blobs as objects of a bucket of Google Cloud Storage. Looks into the bucket once, and rejects with `unavailable` and a sentence that
 * says which of endpoint, bucket, credentials or permission is wrong. Links and parts are offered when the account can sign.
 */
export const gcsBlob = async (options: GcsOptions): Promise<BlobStore> => {
  const connection = await connectGcs(options);
  const blob = objectsOf(connection);
  await blob.list({ prefix: '', limit: 1 });
  const links = gcsLinks(connection);
  // Tried, since a machine may lend an account that may not sign; nothing needs to lie under that key.
  const signs = await links.signGet('check/check', { seconds: 1 }).then(
    () => true,
    () => false,
  );
  return {
    blob,
    links: signs ? links : undefined,
    multipart: signs ? gcsMultipart(connection) : undefined,
  };
};

const objectsOf = (connection: GcsConnection): Blob => {
  const { place } = connection;
  const ask = asking({
    passes,
    failureOf: (thrown, doing, key) => failureOf(thrown, place, doing, key),
  });
  return {
    ...oneByOne(ask, {
      write: (key, source, signal) => writeBlob(connection, key, source, signal),
      open: (key, range, signal) => openBlob(connection, key, range, signal),
      sizeOf: (key) => askSize(connection, key),
    }),
    remove: async (keys) => {
      keys.forEach(requireBlobKey);
      for (let at = 0; at < keys.length; at += removalsAtOnce) {
        await ask('remove', () =>
          Promise.all(
            keys.slice(at, at + removalsAtOnce).map((key) => removeObject(connection, key)),
          ),
        );
      }
    },
    list: async ({ prefix, after = '', limit }) => {
      requireLimit(limit);
      // The start is among what is listed: of the signs of our keys the hyphen comes first, so nothing lies between.
      const words = new URLSearchParams({
        prefix,
        maxResults: String(limit),
        fields: 'items(name,size),nextPageToken',
        ...(after === '' ? {} : { startOffset: `${after}-` }),
      });
      const { items = [], nextPageToken: next } = await ask('list', async () =>
        readJson<Listing>(
          await connection.send({
            method: 'GET',
            url: `${connection.objectAt()}?${words.toString()}`,
            expected: [200],
          }),
        ),
      );
      const found = items.map(({ name, size }) => ({ key: name, size: Number(size) }));
      return {
        entries: found.filter(({ key }) => isOurs(key)),
        next: next === undefined ? undefined : found.at(-1)?.key,
      };
    },
  };
};

const openBlob = async (
  { objectAt, place, silenceMs, send }: GcsConnection,
  key: string,
  range: ByteRange | undefined,
  signal: AbortSignal | undefined,
): Promise<OpenedBlob> => {
  const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end ?? ''}` };
  const reply = await send({
    method: 'GET',
    url: `${objectAt(key)}?alt=media`,
    headers,
    signal,
    expected: [200, 206, 416],
  });
  if (reply.statusCode === 416 || (range !== undefined && reply.statusCode === 200)) {
    reply.destroy();
    throw new Failure(
      'invalid',
      `range ${range?.start ?? 0}-${range?.end ?? ''} must lie within the bytes of blob ${key}`,
    );
  }
  const size = Number(
    /\/(\d+)$/.exec(reply.headers['content-range'] ?? '')?.[1] ?? reply.headers['content-length'],
  );
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
