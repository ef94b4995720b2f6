import type { StoredBlob } from './blob.js';
import { port } from './port.js';

/** A part as the store confirmed it. */
export interface StoredPart {
  /** From 1, without gaps. */
  readonly number: number;
  /** The store's own word for the part's bytes. */
  readonly etag: string;
}

/**
 * Large blobs in parts, sent by this server or by the client itself; only stores that join parts offer it. Keys are those of
 * `Blob`. Every method rejects with `invalid` for another key or a part out of order, with `absent` for an upload that is
 * unknown, completed or aborted, and with `unavailable` when the store cannot be reached, refuses, or has no room.
 */
export interface BlobMultipart {
  /** Begins an upload and gives its id. Nothing is visible under the key until it is completed. */
  start(key: string): Promise<string>;

  /** Links for the parts 1 to `count`, in order, each for one plain PUT within `seconds`. */
  signParts(key: string, upload: string, options: { readonly count: number; readonly seconds: number }): Promise<readonly string[]>;

  /** Stores one part; repeating a number replaces it. */
  putPart(key: string, upload: string, number: number, source: AsyncIterable<Uint8Array>): Promise<StoredPart>;

  /** Joins the parts in their order, so that the blob appears at once and whole. The hash is absent, since no one saw all bytes. */
  complete(key: string, upload: string, parts: readonly StoredPart[]): Promise<Pick<StoredBlob, 'size'>>;

  /** Drops an upload and its parts; one that is unknown is no fault. May be repeated. */
  abort(key: string, upload: string): Promise<void>;
}
export const BlobMultipart = port<BlobMultipart>('blob-multipart');
