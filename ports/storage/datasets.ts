import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { Touch } from '../model/authorship.js';
import type { Dataset } from '../model/datasets.js';
import { once, reads, sets, type Methods } from './methods.js';

export type DatasetChange = Touch &
  Partial<Pick<Dataset, 'name' | 'description' | 'visibility' | 'tags'>>;

export interface DatasetListing {
  readonly workspaceId: string;
  readonly projectId?: string;
  /** A part of its name, in any case. */
  readonly name?: string;
  readonly withEvaluations?: boolean;
  readonly withOptimizations?: boolean;
  /** Those with an evaluation of this prompt. */
  readonly promptId?: string;
  /**
   * By `id`, `name`, `description`, `created_by`, `last_updated_by` (texts), `tags` (list), `created_at`, `last_updated_at`,
   * `last_created_experiment_at` (of the regular ones alone), `last_created_optimization_at` (instants).
   */
  readonly filters: readonly FieldFilter[];
  /** By the same fields; the greatest id first where this does not decide. */
  readonly orders: readonly FieldOrder[];
  readonly offset: number;
  readonly limit: number;
}

/** What has been done with a dataset; times are microseconds. */
export interface DatasetFigures {
  readonly items: number;
  readonly evaluations: number;
  readonly lastEvaluationAt: number | undefined;
  /** The same without trials and what else an optimization makes. */
  readonly lastRegularEvaluationAt: number | undefined;
  readonly optimizations: number;
  readonly lastOptimizationAt: number | undefined;
}

/** Datasets by workspace; their items are a store of their own. */
export interface DatasetStore {
  /** Rejects with `conflict` when the workspace has that id, or the project (the workspace, for one without a project) that name. */
  insert(dataset: Omit<Dataset, 'newest'>): Promise<void>;
  find(workspaceId: string, id: string): Promise<Dataset | undefined>;
  /** Those that are there. */
  findMany(workspaceId: string, ids: readonly string[]): Promise<readonly Dataset[]>;
  /** In a project, or among those of the workspace alone. */
  findByName(
    workspaceId: string,
    projectId: string | undefined,
    name: string,
  ): Promise<Dataset | undefined>;
  /** Of that name anywhere in the workspace: the workspace's own first, then the newest. */
  findAnywhere(workspaceId: string, name: string): Promise<Dataset | undefined>;
  list(
    listing: DatasetListing,
  ): Promise<{ readonly total: number; readonly content: readonly Dataset[] }>;
  /** By the ids of datasets; none for those that are not there. */
  figures(
    workspaceId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, DatasetFigures>>;
  /** Only what is given changes. Rejects with `conflict` when the name is taken. Says whether it was there. */
  update(workspaceId: string, id: string, change: DatasetChange): Promise<boolean>;
  /** From then on every read misses them, and their names are free; their items go later. Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[], at: number): Promise<void>;
}

export const datasetMethods: Methods<DatasetStore> = {
  insert: once,
  find: reads,
  findMany: reads,
  findByName: reads,
  findAnywhere: reads,
  list: reads,
  figures: reads,
  update: sets,
  remove: sets,
};
