// Statements of people over what was logged. An adapter gives its engine nothing but the rows of the scope, or bounds it as surely.
import { port } from './port.js';

/** Whose rows a statement sees. */
export interface AnalyticsScope {
  readonly workspaceId: string;
  /** Narrows traces, spans, feedback scores and threads to one project; experiments, their items and items of datasets are always those of the workspace. */
  readonly projectId?: string;
  /** Which tables there are; all of them where left out. */
  readonly tables?: readonly AnalyticTable[];
}

export const analyticTables = [
  'traces',
  'spans',
  'feedback_scores',
  'authored_feedback_scores',
  'trace_threads',
  'experiments',
  'experiment_items',
  'dataset_items',
] as const;
export type AnalyticTable = (typeof analyticTables)[number];

export interface AnalyticsLimits {
  /** Rows of the result; one more is refused. */
  readonly rows: number;
  /** How long all of it may take, in ms. */
  readonly timeMs: number;
  /** Bytes of the result's texts. */
  readonly bytes: number;
}

/** Values as texts, in the order of the columns. */
export interface AnalyticsResult {
  readonly columns: readonly string[];
  /** What the texts of each column are; an engine that does not know leaves it out, and they count as texts. */
  readonly types?: readonly ('number' | 'text')[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface Analytics {
  /**
   * Runs one SELECT, which may begin with WITH. Rejects with `invalid` for whatever is not one, names what is not granted, breaks a limit or fails
   * in the engine, without any of the engine's own words; with `unavailable` when there is no answer, or too many wait; with `unsupported` where
   * no engine is installed. Ends when the signal aborts. May be repeated.
   */
  query(
    statement: string,
    scope: AnalyticsScope,
    limits: AnalyticsLimits,
    signal: AbortSignal,
  ): Promise<AnalyticsResult>;
}
export const Analytics = port<Analytics>('analytics');
