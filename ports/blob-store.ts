import type { Blob } from './blob.js';
import type { BlobLinks } from './blob-links.js';
import type { BlobMultipart } from './blob-multipart.js';
import { port } from './port.js';

/** The place of bytes that was chosen, with what it can do beside `Blob`; what it cannot do is `undefined`. */
export interface BlobStore {
  readonly blob: Blob;
  readonly links: BlobLinks | undefined;
  readonly multipart: BlobMultipart | undefined;
}
export const BlobStore = port<BlobStore>('blob-store');

/** A driver of a plugin may open a `Blob` alone. */
export const asBlobStore = (opened: Blob | BlobStore): BlobStore =>
  'blob' in opened ? opened : { blob: opened, links: undefined, multipart: undefined };
