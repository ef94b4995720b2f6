import type { StoredBlob } from './blob.js';
import { port } from './port.js';

/** A part as the store confirmed it to who sent it. */
export interface StoredPart {
  /** From 1, without gaps. */
  readonly number: number;
  /** The store's own word for the part's bytes: the `ETag` of its reply, with or without quotes. */
  readonly etag: string;
}

/** An upload that was begun and neither completed nor aborted. */
export interface StartedUpload {
  readonly key: string;
  readonly upload: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/**
 * Large blobs in parts that the client itself sends to the store; only stores that join parts offer it. Keys are those of `Blob`.
 * Every part but the last must be at least 5 MiB. Every method rejects with `invalid` for another key, with `absent` for an upload
 * that is unknown, completed or aborted, and with `unavailable` when the store cannot be reached, refuses, or has no room.
 */
export interface BlobMultipart {
  /** Begins an upload and gives its id. Nothing is visible under the key until it is completed. */
  start(key: string): Promise<string>;

  /** Links for the parts 1 to `count`, in order, each for one plain PUT within `seconds`; a part sent again replaces the former. */
  signParts(
    key: string,
    upload: string,
    options: { readonly count: number; readonly seconds: number },
  ): Promise<readonly string[]>;

  /**
   * Joins the parts, which must be in order, so that the blob appears at once and whole; the hash is absent, since no one saw all
   * bytes. Rejects with `invalid` when a part is missing, too small or another than was stored.
   */
  complete(
    key: string,
    upload: string,
    parts: readonly StoredPart[],
  ): Promise<Pick<StoredBlob, 'size'>>;

  /** Drops an upload and its parts; one that is unknown is no fault. May be repeated. */
  abort(key: string, upload: string): Promise<void>;

  /** Every upload of ours that is neither completed nor aborted; for audits. */
  listStarted(): AsyncIterable<StartedUpload>;
}
export const BlobMultipart = port<BlobMultipart>('blob-multipart');
