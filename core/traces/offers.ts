// What other areas do with traces: store some that come by another wire than the SDKs', filter them, score them.
import type { Span, Trace, TracedKind, TraceEntry } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';
import type { TraceSelection } from '#ports/storage/traces';
import { awaitRules } from '../automations/offers.js';
import type { FilterTypes } from '../private-wire/filters.js';
import { mergeCreated } from './merging.js';
import { pricesFrom } from './prices.js';
import { jsonOf, mostTags, usageOf, withCost } from './reading.js';
import { spanFilters, threadFilters, traceFilters } from './selecting.js';

export { mostCost } from './reading.js';

/** What traces, spans and threads are filtered by. */
export const entryFiltersOf: Readonly<Record<TracedKind, FilterTypes>> = {
  trace: traceFilters,
  span: spanFilters,
  thread: threadFilters,
};

/** A span as another wire tells it; times are microseconds. */
export interface ForeignSpan {
  readonly id: string;
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  /** Whether it makes the trace as well. */
  readonly root: boolean;
  readonly name: string;
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly type: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly usage: Readonly<Record<string, number>> | undefined;
  readonly cost: number | undefined;
  readonly input: unknown;
  readonly output: unknown;
  readonly metadata: unknown;
  readonly tags: readonly string[] | undefined;
  readonly threadId: string | undefined;
  readonly error: unknown;
}
interface Storing {
  readonly projectId: string;
  readonly by: string;
  readonly at: number;
}

const toEntry = (from: ForeignSpan, { projectId, by, at }: Storing): TraceEntry => ({
  id: from.id,
  projectId,
  name: from.name === '' ? undefined : from.name,
  startTime: from.startTime,
  endTime: from.endTime,
  input: jsonOf(from.input),
  output: jsonOf(from.output),
  metadata: jsonOf(from.metadata),
  // An exporter would lose all spans of a request in which one were refused.
  tags: from.tags === undefined ? undefined : [...new Set(from.tags)].slice(0, mostTags),
  errorInfo: jsonOf(from.error),
  ttft: undefined,
  source: 'sdk',
  environment: undefined,
  createdAt: at,
  createdBy: by,
  lastUpdatedAt: at,
  lastUpdatedBy: by,
  partial: false,
});
const toSpan = (from: ForeignSpan, storing: Storing): Span => ({
  ...toEntry(from, storing),
  traceId: from.traceId,
  parentSpanId: from.parentSpanId,
  type: from.type,
  model: from.model,
  provider: from.provider,
  usage: usageOf(from.usage),
  cost: from.cost,
  costVersion: from.cost === undefined ? undefined : '',
});
const toTrace = (from: ForeignSpan, storing: Storing): Trace => ({
  ...toEntry({ ...from, id: from.traceId }, storing),
  threadId: from.threadId,
});

/** Stores spans, and the traces of those that are roots, in one project; what is sent again changes nothing but the time of its last update. */
export const storeEntries = async (
  {
    storage: { stores },
    prices,
  }: { readonly storage: StorageOf<'automationRuns' | 'traces'>; readonly prices: string },
  storing: Storing,
  entries: readonly ForeignSpan[],
): Promise<void> => {
  const list = pricesFrom(prices);
  const spans = new Map(
    entries.map((one) => [one.id, withCost(toSpan(one, storing), list)] as const),
  );
  await stores.traces.changeSpans(
    storing.projectId,
    [...spans.keys()],
    (id, stored) => {
      const fresh = spans.get(id);
      return fresh && mergeCreated(stored, fresh);
    },
    awaitRules(stores, storing.projectId, 'span', [...spans.keys()]),
  );
  const roots = new Map(
    entries.filter(({ root }) => root).map((one) => [one.traceId, toTrace(one, storing)] as const),
  );
  await stores.traces.changeTraces(
    storing.projectId,
    [...roots.keys()],
    (id, stored) => {
      const fresh = roots.get(id);
      return fresh && mergeCreated(stored, fresh);
    },
    awaitRules(stores, storing.projectId, 'trace', [...roots.keys()]),
  );
};

/** What the traces of a project come to, of those that filters leave. */
export const figuresOfProject = async (
  { traceStatistics }: StorageOf<'traceStatistics'>['stores'],
  { filters, ...within }: Pick<TraceSelection, 'projectId' | 'filters' | 'fromId' | 'toId'>,
  now: number,
) => {
  const of = await traceStatistics.ofTraces({ ...within, filters }, now);
  const threads = await traceStatistics.ofThreads({ ...within, filters: [], activeSince: 0 }, now);
  const deviation = of.recentErrors - of.pastErrors;
  return {
    feedback_scores:
      of.scores.length === 0
        ? undefined
        : of.scores.map(({ name, mean }) => ({ name, value: mean })),
    duration: of.duration === undefined ? undefined : { ...of.duration },
    total_estimated_cost: of.cost?.mean,
    total_estimated_cost_sum: of.cost?.sum,
    usage:
      of.usage.length === 0
        ? undefined
        : Object.fromEntries(of.usage.map(({ name, mean }) => [name, mean])),
    trace_count: of.count,
    thread_count: threads.count,
    guardrails_failed_count: of.guardrailsFailed,
    error_count: {
      count: of.errors,
      deviation,
      deviation_percentage: of.pastErrors === 0 ? undefined : (100 * deviation) / of.pastErrors,
    },
  };
};

/** Traces and spans of a project up to which its figures are told with it: SDKs ask for projects by their names again and again. */
const mostFigured = { traces: 10_000, spans: 50_000 } as const;

/** The same where a project is asked for by itself; nothing where it has too many for that. */
export const figuresBeside = async (
  stores: StorageOf<'traces' | 'traceStatistics'>['stores'],
  projectId: string,
  now: number,
) => {
  const first = { projectId, filters: [], orders: [], page: 1, size: 1, omitted: noBodies };
  const [traces, spans] = [
    await stores.traces.pageTraces(first),
    await stores.traces.pageSpans(first),
  ];
  return traces.total > mostFigured.traces || spans.total >= mostFigured.spans
    ? undefined
    : figuresOfProject(stores, { projectId, filters: [] }, now);
};
const noBodies: ReadonlySet<string> = new Set(['input', 'output', 'metadata']);
