// Bytes through a bucket: the adapter beside the client library by itself, and what the server holds meanwhile.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gcsBlob } from '#adapters/blob/gcs/gcs-blob';
import { s3Blob } from '#adapters/blob/s3/s3-blob';
import type { Blob } from '#ports/blob';
import { makeGcsBucket, makeS3Bucket, type TestBucket } from '#test/servers/buckets';
import { forkFakeGcs } from '#test/servers/gcs/process';
import { findServer, stopServers } from '#test/servers/servers';
import { atLeast, atMost, mebibyte, round, type Figure, type Line } from './line.js';
import { passFile } from './memory.js';
import { withServer } from './server.js';

/** A file's bytes, as they come from a client. */
async function* bytesOf(size: number): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 7);
  for (let left = size; left > 0; left -= piece.length)
    yield Buffer.from(piece.subarray(0, Math.min(left, piece.length)));
}

const drain = async (stream: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const _ of stream);
};

/** The client library and the adapter, each by itself on one bucket. */
interface Sides {
  readonly name: string;
  readonly bucket: TestBucket<unknown>;
  readonly blob: Blob;
  put(key: string, size: number): Promise<void>;
  get(key: string): Promise<void>;
}

const onS3 = async (): Promise<Sides | string> => {
  const server = await findServer('s3');
  if ('missing' in server) return server.missing;
  const bucket = await makeS3Bucket(server);
  const { client, options } = bucket;
  return {
    name: `S3 (${server.name})`,
    bucket,
    blob: (await s3Blob(options)).blob,
    put: async (key, size) => {
      await client.putObject(
        options.bucket,
        key,
        Readable.from(bytesOf(size), { objectMode: false }),
        size,
      );
    },
    get: async (key) => drain(await client.getObject(options.bucket, key)),
  };
};

const onGcs = async (): Promise<Sides> => {
  const bucket = await makeGcsBucket(await fake());
  const { client, options } = bucket;
  const file = (key: string) => client.bucket(options.bucket).file(key);
  return {
    name: 'GCS (stand-in)',
    bucket,
    blob: (await gcsBlob(options)).blob,
    put: async (key, size) => {
      const [uri] = await file(key).createResumableUpload();
      await pipeline(
        Readable.from(bytesOf(size), { objectMode: false }),
        file(key).createWriteStream({ uri }),
      );
    },
    get: async (key) => drain(file(key).createReadStream()),
  };
};
let started: ReturnType<typeof forkFakeGcs> | undefined;
const fake = () => (started ??= forkFakeGcs());

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

/** The better of two tries of each, in turns, since the machine is shared; a bucket in memory holds few large files at a time. */
const race = async (
  sides: readonly [() => Promise<unknown>, () => Promise<unknown>],
  after: () => Promise<void> = async () => undefined,
): Promise<readonly [number, number]> => {
  const best: [number, number] = [Infinity, Infinity];
  for (const at of [0, 1, 0, 1] as const) {
    best[at] = Math.min(best[at], await secondsOf(sides[at]));
    await after();
  }
  return best;
};

const measure = async (
  { name, bucket, blob, put, get }: Sides,
  size: number,
): Promise<readonly Figure[]> => {
  const shown = `${size / mebibyte} MiB`;
  try {
    await blob.put('w1/warm', bytesOf(mebibyte));
    const remove = () => blob.remove(['w1/large']);
    const [sent, sentAlone] = await race(
      [() => blob.put('w1/large', bytesOf(size)), () => put('w1/large', size)],
      remove,
    );
    await blob.put('w1/large', bytesOf(size));
    const [read, readAlone] = await race([
      async () => drain((await blob.open('w1/large')).stream),
      () => get('w1/large'),
    ]);
    await remove();
    const passed = await withServer((server) => passFile(server, size), { env: bucket.settings });
    return [
      {
        what: `${shown} to ${name}, over the client library alone`,
        value: round(sentAlone / sent),
        sides: `${round(sent, 1)} s and ${round(sentAlone, 1)} s`,
        held: atLeast(0.8, sentAlone / sent),
      },
      {
        what: `${shown} from ${name}, over the client library alone`,
        value: round(readAlone / read),
        sides: `${round(read, 1)} s and ${round(readAlone, 1)} s`,
        held: atLeast(0.8, readAlone / read),
      },
      {
        what: `${shown} in and out on ${name}, MB over idle`,
        value: round(passed.over, 0),
        sides: passed.sides,
        held: atMost(64, passed.over),
      },
    ];
  } finally {
    await bucket.remove();
  }
};

export const bucketLine: Line = {
  name: 'bucket',
  async run({ quick }) {
    const size = (quick ? 256 : 1024) * mebibyte;
    try {
      const s3 = await onS3();
      const ofS3: readonly Figure[] =
        typeof s3 === 'string'
          ? [{ what: 'S3', value: 'not measured', sides: s3 }]
          : await measure(s3, size);
      return [...ofS3, ...(await measure(await onGcs(), size))];
    } finally {
      await (await started)?.stop();
      await stopServers();
    }
  },
};
