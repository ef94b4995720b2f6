import type { ByteStream } from './bytes.js';
import { Failure } from './failure.js';
import { port } from './port.js';

/** What was stored. */
export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** One blob as a listing shows it. */
export interface BlobEntry {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

export interface BlobPage {
  /** In ascending order of their keys, compared by character codes. */
  readonly entries: readonly BlobEntry[];
  /** What to hand in as `after` for the following page; `undefined` on the last one. */
  readonly next: string | undefined;
}

/** Bytes counted from 0, both ends included. `end` is cut to the last byte, and is the last byte when left out. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number;
}

export interface OpenedBlob {
  /** Bytes of the whole blob, whatever the range. */
  readonly size: number;
  /** The bytes asked for. The caller reads it to its end, or leaves the loop early, which gives back what it holds. */
  readonly stream: ByteStream;
}

/**
 * Bytes by key. Keys are made by the server as `<workspace id>/<asset id>`, see `requireBlobKey`; every method rejects with
 * `invalid` for any other key, and with `unavailable` when the store cannot be reached, refuses, or has no room.
 */
export interface Blob {
  /**
   * Stores all bytes of the source under the key, replacing what was there. Nothing becomes visible before all of it is kept
   * durably: readers see the old bytes, or none, until then. Of concurrent calls for one key the last to finish stays, whole.
   * The source is read as fast as it is stored, never gathered in memory. When it fails, its own error comes back; when
   * `signal` aborts, the signal's reason; in either case nothing is left. May be repeated.
   */
  put(
    key: string,
    source: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<StoredBlob>;

  /**
   * Opens a blob for reading, from a range of it when one is given. Rejects with `absent`, and with `invalid` for a range that
   * starts at or beyond the end or ends before it starts. When `signal` aborts, reading rejects and what it holds is given back.
   */
  open(
    key: string,
    options?: { readonly range?: ByteRange; readonly signal?: AbortSignal },
  ): Promise<OpenedBlob>;

  /** The size of a blob; rejects with `absent`. */
  stat(key: string): Promise<BlobEntry>;

  /** Removes blobs, any number of them; one that is missing is no fault. May be repeated. */
  remove(keys: readonly string[]): Promise<void>;

  /**
   * Up to `limit` (1 to 1,000) blobs whose key starts with `prefix` (any text, empty for all) and comes after `after`; for
   * audits. What is stored or removed meanwhile may or may not show.
   */
  list(options: {
    readonly prefix: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<BlobPage>;
}
export const Blob = port<Blob>('blob');

const keyRule = /^[A-Za-z0-9-]{1,100}\/[A-Za-z0-9-]{1,100}$/;

/** Lets a key of two segments of letters, digits and hyphens pass, 1 to 100 characters each; throws `invalid` for any other. */
export const requireBlobKey = (key: string): void => {
  if (!keyRule.test(key))
    throw new Failure(
      'invalid',
      `blob key ${JSON.stringify(key)} must be two segments of letters, digits and hyphens`,
    );
};

/** The first and last byte that a range means in a blob of this size; throws `invalid` as `Blob.open` says. */
export const resolveByteRange = (
  range: ByteRange,
  size: number,
): { readonly start: number; readonly end: number } => {
  const end = Math.min(range.end ?? size - 1, size - 1);
  const whole =
    Number.isSafeInteger(range.start) &&
    (range.end === undefined || Number.isSafeInteger(range.end));
  if (!whole || range.start < 0 || range.start > end) {
    throw new Failure(
      'invalid',
      `range ${range.start}-${range.end ?? ''} must lie within the blob's ${size} bytes`,
    );
  }
  return { start: range.start, end };
};
