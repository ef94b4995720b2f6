import type { AnalyticTable } from '../analytics.js';
import { reads, type Methods } from './methods.js';

/** Which rows, and which of their members: others may be left out. */
export interface AnalyticReading {
  readonly table: AnalyticTable;
  readonly workspaceId: string;
  /** Of traces, spans, scores and threads: those of this project alone, which must be the workspace's. */
  readonly projectId?: string;
  readonly members: ReadonlySet<string>;
}

/** Members by the names of the table's columns. Instants are microseconds; lists and objects are JSON texts. */
export type AnalyticRow = Readonly<Record<string, string | number | boolean | undefined>>;

/** What stands in a table once: derived columns are made from it. */
export const analyticMembers = {
  traces: [
    ...['id', 'workspace_id', 'project_id', 'name', 'start_time', 'end_time', 'input', 'output'],
    ...['metadata', 'tags', 'error_info', 'ttft', 'source', 'environment', 'thread_id'],
    ...['created_at', 'created_by', 'last_updated_at', 'last_updated_by'],
  ],
  spans: [
    ...['id', 'workspace_id', 'project_id', 'trace_id', 'parent_span_id', 'name', 'type'],
    ...['start_time', 'end_time', 'input', 'output', 'metadata', 'tags', 'error_info', 'ttft'],
    ...['source', 'environment', 'model', 'provider', 'usage', 'total_estimated_cost'],
    ...['total_estimated_cost_version', 'created_at', 'created_by', 'last_updated_at'],
    'last_updated_by',
  ],
  feedback_scores: [
    ...['entity_id', 'entity_type', 'project_id', 'workspace_id', 'name', 'category_name', 'value'],
    ...['reason', 'source', 'author', 'created_at', 'created_by', 'last_updated_at'],
    'last_updated_by',
  ],
  trace_threads: [
    ...['id', 'thread_id', 'project_id', 'workspace_id', 'status', 'tags', 'environment'],
    ...['created_at', 'created_by', 'last_updated_at', 'last_updated_by'],
  ],
  experiments: [
    ...['workspace_id', 'dataset_id', 'id', 'name', 'metadata', 'prompt_versions', 'type'],
    ...['optimization_id', 'status', 'tags', 'experiment_scores', 'dataset_version_id'],
    ...['project_id', 'evaluation_method', 'finished_at', 'created_at', 'created_by'],
    ...['last_updated_at', 'last_updated_by'],
  ],
  experiment_items: [
    ...['id', 'experiment_id', 'dataset_item_id', 'trace_id', 'workspace_id', 'project_id'],
    ...['execution_policy', 'created_at', 'created_by', 'last_updated_at', 'last_updated_by'],
  ],
  dataset_items: [
    ...['workspace_id', 'dataset_id', 'id', 'source', 'trace_id', 'span_id', 'data', 'tags'],
    ...['created_at', 'created_by', 'last_updated_at', 'last_updated_by'],
  ],
} as const;

/** Rows of a workspace for analytic queries. */
export interface AnalyticRowStore {
  /**
   * Pages of rows, each bounded in rows and, but for a row that is longer alone, in bytes. `feedback_scores` and `authored_feedback_scores` are the
   * same here: one row for each author. Items of datasets are those of newest versions. What comes or goes meanwhile may be seen or not, each row
   * at most once.
   */
  stream(reading: AnalyticReading): AsyncIterable<readonly AnalyticRow[]>;
}

export const analyticRowMethods: Methods<AnalyticRowStore> = { stream: reads };
