import { reads, type Methods } from './methods.js';
import type { ThreadSelection } from './threads.js';
import type { TraceSelection } from './traces.js';

/** Milliseconds, by nearest rank. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}
/** A mean over those that have a value, and their sum. */
export interface NamedMean {
  readonly name: string;
  readonly mean: number;
  readonly sum: number;
}

/** What a selection of traces, spans or threads comes to. Means are over those that have a value; `undefined` where none has. */
export interface Statistics {
  readonly count: number;
  /** Of those that have ended. */
  readonly duration: Percentiles | undefined;
  readonly inputs: number;
  readonly outputs: number;
  readonly metadata: number;
  /** Tags of each, on average. */
  readonly tags: number;
  /** Spans of each trace, on average. */
  readonly spans: number;
  readonly llmSpans: number;
  readonly cost: { readonly mean: number; readonly sum: number } | undefined;
  /** By name, in order. */
  readonly usage: readonly NamedMean[];
  readonly scores: readonly NamedMean[];
  readonly spanScores: readonly NamedMean[];
  /** Traces that a guardrail has stopped. */
  readonly guardrailsFailed: number;
  readonly errors: number;
  /** Of the seven days before now, and of the seven before those. */
  readonly recentErrors: number;
  readonly pastErrors: number;
}

/** Counts, means and percentiles; `now` is in ms. */
export interface TraceStatisticsStore {
  ofTraces(selection: TraceSelection, now: number): Promise<Statistics>;
  ofSpans(selection: TraceSelection, now: number): Promise<Statistics>;
  ofThreads(selection: ThreadSelection, now: number): Promise<Statistics>;
}

export const traceStatisticsMethods: Methods<TraceStatisticsStore> = {
  ofTraces: reads,
  ofSpans: reads,
  ofThreads: reads,
};
