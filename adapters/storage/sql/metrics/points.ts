/** One logged value of a metric, as a chunk keeps it. */
export interface Point {
  /** `NaN` when the logged value was not a number; infinities and the sign of zero are kept. */
  readonly value: number;
  /** What was logged, kept only where the number does not print like it (`True`, `122.0`, a 64-bit integer); well-formed Unicode. */
  readonly text: string | undefined;
  /** A safe integer, negative too. */
  readonly step: number | undefined;
  /** A safe integer, negative too. */
  readonly epoch: number | undefined;
  /** Milliseconds since the Unix epoch, a safe integer. */
  readonly timestamp: number;
}

/** The points of a chunk side by side, all arrays of one length; what charts read, since no object is made for a point. */
export interface Columns {
  readonly values: Float64Array;
  readonly timestamps: Float64Array;
  /** `NaN` where a point has no step. */
  readonly steps: Float64Array;
  /** `NaN` where a point has no epoch. */
  readonly epochs: Float64Array;
  /** Texts by the place of their point. */
  readonly texts: ReadonlyMap<number, string>;
}

/** The same points, one object each, in the same order. */
export const gatherPoints = (columns: Columns): Point[] => {
  const points: Point[] = new Array<Point>(columns.values.length);
  for (let at = 0; at < points.length; at++) {
    points[at] = {
      value: columns.values[at]!,
      text: columns.texts.get(at),
      step: orAbsent(columns.steps[at]!),
      epoch: orAbsent(columns.epochs[at]!),
      timestamp: columns.timestamps[at]!,
    };
  }
  return points;
};

const orAbsent = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** The points from a place on. */
export const columnsFrom = (columns: Columns, from: number): Columns =>
  from === 0
    ? columns
    : {
        values: columns.values.subarray(from),
        timestamps: columns.timestamps.subarray(from),
        steps: columns.steps.subarray(from),
        epochs: columns.epochs.subarray(from),
        texts: new Map(
          [...columns.texts].flatMap(([at, text]) => (at < from ? [] : [[at - from, text]])),
        ),
      };

/** Some neighbouring points of columns, up to but not including `to`. */
export interface Slice {
  readonly columns: Columns;
  readonly from: number;
  readonly to: number;
}

/** One point with where it stands. */
export interface Place {
  readonly value: number;
  readonly text: string;
  readonly step: number | undefined;
  readonly epoch: number | undefined;
  readonly timestamp: number;
}

export const placeAt = (columns: Columns, at: number): Place => {
  const value = columns.values[at]!;
  return {
    value,
    text: columns.texts.get(at) ?? String(value),
    step: orAbsent(columns.steps[at]!),
    epoch: orAbsent(columns.epochs[at]!),
    timestamp: columns.timestamps[at]!,
  };
};

/** Points as one slice. */
export const toSlice = (points: readonly Point[]): Slice => {
  const column = (pick: (point: Point) => number) => Float64Array.from(points, pick);
  const texts = new Map<number, string>();
  points.forEach(({ text }, at) => {
    if (text !== undefined) texts.set(at, text);
  });
  return {
    columns: {
      values: column((point) => point.value),
      timestamps: column((point) => point.timestamp),
      steps: column((point) => point.step ?? NaN),
      epochs: column((point) => point.epoch ?? NaN),
      texts,
    },
    from: 0,
    to: points.length,
  };
};
