// What an address asks of the traces of a project: which of them, in which order, by which columns. Pure.
import { readList } from './address.js';
import { readFilters, sentFilters, type TraceFilter } from './trace-filters.js';

/** Columns beside the name, and the field that each is sorted by; `undefined` for those that are not sorted. */
export const traceColumns: Readonly<Record<string, string | undefined>> = {
  start: 'start_time',
  duration: 'duration',
  input: undefined,
  output: undefined,
  tags: 'tags',
  tokens: 'usage.total_tokens',
  cost: 'total_estimated_cost',
  scores: undefined,
  error: 'error_info',
  thread: 'thread_id',
  spans: 'span_count',
  'first token': 'ttft',
  metadata: undefined,
  providers: undefined,
  source: undefined,
  environment: 'environment',
  'created by': 'created_by',
};
export const usualColumns = [
  'start',
  'duration',
  'input',
  'output',
  'tags',
  'tokens',
  'cost',
  'scores',
  'error',
  'thread',
] as const;

/** A column of one score is `score:` and its name. */
const scorePrefix = 'score:';
export const scoreColumn = (name: string): string => scorePrefix + name;
export const scoreOf = (column: string): string | undefined =>
  column.startsWith(scorePrefix) ? column.slice(scorePrefix.length) : undefined;
/** The field that a column is sorted by. */
export const sortFieldOf = (column: string): string | undefined => {
  const score = scoreOf(column);
  if (score !== undefined) return `feedback_scores.${score}`;
  return column === 'name'
    ? 'name'
    : Object.hasOwn(traceColumns, column)
      ? traceColumns[column]
      : undefined;
};

const hourMs = 3_600_000;
/** Spans of time before now. */
export const ranges: Readonly<Record<string, number | undefined>> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
  all: undefined,
};
export const usualRange = '30d';

export interface WantedTraces {
  readonly filters: readonly TraceFilter[];
  readonly search: string;
  readonly columns: readonly string[];
  readonly sort: { readonly column: string; readonly descending: boolean } | undefined;
  /** A name of `ranges`; nothing where the address names instants. */
  readonly range: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

const instantOf = (text: string | null): number | undefined => {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
};
const isColumn = (name: string): boolean =>
  Object.hasOwn(traceColumns, name) || (scoreOf(name) ?? '') !== '';

const readSort = (text: string | null): WantedTraces['sort'] => {
  if (text === null || text === '') return undefined;
  const descending = text.startsWith('-');
  const column = descending ? text.slice(1) : text;
  return sortFieldOf(column) === undefined ? undefined : { column, descending };
};

/** Where a span of time before now begins: at the same instant for some time, so that the server sends along what the page asks for. */
const beginOf = (now: number, lasts: number): number => {
  const step = lasts / 720;
  return Math.floor((now - lasts) / step) * step;
};

/** What the address asks for; what it cannot mean is left out. `now` is ms. */
export const wantedTraces = (search: URLSearchParams, now: number): WantedTraces => {
  const [from, to] = [instantOf(search.get('from')), instantOf(search.get('to'))];
  const bounded = (from !== undefined || to !== undefined) && (from ?? 0) < (to ?? Infinity);
  const named = search.get('range') ?? usualRange;
  const range = Object.hasOwn(ranges, named) ? named : usualRange;
  const lasts = ranges[range];
  const columns = readList(search.get('cols')).filter(isColumn);
  return {
    filters: readFilters(search.get('filters')),
    search: search.get('q') ?? '',
    columns: columns.length === 0 ? usualColumns : [...new Set(columns)],
    sort: readSort(search.get('sort')),
    range: bounded ? undefined : range,
    from: bounded ? from : lasts === undefined ? undefined : beginOf(now, lasts),
    to: bounded ? to : undefined,
  };
};

const iso = (at: number): string => new Date(at).toISOString();

/** Which traces are meant, as members of a query of the server. */
export const selectionOf = ({ filters, search, from, to }: WantedTraces) => ({
  ...(filters.length === 0 ? {} : { filters: JSON.stringify(sentFilters(filters)) }),
  ...(search.trim() === '' ? {} : { search: search.trim() }),
  ...(from === undefined ? {} : { from_time: iso(from) }),
  ...(to === undefined ? {} : { to_time: iso(to) }),
});

/** Members of a trace that no column shows. */
const excludedOf = (columns: readonly string[]): readonly string[] => [
  'comments',
  'span_feedback_scores',
  'guardrails_validations',
  'experiment',
  ...['input', 'output', 'metadata'].filter((one) => !columns.includes(one)),
];

/** Rows of a page of the list. */
export const tracesOfPage = 100;

/** A page of the list as it is asked for; pages count from 1. */
export const pageQuery = (wanted: WantedTraces, page: number, size = tracesOfPage) => {
  const field = wanted.sort === undefined ? undefined : sortFieldOf(wanted.sort.column);
  return {
    ...selectionOf(wanted),
    page,
    size,
    truncate: true,
    strip_attachments: true,
    exclude: JSON.stringify(excludedOf(wanted.columns)),
    ...(field === undefined
      ? {}
      : {
          sorting: JSON.stringify([
            { field, direction: wanted.sort?.descending === true ? 'DESC' : 'ASC' },
          ]),
        }),
  };
};

/** The span of time and buckets of charts: hours up to three days, days up to a quarter, else weeks of at most two years. */
export const chartedTime = (
  { from, to }: Pick<WantedTraces, 'from' | 'to'>,
  now: number,
): {
  readonly interval: 'HOURLY' | 'DAILY' | 'WEEKLY';
  readonly from: number;
  readonly to: number;
} => {
  const day = 24 * hourMs;
  const end = Math.min(to ?? now, now);
  const start = Math.max(from ?? end - 365 * day, end - 730 * day);
  const lasts = end - start;
  const interval = lasts <= 3 * day ? 'HOURLY' : lasts <= 92 * day ? 'DAILY' : 'WEEKLY';
  return { interval, from: start, to: end };
};
