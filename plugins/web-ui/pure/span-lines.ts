// Spans as rows of the server tell of them, without what they were given and gave. Pure.
import type { TraceSpan } from './trace-tree.js';

interface SpanLine {
  readonly id: string;
  readonly parent_span_id?: string;
  readonly name?: string;
  readonly type?: string;
  readonly model?: string;
  readonly start_time?: string;
  readonly end_time?: string;
  readonly total_estimated_cost?: number;
  readonly usage?: Readonly<Record<string, number>>;
  readonly error_info?: { readonly exception_type: string; readonly message?: string | null };
}

/** Members of a span that a tree does not need. */
export const leftOfSpans = [
  'input',
  'output',
  'metadata',
  'comments',
  'tags',
  'feedback_scores',
  'created_by',
  'last_updated_by',
] as const;

/** Spans of the first page, which is what one waits for, and of each after it. */
const [firstSize, pageSize] = [200, 2000];
/** A trace of more is shown by the newest of its spans, and says so. */
export const mostSpans = 50_000;

/** A request for spans of a trace as its tree needs them. */
interface SpansRequest {
  readonly project_id: string;
  readonly trace_id: string;
  readonly exclude: string[];
  readonly limit: number;
  readonly last_retrieved_id?: string;
}

/** The request for the first spans of a trace. */
export const firstSpans = (project_id: string, trace_id: string): SpansRequest => ({
  project_id,
  trace_id,
  exclude: [...leftOfSpans],
  limit: firstSize,
});

/** The request for those behind the last of so many. */
export const nextSpans = (first: SpansRequest, last: string, count: number): SpansRequest => ({
  ...first,
  limit: Math.min(pageSize, mostSpans - count),
  last_retrieved_id: last,
});

/** A line of a search of spans. */
export const spanOfLine = (line: Readonly<Record<string, unknown>>): TraceSpan => {
  const span = line as unknown as SpanLine; // a line of that row is a span
  const start = Date.parse(span.start_time ?? '') || 0;
  const error = span.error_info;
  return {
    id: span.id,
    parent: span.parent_span_id,
    name: span.name ?? span.type ?? 'span',
    type: span.type ?? 'general',
    model: span.model,
    start,
    end: span.end_time === undefined ? undefined : Date.parse(span.end_time),
    cost: span.total_estimated_cost ?? 0,
    tokens: span.usage?.['total_tokens'] ?? 0,
    error:
      error === undefined ? undefined : `${error.exception_type}: ${error.message ?? ''}`.trim(),
  };
};
