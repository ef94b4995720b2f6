import type { FieldFilter } from '../field-query.js';
import type { Touch } from '../model/authorship.js';
import type { Optimization } from '../model/optimizations.js';
import { reads, sets, type Methods } from './methods.js';

export type OptimizationChange = Touch &
  Partial<Pick<Optimization, 'name' | 'status' | 'metadata' | 'errorInfo'>>;

export interface OptimizationListing {
  readonly workspaceId: string;
  readonly projectId?: string;
  readonly datasetId?: string;
  /** A part of its name, or of its dataset's, in any case. */
  readonly name?: string;
  readonly datasetName?: string;
  /** Only those whose dataset is gone. */
  readonly datasetDeleted?: boolean;
  /** By `metadata` with a path (JSON), `dataset_id`, `project_id` (texts), `status` (words). */
  readonly filters: readonly FieldFilter[];
  readonly offset: number;
  readonly limit: number;
}

/** Optimizations by workspace. */
export interface OptimizationStore {
  /** Stores one in place of the one of that id, of which who made it stays. */
  put(optimization: Optimization): Promise<void>;
  find(workspaceId: string, id: string): Promise<Optimization | undefined>;
  /** The greatest id first. */
  list(
    listing: OptimizationListing,
  ): Promise<{ readonly total: number; readonly content: readonly Optimization[] }>;
  /** Only what is given changes. Says whether it was there. */
  update(workspaceId: string, id: string, change: OptimizationChange): Promise<boolean>;
  /** Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
}

export const optimizationMethods: Methods<OptimizationStore> = {
  put: sets,
  find: reads,
  list: reads,
  update: sets,
  remove: sets,
};
