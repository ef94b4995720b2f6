import { reads, type Methods } from './methods.js';

/** What a curve is drawn over: step and epoch as logged, `relative` in milliseconds since an origin, `wall` in milliseconds since the epoch. */
export type CurveAxis = 'step' | 'epoch' | 'relative' | 'wall';

export interface CurveOf {
  readonly experimentId: string;
  /** The full name of the metric; of a name with several contexts every point counts. */
  readonly name: string;
  /** What `relative` counts from, in milliseconds since the epoch; 0 where nothing is said. */
  readonly originAt?: number;
}

export interface CurvesQuery {
  readonly series: readonly CurveOf[];
  readonly axis: CurveAxis;
  /** The first and last place that are looked at, both included; where one is absent, it is that of all series together. */
  readonly from?: number;
  readonly to?: number;
  /** Most buckets of the grid, which is cut evenly: by the places themselves or by their logarithms. */
  readonly buckets: number;
  readonly scale: 'linear' | 'logarithmic';
  /** From 0 to below 1: the weight of a point in a moving average against the one that follows it. */
  readonly smoothing?: number;
}

/** One grid for all curves of a call: bucket `i` begins at `from + i * (to - from) / buckets`, or evenly by logarithms; the last includes `to`. */
export interface CurveGrid {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  readonly scale: 'linear' | 'logarithmic';
}

/** The bucket in which a place of the range lies. */
export const bucketOf = ({ from, to, buckets, scale }: CurveGrid): ((x: number) => number) => {
  if (!(to > from) || buckets === 1) return () => 0;
  const last = buckets - 1;
  if (scale === 'linear') {
    const width = to - from;
    return (x) => Math.min(last, Math.floor(((x - from) / width) * buckets));
  }
  const width = Math.log(to / from);
  return (x) => Math.min(last, Math.max(0, Math.floor((Math.log(x / from) / width) * buckets)));
};

/** Columns of one length, a number for each bucket that is not empty, in the order of the buckets. */
export interface CurveColumns {
  readonly bucket: Float64Array;
  /** Where the point of `last` stands. */
  readonly x: Float64Array;
  /** The point of the bucket that arrived last. */
  readonly last: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly mean: Float64Array;
  /** Points that `mean` is of. */
  readonly count: Float64Array;
  /** The moving average at the end of the bucket, without its bias to 0; absent where none was asked for. */
  readonly smooth?: Float64Array;
}

export interface Curve {
  readonly columns: CurveColumns;
  /** Finite points within the range: every one of them is in some bucket. */
  readonly points: number;
  /** Points of the series that have no place on the axis: logged without a step, or without an epoch. */
  readonly unplaced: number;
  /** Points within the range whose value is no finite number. */
  readonly skipped: number;
  /** Spans of points across an edge of a bucket, whose points were counted and averaged together: 0 where every point was looked at. */
  readonly spansCut: number;
  /** Points of the series altogether, and when and with which value the last of them came: what changes when one is added. */
  readonly total: number;
  readonly lastAt: number | undefined;
}

export interface Curves {
  /** `undefined` while no series has a point on the axis and no range was given. */
  readonly grid: CurveGrid | undefined;
  /** In the order of the query; a series that is not there is a curve of no points. */
  readonly curves: readonly Curve[];
}

/** Series at any zoom. Nothing is sampled: each smallest and largest value is in the bucket in which it lies. */
export interface CurveStore {
  /**
   * Curves over one grid. A point is seen from its acknowledgement on. Where a range holds few points, each is looked at; where it holds many, spans of
   * 1,024 stand for them, and the grid has fewer buckets than were asked for where those would hold less than two spans. Rejects with `invalid` when the
   * range ends before it begins, begins at or below 0 on a logarithmic scale, or more is asked for than one reply may hold.
   */
  read(query: CurvesQuery): Promise<Curves>;
  /** A text of 64 characters that changes when a point is added to one of these series, or one of them is removed, or one of the texts `beside` them differs. */
  mark(series: readonly CurveOf[], beside?: readonly string[]): Promise<string>;
}

export const curveMethods: Methods<CurveStore> = {
  read: reads,
  mark: reads,
};
