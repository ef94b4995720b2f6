import { once, reads, sets, notifies, type Methods } from './methods.js';

/** One logged point. */
export interface MetricPoint {
  /** The full name, with the context as its prefix. */
  readonly name: string;
  readonly context: string | undefined;
  /** What was logged, exactly; a number stands for the text that it prints as. */
  readonly text: string | number;
  readonly step: number | undefined;
  readonly epoch: number | undefined;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

export interface MetricBatch {
  readonly experimentId: string;
  readonly points: readonly MetricPoint[];
  /** SHA-256 in hex of the request that brought it; a batch of the same experiment with the same digest is stored once. */
  readonly digest?: string;
  readonly receivedAt: number;
  /** Series that the experiment may hold; points of further names are left out and their names told. */
  readonly seriesLimit?: number;
}

export interface Appended {
  readonly outcome: 'stored' | 'duplicate';
  /** Names whose points were left out, because the experiment holds as many series as it may. */
  readonly overLimit: readonly string[];
}

/** A value of a series with where and when it was logged. */
export interface SeriesValue {
  readonly text: string;
  readonly step: number | undefined;
  readonly epoch: number | undefined;
  readonly timestamp: number;
}

export interface Series {
  readonly name: string;
  readonly context: string | undefined;
  readonly count: number;
  /** Smallest and largest finite number; the newest value while there is none. */
  readonly min: SeriesValue;
  readonly max: SeriesValue;
  readonly last: SeriesValue;
}

export type StoredPoint = Omit<MetricPoint, 'name' | 'text'> & { readonly text: string };

/** Points of one series side by side, all arrays of one length: there may be millions, for which no object each is made. */
export interface PointColumns {
  readonly context: string | undefined;
  /** `NaN` where what was logged is no number. */
  readonly values: Float64Array;
  /** What was logged, by the place of its point, where the number does not print like it. */
  readonly texts: ReadonlyMap<number, string>;
  /** `NaN` where a point has no step. */
  readonly steps: Float64Array;
  /** `NaN` where a point has no epoch. */
  readonly epochs: Float64Array;
  readonly timestamps: Float64Array;
}

const orAbsent = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value;

/** The same points, one object each. */
export const pointsIn = ({
  context,
  values,
  texts,
  steps,
  epochs,
  timestamps,
}: PointColumns): readonly StoredPoint[] =>
  Array.from(values, (value, at) => ({
    context,
    text: texts.get(at) ?? String(value),
    step: orAbsent(steps[at]),
    epoch: orAbsent(epochs[at]),
    timestamp: timestamps[at] ?? 0,
  }));

/** A part of a chart: at most as many points as were asked for. */
export interface ChartPoint {
  readonly value: number;
  readonly step: number | undefined;
  readonly epoch: number | undefined;
  readonly timestamp: number;
}

export interface SeriesListing {
  /** Only those of these names. */
  readonly names?: readonly string[];
  /** Only those whose names begin so, to the letter. */
  readonly startsWith?: string;
  readonly limit?: number;
}

export interface MetricStore {
  /**
   * Stores a batch whole or not at all and resolves once it is durable. Answers `duplicate` when a batch of the same digest was
   * stored within the last hour; nothing is stored then. Rejects with `absent` when the experiment is gone, with `unavailable`
   * when the queue is full or the database is away. Points of one series keep the order in which batches were accepted.
   */
  append(batch: MetricBatch): Promise<Appended>;
  /** Series of an experiment in the order of their names; at most `limit`. */
  listSeries(experimentId: string, options?: SeriesListing): Promise<readonly Series[]>;
  countSeries(experimentId: string): Promise<number>;
  /** Every point logged under this name, in the order of arrival, in pieces; several series of one name follow each other. */
  readPoints(experimentId: string, name: string): AsyncIterable<PointColumns>;
  /**
   * The same as items of a JSON list, in UTF-8, each piece one item or more with commas between them: objects of `metricName`, `metricValue` (the text
   * that was logged), `timestamp`, and `step`, `epoch` and `runContext`, which may be null. So that millions can be written beside what answers requests.
   */
  readPointTexts(experimentId: string, name: string): AsyncIterable<Uint8Array>;
  /** Points for a chart, in the order of arrival: all of them up to `limit`, above it the smallest, largest and last of even runs. */
  readChart(experimentId: string, name: string, limit: number): Promise<readonly ChartPoint[]>;
  /** The first `count` points of one series, in the order of arrival, in pieces; what is logged meanwhile is not among them. Rejects when the series is removed on the way. */
  readSeries(
    experimentId: string,
    series: Pick<Series, 'name' | 'context' | 'count'>,
  ): AsyncIterable<readonly ChartPoint[]>;
  /** Nothing more is expected for now: small chunks may be merged, however few. */
  queueCompaction(experimentIds: readonly string[]): Promise<void>;
  /** Removes every series of this name. Says whether there was one. */
  remove(experimentId: string, name: string): Promise<boolean>;
}

export const metricMethods: Methods<MetricStore> = {
  append: notifies('points', once),
  listSeries: reads,
  countSeries: reads,
  readPoints: reads,
  readPointTexts: reads,
  readChart: reads,
  readSeries: reads,
  queueCompaction: sets,
  remove: notifies('points', once),
};
