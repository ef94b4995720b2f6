// Sorts batches into runs: the points of one series that one flush writes.
import { seriesIdOf } from './series-ids.js';
import { placeAt, type Place, type Slice } from './points.js';
import type { PreparedBatch } from './prepared.js';

export interface Run {
  readonly experimentId: string;
  readonly seriesId: string;
  /** Both ids in one text. */
  readonly key: string;
  readonly name: string;
  readonly context: string | undefined;
  readonly slices: Slice[];
  count: number;
}

/** The runs of some batches, ordered by experiment and series: the one order in which every transaction touches rows. */
export const gatherRuns = (batches: readonly PreparedBatch[]): Run[] => {
  const runs = new Map<string, Run>();
  for (const { experimentId, columns, stretches } of batches) {
    for (const { name, context, from, to } of stretches) {
      const seriesId = seriesIdOf(name, context);
      const key = experimentId + seriesId;
      const run = runs.get(key);
      if (run === undefined)
        runs.set(key, {
          experimentId,
          seriesId,
          key,
          name,
          context,
          slices: [{ columns, from, to }],
          count: to - from,
        });
      else {
        run.slices.push({ columns, from, to });
        run.count += to - from;
      }
    }
  }
  return [...runs.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
};

/** The smallest, largest and newest of some points; `min` and `max` are absent while no point is a finite number. */
export interface Ends {
  readonly min: Place | undefined;
  readonly max: Place | undefined;
  readonly last: Place;
}

export const findEnds = (slices: readonly Slice[]): Ends => {
  let [low, high] = [Infinity, -Infinity];
  let [lowIn, highIn, lowAt, highAt] = [-1, -1, -1, -1];
  for (let s = 0; s < slices.length; s++) {
    const {
      columns: { values },
      from,
      to,
    } = slices[s]!;
    for (let at = from; at < to; at++) {
      const value = values[at]!;
      if (value < low && value !== -Infinity) {
        low = value;
        lowIn = s;
        lowAt = at;
      }
      if (value > high && value !== Infinity) {
        high = value;
        highIn = s;
        highAt = at;
      }
    }
  }
  const last = slices.at(-1)!;
  return {
    min: lowIn === -1 ? undefined : placeAt(slices[lowIn]!.columns, lowAt),
    max: highIn === -1 ? undefined : placeAt(slices[highIn]!.columns, highAt),
    last: placeAt(last.columns, last.to - 1),
  };
};
