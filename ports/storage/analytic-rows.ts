import type { AnalyticTable } from '../analytics.js';
import { reads, sets, type Methods } from './methods.js';

/** Instants in µs, both ends included. */
export interface TimeRange {
  readonly from?: number;
  readonly to?: number;
}
/** Ranges by members that are instants. */
export type TimeRanges = Readonly<Record<string, TimeRange>>;

/** Which rows, and which of their members: others may be left out. */
export interface AnalyticReading {
  readonly table: AnalyticTable;
  readonly workspaceId: string;
  /** Of traces, spans, scores and threads: those of this project alone, which must be the workspace's. */
  readonly projectId?: string;
  readonly members: ReadonlySet<string>;
  /** Of a followed table and one project: only rows of these changes, of which there are few. */
  readonly ids?: readonly string[];
  /** Only rows whose instants lie in all of these ranges; one without such an instant lies in none. */
  readonly times?: TimeRanges;
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
    // By what changes tell of a thread: a text of the store.
    'key',
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

/** Tables of which it is told what changed; those of authors are the same as `feedback_scores`. */
export const followedTables = [
  'traces',
  'spans',
  'feedback_scores',
  'trace_threads',
] as const satisfies readonly AnalyticTable[];
export type FollowedTable = (typeof followedTables)[number];
export const isFollowed = (table: AnalyticTable): table is FollowedTable =>
  (followedTables as readonly AnalyticTable[]).includes(table);
/** The member of a table's rows by which it is told what changed: all rows that share it. */
export const changeMembers: Readonly<Record<FollowedTable, string>> = {
  traces: 'id',
  spans: 'id',
  feedback_scores: 'entity_id',
  trace_threads: 'key',
};

/** What was stored, changed or removed in one project. */
export interface ChangedRows {
  readonly table: FollowedTable;
  readonly projectId: string;
  /** Values of the table's `changeMembers`, each once, in order. */
  readonly ids: readonly string[];
}

export interface AnalyticChanges {
  /** The projects of the workspace now, in the order of their ids. */
  readonly projectIds: readonly string[];
  /** What changed in them. What changed in a project while it was elsewhere, or was deleted, may be missing. */
  readonly changed: readonly ChangedRows[];
  /** From where to ask for what changes next: a text for the store alone. */
  readonly mark: string;
  /** Whether there is more already. */
  readonly more: boolean;
}

/** Rows of a workspace for analytic queries. */
export interface AnalyticRowStore {
  /**
   * Pages of rows, each bounded in rows and, but for a row that is longer alone, in bytes. `feedback_scores` and `authored_feedback_scores` are the
   * same here: one row for each author. Items of datasets are those of newest versions. What comes or goes meanwhile may be seen or not, each row
   * at most once.
   */
  stream(reading: AnalyticReading): AsyncIterable<readonly AnalyticRow[]>;
  /**
   * What changed in followed tables of a workspace since a mark, told at least once by whoever asks again and again; without a mark, nothing but a
   * mark, and whoever reads all rows after that misses nothing. Every change that was acknowledged before is told. `undefined` where changes since
   * that mark are not remembered any more.
   */
  changes(workspaceId: string, since?: string): Promise<AnalyticChanges | undefined>;
  /** Forgets at most so many of the notes about changes from before a time in ms, the oldest first; the newest ones stay. Answers how many. */
  forgetChanges(before: number, limit: number): Promise<number>;
}

export const analyticRowMethods: Methods<AnalyticRowStore> = {
  stream: reads,
  changes: reads,
  forgetChanges: sets,
};
