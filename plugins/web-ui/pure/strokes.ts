// Which stroke and mark a line has by what is chosen: each run its own, or one for each value of a column. Pure.
import { groupName } from './grouping.js';
import { strokeAt, type Stroke } from './markers.js';

export interface Strokes {
  readonly by: ReadonlyMap<string, Stroke>;
  /** What strokes mean, where they stand for values. */
  readonly legend: readonly { readonly name: string; readonly of: Stroke }[];
}

/** A stroke and a mark for each run, or, where values are given, for each value. */
export const strokesOf = (runs: readonly string[], valueOf?: (run: string) => unknown): Strokes => {
  if (valueOf === undefined)
    return { by: new Map(runs.map((run, at) => [run, strokeAt(at)])), legend: [] };
  const names = [...new Set(runs.map((run) => groupName(valueOf(run))))].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  return {
    by: new Map(runs.map((run) => [run, strokeAt(names.indexOf(groupName(valueOf(run))))])),
    legend: names.map((name, at) => ({ name, of: strokeAt(at) })),
  };
};
