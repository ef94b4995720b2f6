// What the cells of the list show. Stored text becomes text and nothing else.
import { formatAgo, formatCount, formatNumber } from '../../pure/format.js';
import { scoreOf } from '../../pure/trace-list.js';
import { formatCost, formatDuration, previewOf } from '../../pure/trace-values.js';
import type { TraceRow } from './rows.js';

const scoresText = (of: TraceRow['feedback_scores']): string =>
  (of ?? []).map(({ name, value }) => `${name} ${formatNumber(value)}`).join(' · ');
const scoreText = (of: TraceRow['feedback_scores'], name: string): string => {
  const found = of?.find((one) => one.name === name);
  return found === undefined ? '' : formatNumber(found.value);
};
const counted = (count: number | undefined): string =>
  count === undefined ? '' : formatCount(count);

const shows: Readonly<Record<string, (of: TraceRow, now: number) => string>> = {
  start: ({ start_time: at }, now) => (at === undefined ? '' : formatAgo(Date.parse(at), now)),
  duration: ({ duration }) => (duration === undefined ? 'running' : formatDuration(duration)),
  input: ({ input }) => previewOf(input),
  output: ({ output }) => previewOf(output),
  tags: ({ tags }) => (tags ?? []).join(', '),
  tokens: ({ usage }) => counted(usage?.['total_tokens']),
  cost: ({ total_estimated_cost: cost }) => (cost === undefined ? '' : formatCost(cost)),
  scores: ({ feedback_scores: scores }) => scoresText(scores),
  error: ({ error_info: error }) =>
    error === undefined
      ? ''
      : `✗ ${error.exception_type}${error.message ? `: ${error.message}` : ''}`,
  thread: ({ thread_id: thread }) => thread ?? '',
  spans: ({ span_count: count }) => counted(count),
  'first token': ({ ttft }) => (ttft === undefined ? '' : formatDuration(ttft)),
  metadata: ({ metadata }) => (metadata === undefined ? '' : previewOf(metadata)),
  providers: ({ providers }) => (providers ?? []).join(', '),
  source: ({ source }) => source ?? '',
  environment: ({ environment }) => environment ?? '',
  'created by': ({ created_by: by }) => by ?? '',
};

export const cellText = (column: string, of: TraceRow, now: number): string => {
  const score = scoreOf(column);
  return score === undefined
    ? (shows[column]?.(of, now) ?? '')
    : scoreText(of.feedback_scores, score);
};

/** All of it, for who points at a cell. */
export const wholeText = (column: string, of: TraceRow): string =>
  column === 'start' && of.start_time !== undefined
    ? new Date(of.start_time).toLocaleString()
    : cellText(column, of, Date.now());

export const isNumeric = (column: string): boolean =>
  ['duration', 'tokens', 'cost', 'spans', 'first token'].includes(column) ||
  scoreOf(column) !== undefined;

const widths: Readonly<Record<string, number>> = {
  start: 84,
  duration: 88,
  input: 240,
  output: 240,
  tags: 120,
  tokens: 84,
  cost: 104,
  scores: 150,
  error: 180,
  thread: 120,
  spans: 70,
  metadata: 200,
};
export const widthOf = (column: string): number => widths[column] ?? 110;
