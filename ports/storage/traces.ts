import type { Span, Trace } from '../model/traces.js';
import { once, reads, type Methods } from './methods.js';

export interface TraceListing {
  readonly projectId: string;
  /** Only those whose id comes before this one. */
  readonly beforeId?: string;
  readonly limit: number;
}

export interface SpanListing extends TraceListing {
  /** Only those of this trace. */
  readonly traceId?: string;
}

/** What a span adds to the sums of its trace. */
export type SpanFigures = Pick<Span, 'traceId' | 'type' | 'provider' | 'usage' | 'cost'>;

/** What becomes of an entry: the stored one is given, where there is one; `undefined` leaves it as it is. */
export type Decide<T> = (id: string, stored: T | undefined) => T | undefined;

/** Traces and spans. A trace need not be there for its spans, nor the other way round. */
export interface TraceStore {
  /**
   * Decides about each of these traces of a project and stores what was decided, all or none. Nobody changes one of them in between; `decide` may be
   * asked again about the same id, with what is stored by then.
   */
  changeTraces(projectId: string, ids: readonly string[], decide: Decide<Trace>): Promise<void>;
  /** The same for spans. */
  changeSpans(projectId: string, ids: readonly string[], decide: Decide<Span>): Promise<void>;
  /** Of several of that id in projects of the workspace, the one that was changed last. */
  findTrace(workspaceId: string, id: string): Promise<Trace | undefined>;
  findSpan(workspaceId: string, id: string): Promise<Span | undefined>;
  /** Those of a project, by id, the greatest first. */
  listTraces(listing: TraceListing): Promise<readonly Trace[]>;
  listSpans(listing: SpanListing): Promise<readonly Span[]>;
  /** Of every span of these traces of a project, in the order of the spans' ids. */
  listSpanFigures(projectId: string, traceIds: readonly string[]): Promise<readonly SpanFigures[]>;
  /** Removes these traces of a workspace with their spans. Those that are not there are passed over. */
  removeTraces(workspaceId: string, ids: readonly string[]): Promise<void>;
}

export const traceMethods: Methods<TraceStore> = {
  changeTraces: once,
  changeSpans: once,
  findTrace: reads,
  findSpan: reads,
  listTraces: reads,
  listSpans: reads,
  listSpanFigures: reads,
  removeTraces: once,
};
