import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { AssertionResult, EvaluationItem } from '../model/evaluations.js';
import { reads, sets, type Methods } from './methods.js';

export interface ComparedListing {
  readonly workspaceId: string;
  readonly datasetId: string;
  readonly evaluationIds: readonly string[];
  /** What stands in the item's data, or in the input or output of a trace, in any case. */
  readonly search?: string;
  /**
   * By `id` (text), `data`, `input`, `output`, `metadata` with or without a path (JSON), `tags` (list), `duration` (number), `feedback_scores` with
   * a key (number), `created_at`, `last_updated_at` (instants).
   */
  readonly filters: readonly FieldFilter[];
  /** By the same fields; the greatest id of an item first where this does not decide. */
  readonly orders: readonly FieldOrder[];
}

/** What was answered for an item. `input`, `output` and `metadata` hold JSON text; `duration` is ms. */
export interface TraceFacts {
  readonly traceId: string;
  readonly projectId: string;
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly metadata: string | undefined;
  readonly duration: number | undefined;
  readonly cost: number | undefined;
  readonly usage: Readonly<Record<string, number>> | undefined;
}

/** How a value is spread over runs that have one; percentiles lie between ranks. */
export interface Spread {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}
export type NamedSpread = Spread & { readonly name: string };

/** What the runs of a selection come to; `undefined` where no run has such a value. Durations are ms. */
export interface RunStatistics {
  readonly runs: number;
  readonly traces: number;
  readonly cost: Spread | undefined;
  readonly duration: Spread | undefined;
  /** By name, in order; of several authors of a trace their mean counts. */
  readonly scores: readonly NamedSpread[];
  readonly usage: readonly NamedSpread[];
}

/** Of how many bytes an output may be that is looked at for its members. */
export const mostOutputBytes = 64 * 1024;

/** The evaluation that a trace is a run of. */
export interface TraceEvaluation {
  readonly id: string;
  readonly name: string;
  readonly datasetId: string | undefined;
  readonly datasetItemId: string;
}

/** Items of evaluations, and the results of assertions about their traces. */
export interface EvaluationItemStore {
  /** Stores those whose id is not there yet. */
  add(items: readonly EvaluationItem[]): Promise<void>;
  find(workspaceId: string, id: string): Promise<EvaluationItem | undefined>;
  /** Of these evaluations, the greatest id first. */
  list(listing: {
    readonly workspaceId: string;
    readonly evaluationIds: readonly string[];
    readonly beforeId?: string;
    readonly limit: number;
  }): Promise<readonly EvaluationItem[]>;
  /** Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
  /** Ids of the items of a dataset that have one in some of the evaluations. */
  listCompared(
    listing: ComparedListing & { readonly offset: number; readonly limit: number },
  ): Promise<readonly string[]>;
  countCompared(listing: ComparedListing): Promise<number>;
  /** What all runs of those items come to, in these evaluations. Ended after a while with `unavailable`. */
  sumRuns(listing: Omit<ComparedListing, 'orders'>): Promise<RunStatistics>;
  /** Outputs (JSON text) of the newest runs of these evaluations, and whether there are more, or longer ones. */
  listOutputs(
    workspaceId: string,
    evaluationIds: readonly string[],
    limit: number,
  ): Promise<{ readonly outputs: readonly string[]; readonly cut: boolean }>;
  /** Of these items of a dataset in these evaluations, by id. */
  listRuns(
    workspaceId: string,
    evaluationIds: readonly string[],
    datasetItemIds: readonly string[],
  ): Promise<readonly EvaluationItem[]>;
  /** Of those of these traces that are there, by their ids. */
  traceFacts(
    workspaceId: string,
    traceIds: readonly string[],
  ): Promise<ReadonlyMap<string, TraceFacts>>;
  /** Of which evaluation each of these traces of a project is a run, the newest one; those that are of none are left out. */
  listOfTraces(
    projectId: string,
    traceIds: readonly string[],
  ): Promise<ReadonlyMap<string, TraceEvaluation>>;
  /** Stores results; of several about one entity by one name the last one stays. */
  putResults(results: readonly AssertionResult[]): Promise<void>;
  /** About these traces or spans in projects of the workspace, in the order of their names. */
  listResults(
    workspaceId: string,
    entityKind: 'trace' | 'span',
    entityIds: readonly string[],
  ): Promise<readonly AssertionResult[]>;
}

export const evaluationItemMethods: Methods<EvaluationItemStore> = {
  add: sets,
  find: reads,
  list: reads,
  remove: sets,
  listCompared: reads,
  countCompared: reads,
  sumRuns: reads,
  listOutputs: reads,
  listRuns: reads,
  traceFacts: reads,
  listOfTraces: reads,
  putResults: sets,
  listResults: reads,
};
