import { reads, type Methods } from './methods.js';
import type { ThreadSelection } from './threads.js';
import type { TraceSelection } from './traces.js';

/** What is measured of what falls into a bucket of time. */
export type Measure =
  /** How many there are. */
  | 'count'
  /** Milliseconds by nearest rank, under the names `p50`, `p90` and `p99`. */
  | 'duration'
  /** The one below which 95 of 100 last, in milliseconds by nearest rank. */
  | 'p95Duration'
  | 'meanDuration'
  /** Of a hundred, how many have failed. */
  | 'errorRate'
  | 'cost'
  /** Sums by the names that counts have. */
  | 'usage'
  /** Means by the names that scores have. */
  | 'scores'
  /** How many traces a guardrail has stopped. */
  | 'guardrailsFailed';

/** Equal buckets of time, in microseconds: each begins at `offset` plus a multiple of `width`. */
export interface Buckets {
  readonly width: number;
  readonly offset: number;
  /** The beginning belongs to the range, the end does not. */
  readonly from: number;
  readonly to: number;
  /** Whether what was made later, by a clock that is ahead, counts in the last bucket. */
  readonly endless?: boolean | undefined;
}

/** By what buckets are divided further: a member, a place within the metadata, or tags, of which what has several counts for each. */
export type Grouping =
  | { readonly by: 'name' | 'model' | 'provider' | 'type' | 'error_type' | 'error_info' | 'tags' }
  | { readonly by: 'metadata'; readonly path: readonly (string | number)[] };

export interface SeriesRequest {
  readonly measure: Measure;
  readonly buckets: Buckets;
  readonly grouping?: Grouping | undefined;
}

/** One value; a bucket without any has none. */
export interface SeriesPoint {
  /** When the bucket begins. */
  readonly at: number;
  /** The name of the count, score or percentile, where there are several. */
  readonly name: string | undefined;
  /** `undefined` where there is no grouping, or what is counted has no such value. */
  readonly group: string | undefined;
  readonly value: number;
}

/** Figures of traces, spans and threads over time, by when they were made, which their ids tell. */
export interface TraceSeriesStore {
  ofTraces(selection: TraceSelection, request: SeriesRequest): Promise<readonly SeriesPoint[]>;
  ofSpans(selection: TraceSelection, request: SeriesRequest): Promise<readonly SeriesPoint[]>;
  /** Threads have no groups, and fail never. */
  ofThreads(selection: ThreadSelection, request: SeriesRequest): Promise<readonly SeriesPoint[]>;
}

export const traceSeriesMethods: Methods<TraceSeriesStore> = {
  ofTraces: reads,
  ofSpans: reads,
  ofThreads: reads,
};
