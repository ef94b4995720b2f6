import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'minio';
import { Failure, isFailure } from '#ports/failure';
import type { StoredBlob } from '#ports/blob';
import { again } from '../streams/again.js';
import { hashing } from '../streams/hashing.js';
import { interruptible } from '../streams/interruptible.js';
import type { S3Connection } from './client.js';
import { passes, translate } from './faults.js';
import { gatherParts, sizeOfPart } from './parts.js';

/** How long a broken upload may hold up the answer that it is broken. */
const givingUpMs = 5000;

interface Sent {
  readonly part: number;
  readonly etag: string;
}

/** Stores the source under the key: in one request when it is small, else in parts that appear together. Leaves nothing when it fails. */
export const writeBlob = async (connection: S3Connection, key: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<StoredBlob> => {
  const { bucket, place } = connection;
  const client = connection.client(signal);
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await again(work, passes, signal);
    } catch (thrown) {
      throw signal?.aborted === true ? signal.reason : translate(thrown, place, 'write');
    }
  };
  const { stream, stored } = hashing(interruptible(source, signal));
  const gather = gatherParts(stream);
  try {
    const first = await gather();
    if (first.length < sizeOfPart(1)) {
      await ask(() => client.putObject(bucket, key, first));
      return stored();
    }
    const upload = await ask(() => client.initiateNewMultipartUpload(bucket, key, {}));
    try {
      const sent = await sendParts(connection, { client, key, upload, first, gather, ask });
      const whole = stored();
      await ask(() => complete(connection, client, { key, upload, sent, size: whole.size }));
      return whole;
    } catch (thrown) {
      await giveUp(connection, key, upload);
      throw thrown;
    }
  } finally {
    // Not awaited: a source that keeps silent would never answer.
    stream.return(undefined).catch(() => undefined);
  }
};

interface Sending {
  readonly client: Client;
  readonly key: string;
  readonly upload: string;
  readonly first: Buffer;
  readonly gather: () => Promise<Buffer>;
  readonly ask: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Sends part by part, while the next one gathers. */
const sendParts = async ({ bucket, secure }: S3Connection, { client, key, upload, first, gather, ask }: Sending): Promise<readonly Sent[]> => {
  const sent: Sent[] = [];
  for (let [bytes, number] = [first, 1]; bytes.length > 0; number++) {
    // In the clear the signature covers the hash of the body; over TLS the library leaves it out.
    const headers = secure ? { 'content-md5': createHash('md5').update(bytes).digest('base64') } : {};
    const config = { bucketName: bucket, objectName: key, uploadID: upload, partNumber: number, headers };
    const part = bytes;
    const [reply, next] = await Promise.all([ask(() => client.uploadPart(config, part)), gather()]);
    sent.push({ part: number, etag: reply.etag });
    bytes = next;
  }
  return sent;
};

interface Ending {
  readonly key: string;
  readonly upload: string;
  readonly sent: readonly Sent[];
  readonly size: number;
}

/** Joins the parts, and trusts the bucket only once it tells the right size. */
const complete = async (connection: S3Connection, client: Client, { key, upload, sent, size }: Ending): Promise<void> => {
  const { bucket, place } = connection;
  try {
    await client.completeMultipartUpload(bucket, key, upload, [...sent]);
  } catch (thrown) {
    // A reply that was lost: the upload was completed all the same, which the size will tell.
    const failure = translate(thrown, place, 'write');
    if (!isFailure(failure) || failure.kind !== 'absent') throw thrown;
  }
  const found = await client.statObject(bucket, key);
  if (found.size === size) return;
  await client.removeObject(bucket, key);
  throw new Failure('unavailable', `${place} kept ${found.size} of ${size} bytes`);
};

const giveUp = async (connection: S3Connection, key: string, upload: string): Promise<void> => {
  const late = new AbortController();
  const dropping = again(() => connection.client(late.signal).abortMultipartUpload(connection.bucket, key, upload), passes, late.signal).catch(() => undefined);
  await Promise.race([dropping, wait(givingUpMs, undefined, { ref: false })]);
  late.abort();
};
