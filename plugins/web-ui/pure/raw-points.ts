// What is drawn as one place of a curve, as the points that it is made of. Pure.
import type { Curve } from './curves.js';
import type { Drawing } from './drawing.js';

/** The part of the axis whose points are drawn where a line has its value: behind the one before, if there is one, and up to its own. */
export const partOfPlace = (
  { x, lines }: Drawing,
  key: string,
  at: number,
): readonly [after: number, to: number] | undefined => {
  const y = lines.find((one) => one.key === key)?.y ?? [];
  const has = (place: number) => y[place] !== null && y[place] !== undefined;
  let place = at;
  for (let away = 0; !has(place); away++) {
    if (away > y.length) return undefined;
    place = has(at + away) ? at + away : at - away;
  }
  let before = place - 1;
  while (before >= 0 && !has(before)) before--;
  return [x[before] ?? -Infinity, x[place] ?? 0];
};

export interface RawPoint {
  readonly run: string;
  readonly x: number;
  readonly value: number;
  /** How many points it stands for: more than one where even the finest grid joins them. */
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

/** The points of a curve behind one place and up to another, in their order. */
export const pointsBetween = (
  { run, x, columns }: Curve,
  [after, to]: readonly [number, number],
): readonly RawPoint[] => {
  const slack = 1e-6 * Math.max(1, Math.abs(to));
  return Array.from(x).flatMap((one, at) => {
    if (one <= after + slack || one > to + slack) return [];
    const of = (name: string) => columns[name]?.[at] ?? Number.NaN;
    return [
      {
        ...{ run, x: one, value: of('last'), count: of('count') },
        ...{ low: of('min'), high: of('max') },
      },
    ];
  });
};
