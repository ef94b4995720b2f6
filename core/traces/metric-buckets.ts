// Buckets of time of a project's metrics, and what a metric asks of the store. Pure.
import { Failure } from '#ports/failure';
import type { Buckets, Grouping, Measure, SeriesPoint } from '#ports/storage/trace-series';
import { stepsOf } from '../private-wire/json-path.js';
import { readInstant, showInstant } from '../private-wire/instants.js';

export type Entity = 'trace' | 'span' | 'thread';
export interface Metric {
  readonly of: Entity;
  readonly measure: Measure;
  /** What its series is called, or what stands before the names that it has. */
  readonly name: string;
}

const metrics: Readonly<Record<string, Metric>> = {
  TRACE_COUNT: { of: 'trace', measure: 'count', name: 'traces' },
  SPAN_COUNT: { of: 'span', measure: 'count', name: 'spans' },
  THREAD_COUNT: { of: 'thread', measure: 'count', name: 'threads' },
  FEEDBACK_SCORES: { of: 'trace', measure: 'scores', name: '' },
  SPAN_FEEDBACK_SCORES: { of: 'span', measure: 'scores', name: '' },
  THREAD_FEEDBACK_SCORES: { of: 'thread', measure: 'scores', name: '' },
  TOKEN_USAGE: { of: 'trace', measure: 'usage', name: '' },
  SPAN_TOKEN_USAGE: { of: 'span', measure: 'usage', name: '' },
  DURATION: { of: 'trace', measure: 'duration', name: 'duration.' },
  SPAN_DURATION: { of: 'span', measure: 'duration', name: 'duration.' },
  THREAD_DURATION: { of: 'thread', measure: 'duration', name: 'duration.' },
  TRACE_P95_DURATION: { of: 'trace', measure: 'p95Duration', name: 'p95_duration' },
  TRACE_AVERAGE_DURATION: { of: 'trace', measure: 'meanDuration', name: 'avg_duration' },
  SPAN_AVERAGE_DURATION: { of: 'span', measure: 'meanDuration', name: 'avg_duration' },
  THREAD_AVERAGE_DURATION: { of: 'thread', measure: 'meanDuration', name: 'avg_duration' },
  TRACE_ERROR_RATE: { of: 'trace', measure: 'errorRate', name: 'error_rate' },
  SPAN_ERROR_RATE: { of: 'span', measure: 'errorRate', name: 'error_rate' },
  COST: { of: 'trace', measure: 'cost', name: 'cost' },
  SPAN_COST: { of: 'span', measure: 'cost', name: 'cost' },
  THREAD_COST: { of: 'thread', measure: 'cost', name: 'cost' },
  GUARDRAILS_FAILED_COUNT: { of: 'trace', measure: 'guardrailsFailed', name: 'failed' },
};

/** What a metric of that name measures. Rejects with `invalid` for an unknown one. */
export const metricOf = (type: string): Metric => {
  const found = Object.hasOwn(metrics, type) ? metrics[type] : undefined;
  if (found === undefined) throw new Failure('invalid', `metric_type ${type} is not known`);
  return found;
};

const hour = 3600 * 1_000_000;
const day = 24 * hour;
/** The first Monday after 1970 began. */
const monday = 4 * day;
const widths: Readonly<Record<string, readonly [number, number]>> = {
  HOURLY: [hour, 0],
  DAILY: [day, 0],
  WEEKLY: [7 * day, monday],
};
const mostBuckets = 10_000;

interface Interval {
  readonly interval: string;
  readonly interval_start: string;
  readonly interval_end?: string | undefined;
}

/** The buckets of a request, the first one from its beginning; without an end they are endless, up to now. Rejects with `invalid` for an end that comes before, and for too many. */
export const readBuckets = (
  { interval, interval_start: start, interval_end: end }: Interval,
  now: number,
): Buckets => {
  const from = readInstant(start, 'interval_start');
  const to = end === undefined ? now : readInstant(end, 'interval_end');
  if (from >= to) throw new Failure('invalid', 'interval_start must be before interval_end');
  const [width, offset] = widths[interval] ?? [to - from, from];
  const first = Math.floor((from - offset) / width) * width + offset;
  if ((to - first) / width > mostBuckets)
    throw new Failure('invalid', `the interval holds more than ${mostBuckets} buckets`);
  return { width, offset, from: first, to, ...(end === undefined ? { endless: true } : {}) };
};

/** When every bucket of a range begins. */
export const beginnings = ({ width, from, to }: Buckets): readonly number[] =>
  Array.from({ length: Math.ceil((to - from) / width) }, (_, n) => from + n * width);

interface Breakdown {
  readonly field?: string | undefined;
  readonly metadata_key?: string | undefined;
}

/** By what a request divides its buckets. Rejects with `unprocessable` for metadata without a key. */
export const readGrouping = ({ field = 'none', metadata_key: key }: Breakdown = {}):
  Grouping | undefined => {
  switch (field) {
    case 'none':
      return undefined;
    case 'metadata': {
      const path = key === undefined ? undefined : stepsOf(key.replace(/^\$\.?/, ''));
      if (path === undefined)
        throw new Failure('unprocessable', 'a breakdown by metadata needs a metadata_key');
      return { by: 'metadata', path };
    }
    case 'name':
    case 'tags':
    case 'model':
    case 'provider':
    case 'type':
    case 'error_type':
    case 'error_info':
      return { by: field };
    default:
      throw new Failure('invalid', `a breakdown by ${field} is not offered`);
  }
};

const counted: readonly Measure[] = ['count', 'guardrailsFailed'];

/** The points as series, with every bucket in each: 0 for counts that have none, null for the rest. */
export const toSeries = (
  points: readonly SeriesPoint[],
  { name, measure }: Metric,
  buckets: Buckets,
  isGrouped: boolean,
) => {
  const series = new Map<string, Map<number, number>>();
  // One that counts is there even where nothing is.
  if (!isGrouped && !['scores', 'usage', 'duration'].includes(measure)) series.set(name, new Map());
  for (const point of points) {
    const own = point.name === undefined ? name : `${name}${point.name}`;
    const called = isGrouped ? (point.group ?? 'unknown') : own;
    const of = series.get(called) ?? new Map<number, number>();
    series.set(called, of.set(point.at, point.value));
  }
  const none = counted.includes(measure) ? 0 : null;
  return [...series].map(([called, of]) => ({
    name: called,
    data: beginnings(buckets).map((at) => ({
      time: showInstant(at),
      value: of.get(at) ?? none,
    })),
  }));
};
