// The points of one curve, gathered into the buckets of a grid.
import { bucketOf, type Curve, type CurveColumns, type CurveGrid } from '#ports/storage/curves';
import { edgeOf } from './grid.js';

/** What stands for the points of a full chunk: places are those of the axis, counted from the curve's origin. */
export interface SpanOf {
  readonly count: number;
  readonly skipped: number;
  readonly low: number;
  readonly high: number;
  readonly min: number;
  readonly max: number;
  readonly last: number;
  readonly sum: number;
  readonly atMin: number;
  readonly atMax: number;
  readonly atLast: number;
}

export interface Buckets {
  /** Takes points in the order of arrival; `skip` of the first were given before. */
  addPoints(places: Float64Array, values: Float64Array, skip: number): void;
  /** Takes a span that has a part in the range. */
  addSpan(span: SpanOf): void;
  finish(): Pick<Curve, 'columns' | 'points' | 'skipped' | 'spansCut'>;
}

/** A moving average over numbers as they come: what it began with, 0, is taken out of it. */
const createAverage = (weight: number) => {
  let [sum, left] = [0, 1];
  return (value: number, count: number): number => {
    const kept = weight ** count;
    sum = sum * kept + value * (1 - kept);
    left *= kept;
    return sum / (1 - left);
  };
};

/** The same over buckets, for points that did not come in the order of the axis. */
const smoothBuckets = (
  weight: number,
  { mean, count }: Pick<CurveColumns, 'mean' | 'count'>,
): Float64Array => {
  const average = createAverage(weight);
  return mean.map((value, at) => average(value, count[at]!));
};

export const createBuckets = (
  grid: CurveGrid,
  origin: number,
  smoothing: number | undefined,
): Buckets => {
  const { from, to, buckets } = grid;
  const place = bucketOf(grid);
  const column = () => new Float64Array(buckets);
  const [x, last, sum, count, smooth] = [column(), column(), column(), column(), column()];
  const [min, max] = [column().fill(Infinity), column().fill(-Infinity)];
  const average = smoothing === undefined ? undefined : createAverage(smoothing);
  let [points, skipped, spansCut, isSorted, before] = [0, 0, 0, true, -Infinity];

  /** One point that is known to be in the range. */
  const mark = (bucket: number, at: number, value: number): void => {
    x[bucket] = at;
    last[bucket] = value;
    if (value < min[bucket]!) min[bucket] = value;
    if (value > max[bucket]!) max[bucket] = value;
  };
  const note = (bucket: number, value: number, many: number): void => {
    count[bucket]! += many;
    sum[bucket]! += value * many;
    points += many;
    if (average !== undefined) smooth[bucket] = average(value, many);
  };

  /** Counts the points of a span in those of these buckets in which some are known to be: evenly by how much of the span lies there. */
  const spread = (
    span: SpanOf,
    [low, high]: readonly [number, number],
    among: Set<number>,
  ): void => {
    const known = [...among].sort((a, b) => a - b);
    const share = high > low ? (Math.min(high, to) - Math.max(low, from)) / (high - low) : 1;
    const whole = Math.max(known.length, Math.round(span.count * share));
    const widths = known.map((bucket) =>
      Math.max(0, Math.min(high, edgeOf(grid, bucket + 1)) - Math.max(low, edgeOf(grid, bucket))),
    );
    const wide = widths.reduce((total, width) => total + width, 0);
    let left = whole - known.length;
    known.forEach((bucket, at) => {
      const more =
        at === known.length - 1
          ? left
          : Math.min(
              left,
              Math.round(wide > 0 ? ((whole - known.length) * widths[at]!) / wide : 0),
            );
      left -= more;
      note(bucket, span.sum / span.count, 1 + more);
    });
  };

  return {
    addPoints(places, values, skip) {
      for (let i = skip; i < values.length; i++) {
        const at = places[i]! - origin;
        if (!(at >= from && at <= to)) continue;
        const value = values[i]!;
        if (value - value !== 0) {
          skipped++;
          continue;
        }
        if (at < before) isSorted = false;
        before = at;
        const bucket = place(at);
        mark(bucket, at, value);
        count[bucket]!++;
        sum[bucket]! += value;
        points++;
        if (average !== undefined) smooth[bucket] = average(value, 1);
      }
    },
    addSpan(span) {
      const [low, high] = [span.low - origin, span.high - origin];
      skipped += span.skipped;
      if (span.count === 0) return;
      if (low < before) isSorted = false;
      before = high;
      const known = new Set<number>();
      const extremes = [[span.atMin, span.min] as const, [span.atMax, span.max] as const];
      if (span.atMin > span.atMax) extremes.reverse();
      for (const [stored, value] of [...extremes, [span.atLast, span.last] as const]) {
        const at = stored - origin;
        if (!(at >= from && at <= to)) continue;
        const bucket = place(at);
        known.add(bucket);
        mark(bucket, at, value);
      }
      const isInside = low >= from && high <= to;
      if (!isInside || place(low) !== place(high)) spansCut++;
      if (known.size === 1 && isInside) note([...known][0]!, span.sum / span.count, span.count);
      else if (known.size > 0) spread(span, [low, high], known);
    },
    finish() {
      const filled = Float64Array.from(
        Array.from(count.keys()).filter((bucket) => count[bucket]! > 0),
      );
      const pick = (of: Float64Array) => filled.map((bucket) => of[bucket]!);
      const [counts, sums] = [pick(count), pick(sum)];
      const mean = sums.map((total, at) => total / counts[at]!);
      const smoothed =
        smoothing === undefined
          ? {}
          : {
              smooth: isSorted ? pick(smooth) : smoothBuckets(smoothing, { mean, count: counts }),
            };
      return {
        columns: {
          bucket: filled,
          x: pick(x),
          last: pick(last),
          min: pick(min),
          max: pick(max),
          mean,
          count: counts,
          ...smoothed,
        },
        points,
        skipped,
        spansCut,
      };
    },
  };
};
