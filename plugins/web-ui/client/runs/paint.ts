// Runs coloured by what they have under a column: each text or few numbers by a colour of its own, many numbers by a scale.
import { sameColumn, type RunColumn } from '../../pure/columns.js';
import { formatNumber, formatValue } from '../../pure/format.js';
import { groupName } from '../../pure/grouping.js';
import { axisOf, sequential } from '../../pure/plots.js';
import type { Painted } from '../charts/colours.js';
import type { RunRows } from './rows.js';

/** With more numbers than these, a scale tells more than colours of their own. */
const mostValues = 8;

export interface Paint {
  readonly by: ReadonlyMap<string, Painted>;
  /** What the colours mean: keys of values, or the ends of the scale. */
  readonly legend: readonly { readonly name: string; readonly of: Painted }[];
}

/** The values of runs in a column, by the run. */
export const valuesBy = (rows: RunRows, columns: readonly RunColumn[], column: RunColumn) => {
  const place = new Map(rows.keys.map((key, at) => [key, at]));
  const values = rows.values[columns.findIndex(sameColumn(column))] ?? [];
  return (run: string) => values[place.get(run) ?? -1] ?? null;
};

export const paintOf = (
  rows: RunRows,
  columns: readonly RunColumn[],
  column: RunColumn,
  runs: readonly string[],
): Paint => {
  const valueOf = valuesBy(rows, columns, column);
  const all = [...new Set(runs.map(valueOf))];
  const numbers = all.filter((one) => typeof one === 'number');
  if (numbers.length > mostValues && numbers.length >= all.length - 1) {
    const axis = axisOf(numbers, formatNumber);
    const at = (part: number | undefined): Painted =>
      part === undefined
        ? { light: 'rgb(128 128 128)', dark: 'rgb(128 128 128)' }
        : { light: sequential(part, false), dark: sequential(part, true) };
    return {
      by: new Map(runs.map((run) => [run, at(axis.place(valueOf(run)))])),
      legend: axis.ticks.map(({ at: part, label }) => ({ name: label, of: at(part) })),
    };
  }
  const keyOf = (value: unknown): Painted => ({ key: `value ${groupName(value)}` });
  return {
    by: new Map(runs.map((run) => [run, keyOf(valueOf(run))])),
    legend: all.map((value) => ({
      name: typeof value === 'number' ? formatValue(value) : groupName(value),
      of: keyOf(value),
    })),
  };
};
