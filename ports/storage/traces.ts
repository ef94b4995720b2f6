import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { Span, Trace } from '../model/traces.js';
import type { Page, PageRequest } from '../page.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Which traces or spans of a project are meant. */
export interface TraceSelection {
  readonly projectId: string;
  readonly filters: readonly FieldFilter[];
  /** A part of id, name, input, output, metadata, error, tags or thread, in any case. */
  readonly search?: string | undefined;
  /** Bounds of ids, which tell when they were made; both belong to the range. */
  readonly fromId?: string | undefined;
  readonly toId?: string | undefined;
  /** Of spans: only those of this trace, of this type. */
  readonly traceId?: string | undefined;
  readonly type?: string | undefined;
  /** Of traces: only those of exactly this thread. */
  readonly threadId?: string | undefined;
}
/** How much is read of each row, and of all together. */
interface Extent {
  /** What need not be read: these members come as `undefined`, or as they are. */
  readonly omitted?: ReadonlySet<string> | undefined;
  /** How many characters are needed of an input, an output and metadata; all when left out. A longer one ends there. */
  readonly characters?: number | undefined;
  /** How many bytes these texts of all rows may have together; any number when left out. */
  readonly mostBytes?: number | undefined;
}
/** Rows by id, the greatest first, from before an id on. They end before the one that is too much for `mostBytes`, never before the first. */
export interface TraceListing extends TraceSelection, Extent {
  readonly beforeId?: string | undefined;
  readonly limit: number;
}
/** Without orders, and between equals, by id, the greatest first. Of spans, inputs and outputs are sorted by how they begin. */
export interface TracePageRequest extends TraceSelection, PageRequest, Extent {
  readonly orders: readonly FieldOrder[];
}
/** Among how many of a project's newest rows, or of a trace's, a page looks for what stands in inputs and outputs, or anywhere. */
export const mostSearched = 100_000;
export interface TracePage<T> extends Page<T> {
  /** Whether there are more than `total`, which is counted only as far as a while allows where a project has very many. */
  readonly atLeast: boolean;
  /** Whether there are older rows that were not looked through. */
  readonly cut: boolean;
}

/** What spans of a trace add up to. */
export interface SpanSums {
  readonly spans: number;
  readonly llmSpans: number;
  readonly hasTool: boolean;
  /** `undefined` where no span has a cost. */
  readonly cost: number | undefined;
  readonly usage: Readonly<Record<string, number>> | undefined;
  /** In their order. */
  readonly providers: readonly string[];
}

/** What becomes of an entry: the stored one is given, where there is one; `undefined` leaves it as it is. */
export type Decide<T> = (id: string, stored: T | undefined) => T | undefined;

/** Traces and spans. A trace need not be there for its spans, nor the other way round. */
export interface TraceStore {
  /**
   * Decides about each of these traces of a project and stores what was decided, all or none. Nobody changes one of them in between; `decide` may be
   * asked again about the same id, with what is stored by then. Threads that are named are made, and are active from then on. Nothing is stored before
   * `ready` resolves, and nothing at all if it rejects, which is passed on; what can be prepared until then is.
   */
  changeTraces(
    projectId: string,
    ids: readonly string[],
    decide: Decide<Trace>,
    ready?: Promise<void>,
  ): Promise<void>;
  /** The same for spans. */
  changeSpans(
    projectId: string,
    ids: readonly string[],
    decide: Decide<Span>,
    ready?: Promise<void>,
  ): Promise<void>;
  /** The projects of a workspace in which each of these stands, what was changed last first; of one project where that is given. */
  findPlaces(
    kind: 'trace' | 'span',
    workspaceId: string,
    ids: readonly string[],
    projectId?: string,
  ): Promise<readonly { readonly id: string; readonly projectId: string }[]>;
  /** Those of a project that are there, by id, the greatest first. */
  readTraces(projectId: string, ids: readonly string[]): Promise<readonly Trace[]>;
  readSpans(projectId: string, ids: readonly string[]): Promise<readonly Span[]>;
  listTraces(listing: TraceListing): Promise<readonly Trace[]>;
  listSpans(listing: TraceListing): Promise<readonly Span[]>;
  /** Rejects with `invalid` where the rows of the page are too much for `mostBytes`. */
  pageTraces(request: TracePageRequest): Promise<TracePage<Trace>>;
  pageSpans(request: TracePageRequest): Promise<TracePage<Span>>;
  /** What the spans of each of these traces add up to; a trace without spans is left out. */
  sumSpans(projectId: string, traceIds: readonly string[]): Promise<ReadonlyMap<string, SpanSums>>;
  /** Whether a project has any that are selected. */
  exist(kind: 'trace' | 'span', selection: TraceSelection): Promise<boolean>;
  /** Removes these traces of a workspace, or of one of its projects, with their spans and all scores and comments of both. Those that are not there are skipped. */
  removeTraces(workspaceId: string, ids: readonly string[], projectId?: string): Promise<void>;
  /**
   * Under which ids the traces of OpenTelemetry are kept in a project, by their own ids: those that are known, and for the others the proposed ones, which
   * are remembered from then on. Those that were not seen since a moment (ms) are forgotten.
   */
  mapOtelTraces(
    projectId: string,
    proposed: ReadonlyMap<string, string>,
    times: { readonly now: number; readonly forgetBefore: number },
  ): Promise<ReadonlyMap<string, string>>;
  /** Removes spans of a project with their scores and comments. */
  removeSpans(projectId: string, ids: readonly string[]): Promise<void>;
}

export const traceMethods: Methods<TraceStore> = {
  changeTraces: once,
  changeSpans: once,
  findPlaces: reads,
  readTraces: reads,
  readSpans: reads,
  listTraces: reads,
  listSpans: reads,
  pageTraces: reads,
  pageSpans: reads,
  sumSpans: reads,
  exist: reads,
  mapOtelTraces: sets,
  removeTraces: once,
  removeSpans: once,
};
