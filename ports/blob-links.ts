import { port } from './port.js';

/**
 * Links by which a client reads or writes a blob without passing through this server and without a key of ours; only stores that
 * can sign them offer it. Keys are those of `Blob`. A life is cut to what the store grants, seven days on S3 and GCS. Every method
 * rejects with `invalid` for another key and with `unavailable` when signing fails; whether the blob exists is not looked at.
 */
export interface BlobLinks {
  /** A link to the bytes, whole or a range, that works for `seconds`. They come as an attachment of that name and type. */
  signGet(
    key: string,
    options: {
      readonly seconds: number;
      readonly fileName?: string;
      readonly contentType?: string;
    },
  ): Promise<string>;

  /** A link that takes the bytes by a plain PUT, once or more often within `seconds`; each time they replace what was there. */
  signPut(key: string, options: { readonly seconds: number }): Promise<string>;
}
export const BlobLinks = port<BlobLinks>('blob-links');
