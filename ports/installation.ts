import type { ByteStream } from './bytes.js';
import { port } from './port.js';

/** One change of the schema: of the product, or of a plugin by its name. */
export interface SchemaChange {
  readonly owner: string;
  readonly number: number;
  readonly name: string;
  /** When it was made; `undefined` while it waits. */
  readonly at: number | undefined;
  /** Whether this release knows it. */
  readonly known: boolean;
}

/** What was looked at, and what is wrong with it, in a sentence. */
export interface Checked {
  readonly what: string;
  readonly fault?: string;
  readonly warning?: string;
}

export interface BlobAudit {
  readonly blobs: number;
  readonly rows: number;
  readonly found: number;
  readonly removed: number;
  /** The first of what was found, a line each. */
  readonly findings: readonly string[];
}

/** The installation as a whole, which no store knows: what commands ask of it too. */
export interface Installation {
  schema(): Promise<readonly SchemaChange[]>;
  check(): Promise<readonly Checked[]>;
  /** Holds rows against bytes; with `fix`, removes what only one side has. */
  auditBlobs(fix: boolean): Promise<BlobAudit>;
  /** Everything as of one moment, as a zip that `orrery import` takes. Leaving the stream early gives it up. */
  exportAll(withBytes: boolean): ByteStream;
}
export const Installation = port<Installation>('installation');
