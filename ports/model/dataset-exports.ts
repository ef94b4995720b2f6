import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

/** A file of the items of a dataset that can be fetched for a while: it is written while it is fetched, from the version that was the newest. */
export interface DatasetExport extends Authorship {
  readonly workspaceId: string;
  readonly id: string;
  readonly datasetId: string;
  /** Number of the version; 0 where there was none. */
  readonly version: number;
  /** Ms. */
  readonly expiresAt: number;
  /** Microseconds. */
  readonly viewedAt: number | undefined;
}
/** One as it is found: with its dataset. */
export interface FoundExport extends DatasetExport {
  readonly datasetName: string;
  readonly projectId: string | undefined;
}
export const datasetExport = kind<FoundExport>()('datasetExport');
