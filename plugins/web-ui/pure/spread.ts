// How far the values of a group lie from their mean, as it is told and drawn: by deviation, by the error of the mean, or from end to end. Pure.
import { formatNumber } from './format.js';

export const spreads = ['deviation', 'standard error', 'range'] as const;
export type Spread = (typeof spreads)[number];

export const readSpread = (text: string | null): Spread =>
  spreads.find((one) => one === text) ?? 'deviation';

/** Before the number of runs: what is told of them. */
export const spreadWords: Readonly<Record<Spread, string>> = {
  deviation: 'mean ± deviation',
  'standard error': 'mean ± standard error',
  range: 'mean, smallest to largest',
};

export interface GroupFigures {
  readonly n: number;
  readonly mean: number | null;
  /** Of a sample. */
  readonly deviation: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** The two ends of the spread; nothing where there is none, as of one value. */
export const endsOf = (
  { n, mean, deviation, min, max }: GroupFigures,
  spread: Spread,
): readonly [number, number] | undefined => {
  if (n < 2 || mean === null) return undefined;
  if (spread === 'range') return min === null || max === null ? undefined : [min, max];
  if (deviation === null) return undefined;
  const by = spread === 'deviation' ? deviation : deviation / Math.sqrt(n);
  return [mean - by, mean + by];
};

const short = (value: number, digits: number) => formatNumber(Number(value.toPrecision(digits)));

/** The mean as it is told; a dash where there is none. */
export const meanText = ({ n, mean }: GroupFigures): string =>
  n === 0 || mean === null ? '–' : short(mean, 4);

/** The spread as it is told beside the mean; empty where there is none. */
export const spreadText = (of: GroupFigures, spread: Spread): string => {
  const ends = endsOf(of, spread);
  if (ends === undefined) return '';
  return spread === 'range'
    ? `${short(ends[0], 4)} to ${short(ends[1], 4)}`
    : `± ${short((ends[1] - ends[0]) / 2, 2)}`;
};

/** Figures of these values. */
export const figuresOf = (values: readonly number[]): GroupFigures => {
  const n = values.length;
  if (n === 0) return { n, mean: null, deviation: null, min: null, max: null };
  const mean = values.reduce((sum, one) => sum + one, 0) / n;
  const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return {
    n,
    mean,
    deviation: n < 2 ? null : Math.sqrt(squares / (n - 1)),
    min: Math.min(...values),
    max: Math.max(...values),
  };
};
