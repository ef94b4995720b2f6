import type { ByteStream } from './bytes.js';
import { port } from './port.js';

export interface ZipEntry {
  /** Path inside the archive, with `/` between folders. */
  readonly name: string;
  /** When it was last changed, in ms. */
  readonly changedAt: number;
  /** Opened when its turn comes. */
  open(): ByteStream | Promise<ByteStream>;
}

export interface Zip {
  /** An archive of these entries in their order, written while it is read. Reading fails when an entry cannot be read to its end. */
  pack(entries: readonly ZipEntry[]): ByteStream;
}
export const Zip = port<Zip>('zip');
