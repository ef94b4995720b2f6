// What the fake keeps: objects as files, with what the real service says of them.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CRC32C } from '@google-cloud/storage';

export interface StoredObject {
  readonly name: string;
  readonly bucket: string;
  readonly file: string;
  readonly size: number;
  /** Base64; absent for what was joined of parts. */
  readonly md5: string | undefined;
  readonly crc32c: string;
  readonly etag: string;
  readonly type: string;
  readonly generation: number;
}

let count = 0;
/** Greater than every one before. */
export const nextNumber = (): number => ++count;

export interface Received {
  readonly file: string;
  readonly size: number;
  readonly md5: string;
  readonly crc32c: string;
}

/** Writes a body to a file of its own. Rejects, and leaves no file, when it breaks off. */
export const receive = async (
  folder: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Received> => {
  const file = join(folder, `o${nextNumber()}`);
  const [md5, crc] = [createHash('md5'), new CRC32C()];
  let size = 0;
  const watch = new Transform({
    transform(bytes: Buffer, _, done) {
      md5.update(bytes);
      crc.update(bytes);
      size += bytes.length;
      done(null, bytes);
    },
  });
  try {
    await pipeline(body, watch, createWriteStream(file));
  } catch (thrown) {
    rmSync(file, { force: true });
    throw thrown;
  }
  return { file, size, md5: md5.digest('base64'), crc32c: crc.toString() };
};

/** Puts files together into a new one, which their bytes are read for once more. */
export const joinFiles = async (folder: string, files: readonly string[]): Promise<Received> => {
  async function* all(): AsyncGenerator<Uint8Array> {
    for (const file of files) yield* createReadStream(file);
  }
  return receive(folder, all());
};

/** The record of an object on the JSON interface. */
export const describe = ({
  name,
  bucket,
  size,
  md5,
  crc32c,
  etag,
  type,
  generation,
}: StoredObject) => ({
  kind: 'storage#object',
  id: `${bucket}/${name}/${generation}`,
  name,
  bucket,
  size: String(size),
  contentType: type,
  generation: String(generation),
  metageneration: '1',
  etag,
  crc32c,
  ...(md5 === undefined ? {} : { md5Hash: md5 }),
  timeCreated: new Date().toISOString(),
  updated: new Date().toISOString(),
  storageClass: 'STANDARD',
});
