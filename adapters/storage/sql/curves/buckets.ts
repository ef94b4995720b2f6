// The points of one curve, gathered into the buckets of a grid.
import { bucketOf, type Curve, type CurveColumns, type CurveGrid } from '#ports/storage/curves';
import type { Spans } from '../metrics/spans.js';
import { edgeOf } from './grid.js';

export interface Buckets {
  /** Takes points in the order of arrival; `skip` of the first were given before. */
  addPoints(places: Float64Array, values: Float64Array, skip: number): void;
  /** Takes a span that has a part in the range. */
  addSpan(spans: Spans, at: number): void;
  finish(): Pick<Curve, 'columns' | 'points' | 'skipped' | 'spansCut'>;
}

/** So near to an edge of a bucket, as a part of the place, it is looked up on which side a point lies: edges are rounded. */
const nearEdge = 1e-12;

/** A moving average over numbers as they come: what it began with, 0, is taken out of it. */
const createAverage = (weight: number) => {
  let [sum, left] = [0, 1];
  return (value: number, count: number): number => {
    const kept = count === 1 ? weight : weight ** count;
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
    {
      count: many,
      mean,
      low,
      high,
    }: { readonly [name in 'count' | 'mean' | 'low' | 'high']: number },
    among: readonly number[],
  ): void => {
    const known = [...new Set(among)].filter((bucket) => bucket >= 0).sort((a, b) => a - b);
    const share = high > low ? (Math.min(high, to) - Math.max(low, from)) / (high - low) : 1;
    const whole = Math.max(known.length, Math.round(many * share));
    const widths = known.map((bucket) =>
      Math.max(0, Math.min(high, edgeOf(grid, bucket + 1)) - Math.max(low, edgeOf(grid, bucket))),
    );
    const wide = widths.reduce((total, width) => total + width, 0);
    let left = whole - known.length;
    known.forEach((bucket, at) => {
      const part = wide > 0 ? ((whole - known.length) * widths[at]!) / wide : 0;
      const more = at === known.length - 1 ? left : Math.min(left, Math.round(part));
      left -= more;
      note(bucket, mean, 1 + more);
    });
  };
  const markIn = (at: number, value: number): number => {
    if (!(at >= from && at <= to)) return -1;
    const bucket = place(at);
    mark(bucket, at, value);
    return bucket;
  };

  return {
    addPoints(places, values, skip) {
      let [many, missed, previous, inOrder] = [0, 0, before, isSorted];
      // What the bucket of the point before has, and between which places points are surely in it: neighbours mostly share one.
      let [bucket, lowest, largest, total, counted] = [-1, 0, 0, 0, 0];
      let [after, until] = [NaN, NaN];
      for (let i = skip; i < values.length; i++) {
        const at = places[i]! - origin;
        if (!(at > after && at < until)) {
          if (!(at >= from && at <= to)) continue;
          const next = place(at);
          if (next !== bucket) {
            if (bucket >= 0) {
              min[bucket] = lowest;
              max[bucket] = largest;
              sum[bucket] = total;
              count[bucket] = counted;
            }
            bucket = next;
            lowest = min[bucket]!;
            largest = max[bucket]!;
            total = sum[bucket]!;
            counted = count[bucket]!;
            after = edgeOf(grid, bucket);
            after += Math.abs(after) * nearEdge;
            until = Math.min(to, edgeOf(grid, bucket + 1));
            until -= Math.abs(until) * nearEdge;
          }
        }
        const value = values[i]!;
        if (value - value !== 0) {
          missed++;
          continue;
        }
        if (at < previous) inOrder = false;
        previous = at;
        if (value < lowest) lowest = value;
        if (value > largest) largest = value;
        total += value;
        counted++;
        many++;
        x[bucket] = at;
        last[bucket] = value;
        if (average !== undefined) smooth[bucket] = average(value, 1);
      }
      if (bucket >= 0) {
        min[bucket] = lowest;
        max[bucket] = largest;
        sum[bucket] = total;
        count[bucket] = counted;
      }
      points += many;
      skipped += missed;
      [before, isSorted] = [previous, inOrder];
    },
    addSpan(spans, at) {
      const [low, high, many] = [
        spans.low[at]! - origin,
        spans.high[at]! - origin,
        spans.count[at]!,
      ];
      skipped += spans.skipped[at]!;
      if (many === 0) return;
      if (low < before) isSorted = false;
      before = high;
      const [atMin, atMax] = [spans.atMin[at]! - origin, spans.atMax[at]! - origin];
      // In the order in which they stand, since the newest of a bucket is the last that is told of.
      const first = atMin <= atMax ? markIn(atMin, spans.min[at]!) : markIn(atMax, spans.max[at]!);
      const second = atMin <= atMax ? markIn(atMax, spans.max[at]!) : markIn(atMin, spans.min[at]!);
      const newest = markIn(spans.atLast[at]! - origin, spans.last[at]!);
      const mean = spans.sum[at]! / many;
      const isInside = low >= from && high <= to;
      if (!isInside || place(low) !== place(high)) spansCut++;
      if (isInside && first === second && second === newest) note(newest, mean, many);
      else if (Math.max(first, second, newest) >= 0)
        spread({ count: many, mean, low, high }, [first, second, newest]);
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
