// Spans of time as people ask for them, cut into hours or days. Pure.
import { Failure } from '#ports/failure';
import { dayMs, hourMs } from './needs.js';

export interface Buckets {
  readonly from: number;
  /** Not part of it. */
  readonly to: number;
  readonly widthMs: number;
  /** Beginnings of all buckets. */
  readonly starts: readonly number[];
}

const mostBuckets = 10_000;
const usualDays = 30;

const timeOf = (name: string, text: string, isEnd: boolean): number => {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const time = Date.parse(isDate || hasZone ? text : `${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(time))
    throw new Failure('invalid', `${name} must be a date or a time of ISO 8601`);
  return isDate && isEnd ? time + dayMs : time;
};

/** Cuts a span; without ends it is the last 30 days, the first bucket whole. A date as the end means all of that day. Throws `invalid` for what is no time, or too many buckets. */
export const bucketsOf = (
  {
    from,
    to,
    intervalType,
  }: {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly intervalType?: 'DAILY' | 'HOURLY' | undefined;
  },
  now: number,
): Buckets => {
  const widthMs = intervalType === 'HOURLY' ? hourMs : dayMs;
  const end = to === undefined ? now + 1 : timeOf('to', to, true);
  const begin = (at: number): number => Math.floor(at / widthMs) * widthMs;
  // From the beginning of an hour or day on, so that sums answer for it.
  const start = from === undefined ? begin(end - usualDays * dayMs) : timeOf('from', from, false);
  if (start >= end) throw new Failure('invalid', 'from must lie before to');
  const first = begin(start);
  const count = Math.ceil((end - first) / widthMs);
  if (count > mostBuckets)
    throw new Failure('invalid', `a series has at most ${mostBuckets} points`);
  return {
    from: start,
    to: end,
    widthMs,
    starts: Array.from({ length: count }, (_, at) => first + at * widthMs),
  };
};

/** Which bucket a time lies in. */
export const bucketAt = ({ starts, widthMs }: Buckets, at: number): number =>
  Math.floor((at - (starts[0] ?? 0)) / widthMs);

/** Beginnings of hours as they were written last: replies about many fields name the same ones. */
const written = new Map<number, string>();
const mostWritten = 20_000;

export const isoOf = (at: number): string => {
  const known = written.get(at);
  if (known !== undefined) return known;
  const text = new Date(at).toISOString();
  if (at % hourMs !== 0) return text;
  if (written.size >= mostWritten) written.clear();
  written.set(at, text);
  return text;
};
