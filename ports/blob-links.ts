import { port } from './port.js';

export interface SignedPut {
  readonly url: string;
  /** Headers the caller must send as they stand. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Links by which a client reads or writes a blob without passing through this server; only stores that can sign them offer it.
 * Keys are those of `Blob`. Every method rejects with `invalid` for another key and with `unavailable` when signing fails;
 * whether the blob exists is not looked at.
 */
export interface BlobLinks {
  /** A link to the bytes that works for `seconds`; with `fileName`, a browser saves them under that name. */
  signGet(key: string, options: { readonly seconds: number; readonly fileName?: string; readonly contentType?: string }): Promise<string>;

  /** A link that takes the bytes once or more often within `seconds`; with `size`, no other length is accepted. */
  signPut(key: string, options: { readonly seconds: number; readonly size?: number }): Promise<SignedPut>;
}
export const BlobLinks = port<BlobLinks>('blob-links');
