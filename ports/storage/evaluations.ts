import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { Touch } from '../model/authorship.js';
import type { Evaluation, EvaluationScore, EvaluationStatus } from '../model/evaluations.js';
import { once, reads, sets, type Methods } from './methods.js';

export type EvaluationChange = Touch &
  Partial<
    Pick<
      Evaluation,
      'name' | 'metadata' | 'tags' | 'type' | 'status' | 'scores' | 'prompts' | 'finishedAt'
    >
  >;

export interface EvaluationListing {
  readonly workspaceId: string;
  readonly projectId?: string;
  readonly datasetId?: string;
  readonly optimizationId?: string;
  readonly promptId?: string;
  readonly types?: readonly string[];
  /** A part of its name, in any case. */
  readonly name?: string;
  readonly ids?: readonly string[];
  /** Only those whose dataset, or project, is gone. */
  readonly datasetDeleted?: boolean;
  readonly projectDeleted?: boolean;
  /**
   * By `dataset_id` (text), `tags`, `prompt_ids` (lists), `metadata` with a path (JSON), `feedback_scores` and `experiment_scores` with a key (numbers).
   */
  readonly filters: readonly FieldFilter[];
  /** By `id`, `name`, `created_at`, `last_updated_at`, `created_by`, `tags`, `trace_count`, and scores with a key; the greatest id first where this does not decide. */
  readonly orders: readonly FieldOrder[];
  readonly beforeId?: string;
  readonly offset?: number;
  readonly limit: number;
}

/** What traces, scores and assertions of an evaluation add up to. Durations are ms. */
export interface EvaluationFigures {
  readonly traces: number;
  readonly items: number;
  readonly durations:
    { readonly p50: number; readonly p90: number; readonly p99: number } | undefined;
  readonly cost: number | undefined;
  /** Per trace that costs something. */
  readonly averageCost: number | undefined;
  /** Per trace that has any. */
  readonly usage: Readonly<Record<string, number>> | undefined;
  /** Means over traces, by name. */
  readonly scores: readonly EvaluationScore[];
  /** Runs by item that has assertions. */
  readonly judged: readonly JudgedItem[];
  /** How many of its results passed, by the assertion's name. */
  readonly assertions: readonly EvaluationScore[];
}

/** An item of a dataset in an evaluation whose runs have assertions. A run passes when all of its assertions do. */
export interface JudgedItem {
  readonly datasetItemId: string;
  readonly passedRuns: number;
  readonly runs: number;
  /** JSON text. */
  readonly executionPolicy: string | undefined;
}

/** Evaluations by workspace. */
export interface EvaluationStore {
  /** Stores it unless its workspace has that id. Says whether it did. */
  insert(evaluation: Evaluation): Promise<boolean>;
  find(workspaceId: string, id: string): Promise<Evaluation | undefined>;
  /** Those that are there. */
  findMany(workspaceId: string, ids: readonly string[]): Promise<readonly Evaluation[]>;
  /** Ids of those of that name, in any case, the newest first; of a project, where one is given. */
  findByName(workspaceId: string, name: string, projectId?: string): Promise<readonly string[]>;
  list(listing: EvaluationListing): Promise<readonly Evaluation[]>;
  count(listing: Omit<EvaluationListing, 'limit' | 'orders'>): Promise<number>;
  /** By the ids of evaluations; every one that is asked for has some. */
  figures(
    workspaceId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, EvaluationFigures>>;
  /** Names of scores that traces of evaluations have; of those of a project, or of these evaluations, where they are given. */
  listScoreNames(
    workspaceId: string,
    within: { readonly projectId?: string; readonly ids?: readonly string[] },
  ): Promise<readonly string[]>;
  /** Only what is given changes. Says whether it was there. */
  update(workspaceId: string, id: string, change: EvaluationChange): Promise<boolean>;
  /** Those that are not there are passed over. */
  setStatus(
    workspaceId: string,
    ids: readonly string[],
    status: EvaluationStatus,
    touch: Touch & { readonly finishedAt?: number },
  ): Promise<void>;
  /** From then on every read misses them; their items go later. Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[], at: number): Promise<void>;
}

export const evaluationMethods: Methods<EvaluationStore> = {
  insert: once,
  find: reads,
  findMany: reads,
  findByName: reads,
  list: reads,
  count: reads,
  figures: reads,
  listScoreNames: reads,
  update: sets,
  setStatus: sets,
  remove: sets,
};
