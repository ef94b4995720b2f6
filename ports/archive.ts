import type { ByteStream } from './bytes.js';
import { port } from './port.js';

export interface ArchiveEntry {
  /** Relative, with `/` between segments, no empty or dot segment; unique in its archive. */
  readonly path: string;
  /** ms since the Unix epoch. */
  readonly at: number;
  /** Called when its turn comes, so that one entry is open at a time. */
  open(): Promise<ByteStream>;
}

/** Files as one zip. */
export interface Archive {
  /**
   * The bytes of a zip of these entries, made while they are read; every entry is deflated, so that readers that unpack as it arrives
   * can tell its end. Reading fails when an entry does.
   */
  zip(entries: AsyncIterable<ArchiveEntry>): ByteStream;
}
export const Archive = port<Archive>('archive');
