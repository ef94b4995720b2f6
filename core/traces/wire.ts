// Entries as the private wire shows them. Pure.
import type { Span, Trace, TraceEntry } from '#ports/model/traces';
import type { SpanFigures } from '#ports/storage/traces';
import { showInstant } from '../private-wire/instants.js';

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

/** What there is nothing of is left out, as SDKs expect it. */
const showEntry = (entry: TraceEntry, truncate: boolean) => ({
  id: entry.id,
  project_id: entry.projectId,
  name: entry.name,
  start_time: showInstant(entry.startTime),
  end_time: entry.endTime === undefined ? undefined : showInstant(entry.endTime),
  input: valueOf(entry.input, truncate),
  output: valueOf(entry.output, truncate),
  metadata: valueOf(entry.metadata, truncate),
  tags: entry.tags === undefined ? undefined : [...entry.tags],
  error_info: valueOf(entry.errorInfo, false) as
    | {
        exception_type: string;
        message?: string;
        traceback: string;
      }
    | undefined, // what the row's shape let through
  duration: entry.endTime === undefined ? undefined : (entry.endTime - entry.startTime) / 1000,
  ttft: entry.ttft,
  source: entry.source === 'evaluator' ? undefined : entry.source, // the JavaScript SDK drops rows of a source that it does not know
  environment: entry.environment,
  created_at: showInstant(entry.createdAt),
  created_by: entry.createdBy,
  last_updated_at: showInstant(entry.lastUpdatedAt),
  last_updated_by: entry.lastUpdatedBy,
});

const sumUsage = (spans: readonly SpanFigures[]): Counts | undefined => {
  const sums: Record<string, number> = {};
  for (const { usage } of spans)
    for (const [name, n] of Object.entries(countsOf(usage) ?? {}))
      sums[name] = (sums[name] ?? 0) + n;
  return Object.keys(sums).length === 0 ? undefined : sums;
};

/** A trace with what its spans add up to. */
export const showTrace = (trace: Trace, spans: readonly SpanFigures[], truncate = false) => {
  const costs = spans.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const providers = new Set(spans.flatMap(({ provider }) => provider ?? []));
  return {
    ...showEntry(trace, truncate),
    thread_id: trace.threadId,
    usage: sumUsage(spans),
    total_estimated_cost:
      costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    span_count: spans.length,
    llm_span_count: spans.filter(({ type }) => type === 'llm').length,
    has_tool_spans: spans.some(({ type }) => type === 'tool'),
    providers: providers.size === 0 ? undefined : [...providers].sort(),
  };
};

export const showSpan = (span: Span, truncate = false) => ({
  ...showEntry(span, truncate),
  trace_id: span.traceId,
  parent_span_id: span.parentSpanId,
  type: span.type ?? 'general',
  model: span.model,
  provider: span.provider,
  usage: countsOf(span.usage),
  total_estimated_cost: span.cost,
});

/** A row of a stream. */
export const toLine = (shown: object): string => `${JSON.stringify(shown)}\r\n`;
