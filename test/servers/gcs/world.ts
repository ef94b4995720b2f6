// What all handlers of the fake share, and what holds for every way of sending an object.
import { rmSync } from 'node:fs';
import { Refusal } from './exchange.js';
import { nextNumber, type Received, type StoredObject } from './objects.js';

export interface Bucket {
  readonly name: string;
  readonly objects: Map<string, StoredObject>;
}

/** What all handlers share. */
export interface World {
  readonly buckets: Map<string, Bucket>;
  readonly folder: string;
}

export const requireBucket = ({ buckets }: World, name: string): Bucket => {
  const bucket = buckets.get(name);
  if (bucket === undefined)
    throw new Refusal(404, 'notFound', 'The specified bucket does not exist.');
  return bucket;
};

/** A condition that does not hold ends the request. */
export const checkGeneration = (url: URL, object: StoredObject | undefined): void => {
  const wanted = url.searchParams.get('ifGenerationMatch');
  if (wanted !== null && Number(wanted) !== (object?.generation ?? 0))
    throw new Refusal(
      412,
      'conditionNotMet',
      'At least one of the pre-conditions you specified did not hold.',
    );
};

export interface Given {
  readonly name: string;
  readonly contentType?: string;
  readonly md5Hash?: string;
  readonly crc32c?: string;
}

/** Keeps what was received as an object, unless the client said other hashes. */
export const keep = (
  bucket: Bucket,
  { name, contentType, md5Hash, crc32c }: Given,
  received: Received,
  hashes: string | undefined,
): StoredObject => {
  const said = new Map(
    (hashes ?? '')
      .split(',')
      .filter((one) => one !== '')
      .map((one) => [one.slice(0, one.indexOf('=')).trim(), one.slice(one.indexOf('=') + 1)]),
  );
  const [md5, crc] = [said.get('md5') ?? md5Hash, said.get('crc32c') ?? crc32c];
  if (
    (md5 !== undefined && md5 !== received.md5) ||
    (crc !== undefined && crc !== received.crc32c)
  ) {
    rmSync(received.file, { force: true });
    throw new Refusal(400, 'invalid', 'Provided hash does not match the bytes that were received.');
  }
  const before = bucket.objects.get(name);
  const generation = nextNumber();
  const object: StoredObject = {
    name,
    bucket: bucket.name,
    ...received,
    etag: Buffer.from(received.md5, 'base64').toString('hex'),
    type: contentType ?? 'application/octet-stream',
    generation,
  };
  bucket.objects.set(name, object);
  if (before !== undefined) rmSync(before.file, { force: true });
  return object;
};
