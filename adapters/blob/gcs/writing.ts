import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredBlob } from '#ports/blob';
import { Failure } from '#ports/failure';
import { again } from '../streams/again.js';
import { hashing } from '../streams/hashing.js';
import { interruptible } from '../streams/interruptible.js';
import { gatherParts, type GatheredPart } from '../streams/parts.js';
import { readJson, readText, removeObject, type GcsConnection } from './client.js';
import { passes, failureOf } from './faults.js';

/** A multiple of 256 KiB, as GCS asks. */
const chunkBytes = 8 * 1024 * 1024;
/** How long a broken upload may hold up the answer that it is broken. */
const givingUpMs = 5000;
const unfinished = 308;
const cancelled = 499;

/** What GCS says of an object that it keeps. */
interface Kept {
  readonly size: string;
  /** MD5 in base64. */
  readonly md5Hash?: string;
}

type Ask = <T>(work: () => Promise<T>) => Promise<T>;

interface Writing {
  readonly connection: GcsConnection;
  readonly ask: Ask;
  readonly signal: AbortSignal;
}

/** Stores the source under the key: in one request when it is small, else in chunks of an upload that can be taken up again. Leaves nothing when it fails. */
export const writeBlob = async (
  connection: GcsConnection,
  key: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> => {
  const { place } = connection;
  const failing = new AbortController();
  const ask: Ask = async (work) => {
    try {
      return await again(work, passes, signal);
    } catch (thrown) {
      throw signal?.aborted === true ? signal.reason : failureOf(thrown, place, 'write');
    }
  };
  const writing: Writing = {
    connection,
    ask,
    signal: signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]),
  };
  const { stream, stored } = hashing(interruptible(source, signal));
  const md5 = createHash('md5');
  const gather = gatherParts(stream, () => chunkBytes);
  try {
    const first = await gather();
    md5.update(first.bytes);
    const more = async (): Promise<GatheredPart> => {
      const part = await gather();
      md5.update(part.bytes);
      return part;
    };
    const kept = first.last
      ? await sendWhole(writing, key, first.bytes)
      : await sendChunks(writing, key, first, more, failing);
    const whole = stored();
    await requireSame(writing, key, kept, { size: whole.size, md5: md5.digest('base64') });
    return whole;
  } finally {
    // Not awaited: a source that sends nothing would never answer.
    stream.return(undefined).catch(() => undefined);
  }
};

const uploadUrl = ({ endpoint, bucket }: GcsConnection, key: string, how: string): string =>
  `${endpoint}/upload/storage/v1/b/${bucket.name}/o?uploadType=${how}&name=${encodeURIComponent(key)}`;

const sendWhole = (
  { connection, ask, signal }: Writing,
  key: string,
  body: Buffer,
): Promise<Kept> =>
  ask(async () => {
    const headers = {
      'content-type': 'application/octet-stream',
      'x-goog-hash': `md5=${createHash('md5').update(body).digest('base64')}`,
    };
    return readJson<Kept>(
      await connection.send({
        method: 'POST',
        url: uploadUrl(connection, key, 'media'),
        headers,
        body,
        signal,
        expected: [200],
      }),
    );
  });

/** Begins an upload and gives its address, which is its own permission. */
const begin = async ({ connection, ask, signal }: Writing, key: string): Promise<string> => {
  const headers = {
    'content-type': 'application/json',
    'x-upload-content-type': 'application/octet-stream',
  };
  const { location } = await ask(async () => {
    const reply = await connection.send({
      method: 'POST',
      url: uploadUrl(connection, key, 'resumable'),
      headers,
      body: Buffer.from('{}'),
      signal,
      expected: [200, 201],
    });
    reply.resume();
    return reply.headers;
  });
  if (location === undefined)
    throw new Failure('unavailable', `${connection.place} gave no address for an upload`);
  return location;
};

/** Sends chunk by chunk, while the next one gathers. */
const sendChunks = async (
  writing: Writing,
  key: string,
  first: GatheredPart,
  more: () => Promise<GatheredPart>,
  failing: AbortController,
): Promise<Kept> => {
  const session = await begin(writing, key);
  try {
    let start = 0;
    for (let part = first; ;) {
      const sending = sendChunk(writing, session, part, start);
      const [kept, next] = await Promise.all([sending, part.last ? undefined : more()]);
      start += part.bytes.length;
      if (next === undefined) {
        if (kept === undefined)
          throw new Failure('unavailable', `${writing.connection.place} did not end the upload`);
        return kept;
      }
      part = next;
    }
  } catch (thrown) {
    failing.abort();
    await giveUp(writing.connection, session);
    throw thrown;
  }
};

interface Progress {
  /** How many bytes are there for good. */
  readonly reached: number;
  /** The object, once it is whole. */
  readonly kept?: Kept;
}

const progressOf = async (reply: Awaited<ReturnType<GcsConnection['send']>>): Promise<Progress> => {
  if (reply.statusCode !== unfinished)
    return { reached: Infinity, kept: await readJson<Kept>(reply) };
  await readText(reply);
  return { reached: Number(/-(\d+)$/.exec(reply.headers.range ?? '')?.[1] ?? -1) + 1 };
};

/** Sends one chunk until all of it is there; what did arrive of a try that broke off is not sent again. */
const sendChunk = async (
  { connection, ask, signal }: Writing,
  session: string,
  { bytes, last }: GatheredPart,
  start: number,
): Promise<Kept | undefined> => {
  const end = start + bytes.length;
  const put = async (range: string, body?: Buffer): Promise<Progress> =>
    progressOf(
      await connection.send({
        method: 'PUT',
        url: session,
        permitted: true,
        headers: { 'content-range': range },
        signal,
        expected: [200, 201, unfinished],
        ...(body === undefined ? {} : { body }),
      }),
    );
  let broken = false;
  return ask(async () => {
    let progress: Progress = { reached: start };
    if (broken) progress = await put('bytes */*');
    broken = true;
    while (progress.kept === undefined && progress.reached < end) {
      const { reached } = progress;
      if (reached < start)
        throw new Failure('unavailable', `${connection.place} lost bytes it had confirmed`);
      progress = await put(
        `bytes ${reached}-${end - 1}/${last ? end : '*'}`,
        bytes.subarray(reached - start),
      );
    }
    return progress.kept;
  });
};

/** A bucket is trusted only once it tells the right size and hash. */
const requireSame = async (
  { connection, ask }: Writing,
  key: string,
  kept: Kept,
  { size, md5 }: { readonly size: number; readonly md5: string },
): Promise<void> => {
  if (Number(kept.size) === size && (kept.md5Hash ?? md5) === md5) return;
  await ask(() => removeObject(connection, key));
  throw new Failure('unavailable', `${connection.place} kept other bytes than were sent`);
};

const giveUp = async ({ send }: GcsConnection, session: string): Promise<void> => {
  const late = new AbortController();
  const dropping = again(
    () =>
      send({
        method: 'DELETE',
        url: session,
        permitted: true,
        signal: late.signal,
        expected: [200, 204, 404, 410, cancelled],
      }),
    passes,
    late.signal,
  ).then(
    (reply) => {
      reply.resume();
    },
    () => undefined,
  );
  await Promise.race([dropping, wait(givingUpMs, undefined, { ref: false })]);
  late.abort();
};
