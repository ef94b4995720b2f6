// What other areas do with traces: store some that come by another wire than the SDKs', filter them, score them.
import type { Span, Trace, TracedKind, TraceEntry } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';
import { awaitRules } from '../automations/offers.js';
import type { FilterTypes } from '../private-wire/filters.js';
import { mergeCreated } from './merging.js';
import { pricesFrom } from './prices.js';
import { jsonOf, readTags, usageOf, withCost } from './reading.js';
import { spanFilters, threadFilters, traceFilters } from './selecting.js';

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
  tags: from.tags === undefined ? undefined : readTags(from.tags),
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
  await awaitRules(stores, storing.projectId, 'span', [...spans.keys()]);
  await stores.traces.changeSpans(storing.projectId, [...spans.keys()], (id, stored) => {
    const fresh = spans.get(id);
    return fresh && mergeCreated(stored, fresh);
  });
  const roots = new Map(
    entries.filter(({ root }) => root).map((one) => [one.traceId, toTrace(one, storing)] as const),
  );
  await awaitRules(stores, storing.projectId, 'trace', [...roots.keys()]);
  await stores.traces.changeTraces(storing.projectId, [...roots.keys()], (id, stored) => {
    const fresh = roots.get(id);
    return fresh && mergeCreated(stored, fresh);
  });
};
