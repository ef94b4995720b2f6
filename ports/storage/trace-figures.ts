import { reads, type Methods } from './methods.js';
import type { ThreadSelection } from './threads.js';
import type { Buckets } from './trace-series.js';
import type { TraceSelection } from './traces.js';

/** What a selection comes to in a few numbers. */
export interface TraceTotals {
  readonly count: number;
  /** Threads fail never. */
  readonly errors: number;
  /** In ms, of those that have ended. */
  readonly meanDuration: number | undefined;
  /** `undefined` where nothing has one. */
  readonly cost: number | undefined;
}

/** What the scores of one name of a project's traces add up to in a bucket of time; of several authors of a trace their mean counts. */
export interface ScoreSum {
  readonly projectId: string;
  /** When the bucket begins. */
  readonly at: number;
  readonly name: string;
  readonly sum: number;
  /** Traces that have such a score. */
  readonly count: number;
}
/** What the spans of a project cost in a bucket of time. */
export interface CostSum {
  readonly projectId: string;
  readonly at: number;
  readonly cost: number;
}

/** What traces of a project add up to in a bucket of time. */
export interface TraceSum {
  readonly projectId: string;
  readonly at: number;
  readonly errors: number;
  /** Traces that have ended, and how long they took in ms. */
  readonly ended: number;
  readonly duration: number;
}

/** Of each project, how many of its newest spans are looked at for the names of their counts. */
export const mostSpansNamed = 100_000;

/** Figures of projects for one glance: a few numbers of one, or sums over several, by when things were made. Ended after a while with `unavailable`. */
export interface TraceFigureStore {
  totalTraces(selection: TraceSelection): Promise<TraceTotals>;
  totalSpans(selection: TraceSelection): Promise<TraceTotals>;
  totalThreads(selection: ThreadSelection): Promise<TraceTotals>;
  /** In the order of names, projects and buckets; buckets without any score are left out. Of one name where it is given; of threads where that is said. */
  sumScores(
    projectIds: readonly string[],
    buckets: Buckets,
    name?: string,
    of?: 'trace' | 'thread',
  ): Promise<readonly ScoreSum[]>;
  /** In the order of projects and buckets; buckets without any trace are left out. */
  sumTraces(projectIds: readonly string[], buckets: Buckets): Promise<readonly TraceSum[]>;
  /** In the order of projects and buckets; buckets in which nothing costs anything are left out. */
  sumCosts(projectIds: readonly string[], buckets: Buckets): Promise<readonly CostSum[]>;
  /** Names of counts in the usage of spans, each once and in order, and whether a project has older spans than were looked at. */
  listUsageNames(
    projectIds: readonly string[],
  ): Promise<{ readonly names: readonly string[]; readonly cut: boolean }>;
}

export const traceFigureMethods: Methods<TraceFigureStore> = {
  totalTraces: reads,
  totalSpans: reads,
  totalThreads: reads,
  sumScores: reads,
  sumTraces: reads,
  sumCosts: reads,
  listUsageNames: reads,
};
