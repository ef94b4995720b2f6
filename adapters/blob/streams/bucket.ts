// What every bucket does alike: it holds keys and ranges against the rules before it asks, and tells faults in its own words.
import {
  requireBlobKey,
  resolveByteRange,
  type Blob,
  type ByteRange,
  type OpenedBlob,
} from '#ports/blob';
import type { ByteStream } from '#ports/bytes';
import { again } from './again.js';
import type { Doing } from './faults.js';

interface About {
  readonly key?: string;
  readonly signal?: AbortSignal | undefined;
}
/** Does something at the bucket, again where a fault passes; rejects with what the fault means. */
export type Ask = <T>(doing: Doing, work: () => Promise<T>, about?: About) => Promise<T>;

export interface BucketWords {
  /** Whether a fault passes by itself. */
  readonly passes: Parameters<typeof again>[1];
  /** What a fault means, as a `Failure` where it is not the caller's own. */
  failureOf(thrown: unknown, doing: Doing, key: string | undefined): unknown;
}

export const asking =
  ({ passes, failureOf }: BucketWords): Ask =>
  async (doing, work, { key, signal } = {}) => {
    try {
      return await again(work, passes, signal);
    } catch (thrown) {
      throw signal?.aborted === true ? signal.reason : failureOf(thrown, doing, key);
    }
  };

export interface BucketObjects {
  write(key: string, source: ByteStream, signal: AbortSignal | undefined): ReturnType<Blob['put']>;
  open(
    key: string,
    range: ByteRange | undefined,
    signal: AbortSignal | undefined,
  ): Promise<OpenedBlob>;
  sizeOf(key: string): Promise<number>;
}

/** The part of a bucket that is about one object. */
export const oneByOne = (
  ask: Ask,
  { write, open, sizeOf }: BucketObjects,
): Pick<Blob, 'put' | 'open' | 'stat'> => ({
  put: async (key, source, { signal } = {}) => {
    requireBlobKey(key);
    signal?.throwIfAborted();
    return write(key, source, signal);
  },
  open: async (key, { range, signal } = {}) => {
    requireBlobKey(key);
    signal?.throwIfAborted();
    // The ends of what is wrong with a range are told before the size is known.
    if (range !== undefined) resolveByteRange(range, Number.MAX_SAFE_INTEGER);
    return ask('read', () => open(key, range, signal), { key, signal });
  },
  stat: async (key) => {
    requireBlobKey(key);
    return { key, size: await ask('read', () => sizeOf(key), { key }) };
  },
});
