import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'minio';
import { Failure, isFailure } from '#ports/failure';
import type { StoredBlob } from '#ports/blob';
import { again } from '../streams/again.js';
import { hashing } from '../streams/hashing.js';
import { interruptible } from '../streams/interruptible.js';
import { gatherParts, type GatheredPart } from '../streams/parts.js';
import type { S3Connection } from './client.js';
import { passes, failureOf } from './faults.js';

const mebibyte = 1024 * 1024;
/** Bytes of a part: 8 MiB, doubled after every 2,500 parts, so that the 10,000 that S3 takes hold 290 GiB. */
const sizeOfPart = (number: number): number => 8 * mebibyte * 2 ** Math.floor((number - 1) / 2500);

/** How long a broken upload may hold up the answer that it is broken. */
const givingUpMs = 5000;

interface Sent {
  readonly part: number;
  readonly etag: string;
}

/** Stores the source under the key: in one request when it is small, else in parts that appear together. Leaves nothing when it fails. */
export const writeBlob = async (
  connection: S3Connection,
  key: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> => {
  const { bucket, place } = connection;
  // What is still on its way when another step fails must not arrive after the upload was dropped.
  const failing = new AbortController();
  const client = connection.client(
    signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]),
  );
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await again(work, passes, signal);
    } catch (thrown) {
      throw signal?.aborted === true ? signal.reason : failureOf(thrown, place, 'write');
    }
  };
  const { stream, stored } = hashing(interruptible(source, signal));
  const gather = gatherParts(stream, sizeOfPart);
  try {
    const first = await gather();
    if (first.last) {
      await ask(() => client.putObject(bucket, key, first.bytes));
      return stored();
    }
    const upload = await ask(() => client.initiateNewMultipartUpload(bucket, key, {}));
    try {
      const sent = await sendParts(connection, { client, key, upload, first, gather, ask });
      const whole = stored();
      await ask(() => complete(connection, client, { key, upload, sent, size: whole.size }));
      return whole;
    } catch (thrown) {
      failing.abort();
      await giveUp(connection, key, upload);
      throw thrown;
    }
  } finally {
    // Not awaited: a source that sends nothing would never answer.
    stream.return(undefined).catch(() => undefined);
  }
};

interface Sending {
  readonly client: Client;
  readonly key: string;
  readonly upload: string;
  readonly first: GatheredPart;
  readonly gather: () => Promise<GatheredPart>;
  readonly ask: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Sends part by part, while the next one gathers. */
const sendParts = async (
  { bucket, secure }: S3Connection,
  { client, key, upload, first, gather, ask }: Sending,
): Promise<readonly Sent[]> => {
  const sent: Sent[] = [];
  for (let [number, { bytes, last }] = [1, first]; ; number++) {
    // In the clear the signature covers the hash of the body; over TLS the library leaves it out.
    const headers = secure
      ? { 'content-md5': createHash('md5').update(bytes).digest('base64') }
      : {};
    const config = {
      bucketName: bucket,
      objectName: key,
      uploadID: upload,
      partNumber: number,
      headers,
    };
    const part = bytes;
    const [reply, next] = await Promise.all([
      ask(() => client.uploadPart(config, part)),
      last ? undefined : gather(),
    ]);
    sent.push({ part: number, etag: reply.etag });
    if (next === undefined) return sent;
    ({ bytes, last } = next);
  }
};

interface Ending {
  readonly key: string;
  readonly upload: string;
  readonly sent: readonly Sent[];
  readonly size: number;
}

/** Joins the parts, and trusts the bucket only once it tells the right size. */
const complete = async (
  connection: S3Connection,
  client: Client,
  { key, upload, sent, size }: Ending,
): Promise<void> => {
  const { bucket, place } = connection;
  try {
    await client.completeMultipartUpload(bucket, key, upload, [...sent]);
  } catch (thrown) {
    // A reply that was lost: the upload was completed all the same, which the size will tell.
    const failure = failureOf(thrown, place, 'write');
    if (!isFailure(failure) || failure.kind !== 'absent') throw thrown;
  }
  const found = await client.statObject(bucket, key);
  if (found.size === size) return;
  await client.removeObject(bucket, key);
  throw new Failure('unavailable', `${place} kept ${found.size} of ${size} bytes`);
};

const giveUp = async (connection: S3Connection, key: string, upload: string): Promise<void> => {
  const late = new AbortController();
  const dropping = again(
    () => connection.client(late.signal).abortMultipartUpload(connection.bucket, key, upload),
    passes,
    late.signal,
  ).catch(() => undefined);
  await Promise.race([dropping, wait(givingUpMs, undefined, { ref: false })]);
  late.abort();
};
