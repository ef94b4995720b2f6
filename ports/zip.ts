import type { ByteStream } from './bytes.js';
import { port } from './port.js';

export interface ZipEntry {
  /** Path inside the archive: relative, with `/` between folders, unique in it. */
  readonly name: string;
  /** When it was last changed, in ms. */
  readonly changedAt: number;
  /** Opened when its turn comes. */
  open(): ByteStream | Promise<ByteStream>;
}

/** An archive of any size, opened where it lies. */
export interface OpenedArchive {
  /** Its files by their names. Reading one rejects with `invalid` when it is not what the archive says it is. */
  readonly entries: ReadonlyMap<string, { readonly bytes: number; open(): Promise<ByteStream> }>;
  close(): Promise<void>;
}

export interface Zip {
  /**
   * An archive of these entries in their order, written while it is read; one entry is open at a time. Every entry is deflated, so that
   * who unpacks it as it arrives can tell its end. Reading fails when an entry cannot be read to its end.
   */
  pack(entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>): ByteStream;
  /**
   * The files of a small archive as UTF-8 text, in their order; folders are left out. Rejects with `invalid` for what is no zip, or holds more
   * than `most` entries, and with `tooLarge` where they unpack to more than `bytes` together.
   */
  unpack(
    archive: Uint8Array,
    limits: { readonly most: number; readonly bytes: number },
  ): Promise<readonly { readonly name: string; readonly text: string }[]>;
  /** Opens an archive file. Rejects with `invalid` for what is not an archive, and with `absent` where there is no file. */
  openFile(path: string): Promise<OpenedArchive>;
}
export const Zip = port<Zip>('zip');
