// Sorts the points of batches into runs: the points of one series that one flush writes.
import type { MetricBatch, MetricPoint, SeriesValue } from '#ports/storage/metrics';
import { idOf } from '../connection.js';
import type { Point } from './points.js';

/** A point that keeps what was logged, for the extremes of its series. */
export interface Extreme {
  readonly value: number | undefined;
  readonly at: SeriesValue;
}

export interface Run {
  readonly experimentId: string;
  readonly seriesId: string;
  readonly name: string;
  readonly context: string | undefined;
  readonly points: Point[];
  min: Extreme;
  max: Extreme;
  last: Extreme;
}

const remembered = new Map<string, string>();
const most = 200_000;

/** The id of a series within its experiment. */
export const seriesIdOf = (name: string, context: string | undefined): string => {
  const both = context === undefined ? name : `${context}\0${name}`;
  const known = remembered.get(both);
  if (known !== undefined) return known;
  if (remembered.size >= most) remembered.clear();
  const id = idOf(name, context ?? '');
  remembered.set(both, id);
  return id;
};

/** Every series that can have this full name: a context is always a prefix that ends before an underscore. */
export const seriesIdsOf = (name: string): readonly string[] => {
  const ids = [seriesIdOf(name, undefined)];
  for (let at = name.indexOf('_'); at !== -1; at = name.indexOf('_', at + 1)) if (at > 0) ids.push(seriesIdOf(name, name.slice(0, at)));
  return ids;
};

const plain = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,17})?$/;

/** The number that a text stands for, `NaN` for what is none; Python's and Java's spellings of the odd ones count. */
export const numberOf = (text: string): number => {
  if (plain.test(text)) return Number(text);
  const trimmed = text.trim();
  if (/^[+-]?(inf|infinity)$/i.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : Number.NaN;
};

const toPoint = (point: MetricPoint): Point => {
  const value = numberOf(point.text);
  return { value, text: String(value) === point.text ? undefined : point.text, step: point.step, epoch: point.epoch, timestamp: point.timestamp };
};

const toExtreme = (point: MetricPoint, value: number): Extreme => ({
  value: Number.isFinite(value) ? value : undefined,
  at: { text: point.text, step: point.step, epoch: point.epoch, timestamp: point.timestamp },
});

/** Whether `next` takes the place of `held` as the smallest (`sign` 1) or largest (`sign` -1); without a number yet, the newest does. */
const replaces = (held: Extreme, next: number, sign: 1 | -1): boolean => held.value === undefined || (Number.isFinite(next) && next * sign < held.value * sign);

const extend = (run: Run, point: MetricPoint): void => {
  const kept = toPoint(point);
  run.points.push(kept);
  if (replaces(run.min, kept.value, 1)) run.min = toExtreme(point, kept.value);
  if (replaces(run.max, kept.value, -1)) run.max = toExtreme(point, kept.value);
  run.last = toExtreme(point, kept.value);
};

const begin = (experimentId: string, seriesId: string, point: MetricPoint): Run => {
  const kept = toPoint(point);
  const extreme = toExtreme(point, kept.value);
  return { experimentId, seriesId, name: point.name, context: point.context, points: [kept], min: extreme, max: extreme, last: extreme };
};

/** The runs of some batches, ordered by experiment and series: the one order in which every transaction touches rows. */
export const gatherRuns = (batches: readonly MetricBatch[]): Run[] => {
  const runs = new Map<string, Run>();
  for (const { experimentId, points } of batches) {
    for (const point of points) {
      const seriesId = seriesIdOf(point.name, point.context);
      const both = experimentId + seriesId;
      const run = runs.get(both);
      if (run === undefined) runs.set(both, begin(experimentId, seriesId, point));
      else extend(run, point);
    }
  }
  return [...runs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, run]) => run);
};
