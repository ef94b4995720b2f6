// What curves of runs come to: their grid, the curves of groups, and curves over another metric. Pure.
import { bucketOf, type Curve, type CurveColumns, type CurveGrid } from '#ports/storage/curves';

/** One metric of one run. */
export interface RunCurve {
  readonly run: string;
  readonly metric: string;
  readonly curve: Curve;
}

/** Runs that are drawn as one; a name is absent where they lack the parameter by which they are grouped. */
export interface Group {
  readonly name: string | undefined;
  readonly runs: readonly string[];
}

export interface GroupCurve {
  readonly name: string | undefined;
  readonly metric: string;
  readonly runs: readonly string[];
  readonly columns: Readonly<
    Record<'bucket' | 'x' | 'mean' | 'deviation' | 'min' | 'max' | 'count', Float64Array>
  >;
}

/** The mean and deviation of what a group's runs have in each bucket: of their means, or of what is left of them by smoothing. */
export const groupCurves = (
  curves: readonly RunCurve[],
  { name, runs }: Group,
  metric: string,
  buckets: number,
): GroupCurve => {
  const column = () => new Float64Array(buckets);
  const [x, sum, squares, count] = [column(), column(), column(), column()];
  const [min, max] = [column().fill(Infinity), column().fill(-Infinity)];
  const among = new Set(runs);
  const members = curves
    .filter((one) => one.metric === metric && among.has(one.run))
    .map(({ curve }) => curve.columns);
  const each = (visit: (bucket: number, value: number, at: number, of: CurveColumns) => void) => {
    for (const of of members) {
      const values = of.smooth ?? of.mean;
      of.bucket.forEach((bucket, at) => {
        visit(bucket, values[at]!, at, of);
      });
    }
  };
  each((bucket, value, at, of) => {
    count[bucket]!++;
    sum[bucket]! += value;
    x[bucket]! += of.x[at]!;
    min[bucket] = Math.min(min[bucket]!, of.min[at]!);
    max[bucket] = Math.max(max[bucket]!, of.max[at]!);
  });
  each((bucket, value) => {
    squares[bucket]! += (value - sum[bucket]! / count[bucket]!) ** 2;
  });
  const filled = Float64Array.from(Array.from(count.keys()).filter((at) => count[at]! > 0));
  const pick = (of: (bucket: number) => number) => filled.map(of);
  return {
    name,
    metric,
    runs,
    columns: {
      bucket: filled,
      x: pick((bucket) => x[bucket]! / count[bucket]!),
      mean: pick((bucket) => sum[bucket]! / count[bucket]!),
      deviation: pick((bucket) => Math.sqrt(squares[bucket]! / count[bucket]!)),
      min: pick((bucket) => min[bucket]!),
      max: pick((bucket) => max[bucket]!),
      count: pick((bucket) => count[bucket]!),
    },
  };
};

interface Joined {
  readonly x: number;
  readonly at: number;
}

/** The buckets of a curve that another curve of the same run has too, each with where that one stands there. */
const join = (curve: CurveColumns, over: CurveColumns): readonly Joined[] => {
  const places = new Map(Array.from(over.bucket, (bucket, at) => [bucket, over.last[at]!]));
  return Array.from(curve.bucket, (bucket, at) => ({ x: places.get(bucket), at })).filter(
    (one): one is Joined => one.x !== undefined,
  );
};

const gatherJoined = (of: CurveColumns, joined: readonly Joined[], grid: CurveGrid) => {
  const found = new Map<number, Record<Exclude<keyof CurveColumns, 'bucket'>, number>>();
  const place = bucketOf(grid);
  for (const { x, at } of joined) {
    if (!(x >= grid.from && x <= grid.to)) continue;
    const bucket = place(x);
    const before = found.get(bucket);
    const [count, mean] = [of.count[at]!, of.mean[at]!];
    const together = (before?.count ?? 0) + count;
    found.set(bucket, {
      x,
      last: of.last[at]!,
      min: Math.min(before?.min ?? Infinity, of.min[at]!),
      max: Math.max(before?.max ?? -Infinity, of.max[at]!),
      mean: ((before?.mean ?? 0) * (before?.count ?? 0) + mean * count) / together,
      count: together,
      smooth: of.smooth?.[at] ?? NaN,
    });
  }
  const rows = [...found].sort(([a], [b]) => a - b);
  const pick = (name: Exclude<keyof CurveColumns, 'bucket'>) =>
    Float64Array.from(rows, ([, row]) => row[name]);
  return {
    bucket: Float64Array.from(rows, ([bucket]) => bucket),
    x: pick('x'),
    last: pick('last'),
    min: pick('min'),
    max: pick('max'),
    mean: pick('mean'),
    count: pick('count'),
    ...(of.smooth === undefined ? {} : { smooth: pick('smooth') }),
  };
};

/** Curves over another metric: joined by the buckets of the steps that both have, and gathered anew by where the other stands. */
export const joinCurves = (
  curves: readonly RunCurve[],
  over: ReadonlyMap<string, Curve>,
  { from, to, buckets, scale }: Partial<CurveGrid> & Pick<CurveGrid, 'buckets' | 'scale'>,
): { readonly grid: CurveGrid | undefined; readonly curves: readonly RunCurve[] } => {
  const joined = curves.map(({ run, curve }) => {
    const other = over.get(run);
    return other === undefined ? [] : join(curve.columns, other.columns);
  });
  let [low, high] = [Infinity, -Infinity];
  for (const { x } of joined.flat())
    if (scale === 'linear' || x > 0) [low, high] = [Math.min(low, x), Math.max(high, x)];
  const isEmpty = low > high;
  const begin = from ?? (isEmpty ? to : low);
  const end = to ?? (isEmpty ? from : high);
  if (begin === undefined || end === undefined) return { grid: undefined, curves: [] };
  const grid = {
    from: to === undefined ? begin : Math.min(begin, end),
    to: from === undefined ? end : Math.max(begin, end),
    buckets: end > begin ? buckets : 1,
    scale,
  };
  return {
    grid,
    curves: curves.map((one, at) => {
      const columns = gatherJoined(one.curve.columns, joined[at] ?? [], grid);
      const points = columns.count.reduce((sum, count) => sum + count, 0);
      return { ...one, curve: { ...one.curve, columns, points } };
    }),
  };
};
