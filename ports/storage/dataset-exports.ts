import type { DatasetExport, FoundExport } from '../model/dataset-exports.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Exports of datasets by workspace. Those of a deleted dataset are not found. */
export interface DatasetExportStore {
  /** Stores one, and forgets those of the workspace that expired before it was made. */
  insert(made: DatasetExport): Promise<void>;
  find(workspaceId: string, id: string): Promise<FoundExport | undefined>;
  /** Those that have not expired at a time in ms, the greatest id first; of datasets of one project where it is given. */
  list(listing: {
    readonly workspaceId: string;
    readonly projectId?: string;
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly FoundExport[]>;
  /** Notes when somebody looked at it first; says whether it was there. Microseconds. */
  markViewed(workspaceId: string, id: string, at: number): Promise<boolean>;
}

export const datasetExportMethods: Methods<DatasetExportStore> = {
  insert: once,
  find: reads,
  list: reads,
  markViewed: sets,
};
