// What widgets of traces can show, by the words of the server, and what people call it.
import { formatCount, formatNumber } from '../../pure/format.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';

/** Figures of a project over time. */
export const metricWords: Readonly<Record<string, string>> = {
  TRACE_COUNT: 'Traces',
  TRACE_ERROR_RATE: 'Failed traces, %',
  DURATION: 'Duration of traces, ms',
  TRACE_P95_DURATION: 'p95 duration of traces, ms',
  TRACE_AVERAGE_DURATION: 'Mean duration of traces, ms',
  COST: 'Cost, dollars',
  TOKEN_USAGE: 'Tokens',
  FEEDBACK_SCORES: 'Scores of traces',
  GUARDRAILS_FAILED_COUNT: 'Guardrails that failed',
  SPAN_COUNT: 'Spans',
  SPAN_ERROR_RATE: 'Failed spans, %',
  SPAN_DURATION: 'Duration of spans, ms',
  SPAN_AVERAGE_DURATION: 'Mean duration of spans, ms',
  SPAN_COST: 'Cost of spans, dollars',
  SPAN_TOKEN_USAGE: 'Tokens of spans',
  SPAN_FEEDBACK_SCORES: 'Scores of spans',
  THREAD_COUNT: 'Threads',
  THREAD_DURATION: 'Duration of threads, ms',
  THREAD_AVERAGE_DURATION: 'Mean duration of threads, ms',
  THREAD_COST: 'Cost of threads, dollars',
  THREAD_FEEDBACK_SCORES: 'Scores of threads',
};

/** One figure of traces or spans. */
export const figureWords: Readonly<Record<string, string>> = {
  trace_count: 'Traces',
  span_count: 'Spans',
  llm_span_count: 'Spans of models',
  thread_count: 'Threads',
  error_count: 'Failed',
  'duration.p50': 'Median duration',
  'duration.p90': 'p90 duration',
  'duration.p99': 'p99 duration',
  total_estimated_cost_sum: 'Cost',
  total_estimated_cost: 'Mean cost',
  'usage.total_tokens': 'Tokens, on average',
  'usage.prompt_tokens': 'Tokens of prompts, on average',
  'usage.completion_tokens': 'Tokens of answers, on average',
  input: 'With an input',
  output: 'With an output',
  metadata: 'With metadata',
  tags: 'Tags, on average',
  guardrails_failed_count: 'Guardrails that failed',
};

/** A figure as people read it. */
export const formatFigure = (name: string, value: number): string => {
  if (name.startsWith('duration')) return formatDuration(value);
  if (name.startsWith('total_estimated_cost')) return formatCost(value);
  return Number.isInteger(value) ? formatCount(value) : formatNumber(Number(value.toPrecision(4)));
};

/** By what figures over time can be broken down. */
export const breakdownWords: Readonly<Record<string, string>> = {
  none: 'nothing',
  name: 'name',
  tags: 'tag',
  model: 'model',
  provider: 'provider',
  error_type: 'kind of error',
  type: 'type of span',
};
