// Entries as the private wire shows them. Pure.
import type { Span, Trace, TraceEntry } from '#ports/model/traces';
import type { SpanFigures } from '#ports/storage/traces';
import { showInstant } from './instants.js';

/** A long member that was cut comes as the beginning of its JSON text. */
const shownCharacters = 10_001;

const valueOf = (json: string | undefined, truncate: boolean): unknown => {
  if (json === undefined) return undefined;
  return truncate && json.length > shownCharacters
    ? json.slice(0, shownCharacters)
    : (JSON.parse(json) as unknown);
};

type Counts = Readonly<Record<string, number>>;
const countsOf = (json: string | undefined): Counts | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as Counts); // the row's shape let whole numbers through alone

/** Null members are left out by the wire's own rule: SDKs read an absent one alike. */
const showEntry = (entry: TraceEntry, truncate: boolean) => ({
  id: entry.id,
  project_id: entry.projectId,
  name: entry.name ?? null,
  start_time: showInstant(entry.startTime),
  end_time: entry.endTime === undefined ? null : showInstant(entry.endTime),
  input: valueOf(entry.input, truncate),
  output: valueOf(entry.output, truncate),
  metadata: valueOf(entry.metadata, truncate),
  tags: entry.tags === undefined ? null : [...entry.tags],
  error_info: (valueOf(entry.errorInfo, false) ?? null) as {
    exception_type: string;
    message?: string;
    traceback: string;
  } | null, // what the row's shape let through
  duration: entry.endTime === undefined ? null : (entry.endTime - entry.startTime) / 1000,
  ttft: entry.ttft ?? null,
  source: entry.source === 'evaluator' ? null : (entry.source ?? null), // the JavaScript SDK drops rows of a source that it does not know
  environment: entry.environment ?? null,
  created_at: showInstant(entry.createdAt),
  created_by: entry.createdBy,
  last_updated_at: showInstant(entry.lastUpdatedAt),
  last_updated_by: entry.lastUpdatedBy,
});

const sumUsage = (spans: readonly SpanFigures[]): Counts | null => {
  const sums: Record<string, number> = {};
  for (const { usage } of spans)
    for (const [name, n] of Object.entries(countsOf(usage) ?? {}))
      sums[name] = (sums[name] ?? 0) + n;
  return Object.keys(sums).length === 0 ? null : sums;
};

/** A trace with what its spans add up to. */
export const showTrace = (trace: Trace, spans: readonly SpanFigures[], truncate = false) => {
  const costs = spans.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const providers = new Set(spans.flatMap(({ provider }) => provider ?? []));
  return {
    ...showEntry(trace, truncate),
    thread_id: trace.threadId ?? null,
    usage: sumUsage(spans),
    total_estimated_cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    span_count: spans.length,
    llm_span_count: spans.filter(({ type }) => type === 'llm').length,
    has_tool_spans: spans.some(({ type }) => type === 'tool'),
    providers: providers.size === 0 ? null : [...providers].sort(),
  };
};

export const showSpan = (span: Span, truncate = false) => ({
  ...showEntry(span, truncate),
  trace_id: span.traceId,
  parent_span_id: span.parentSpanId ?? null,
  type: span.type ?? 'general',
  model: span.model ?? null,
  provider: span.provider ?? null,
  usage: countsOf(span.usage) ?? null,
  total_estimated_cost: span.cost ?? null,
});

/** A row of a stream: absent members are left out, since one SDK reads null and nothing alike and the other checks each row. */
export const toLine = (shown: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify(Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null && value !== undefined)))}\r\n`;
