// What a page says, apart from how: the same facts, tables and drawings become text, Markdown, CSV, a picture or a file of their own. Pure.
import type { Drawing } from './drawing.js';
import { csvLine, formatNumber, formatSpan, formatValue } from './format.js';

export type SheetCell = string | number | null;
/** How numbers of a column are read: as themselves, as instants or as spans of time, both in ms. */
export type CellForm = 'plain' | 'time' | 'span';

export interface SheetColumn {
  readonly name: string;
  readonly form: CellForm;
}
export interface SheetTable {
  readonly title: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly (readonly SheetCell[])[];
  /** How deep each row stands below the ones above, where they are a tree. */
  readonly depths?: readonly number[];
}
export interface SheetChart {
  readonly title: string;
  readonly drawing: Drawing;
  /** How much of how much is drawn. */
  readonly says: string;
}
export interface SheetText {
  readonly title: string;
  readonly text: string;
}
/** Bars along one axis of time, as a trace is drawn. */
export interface SheetBar {
  readonly name: string;
  readonly depth: number;
  /** In parts of 100 of the axis. */
  readonly left: number;
  readonly width: number;
  readonly says: string;
  readonly mark: 'usual' | 'slow' | 'error';
}

export interface Sheet {
  readonly title: string;
  /** The path of the page, from the server's root. */
  readonly path: string;
  /** How much is shown of how much, a sentence each. */
  readonly says: readonly string[];
  /** Where its rows are not all: so many of how many, for the name of a file that has no other room for it. */
  readonly cut?: string | undefined;
  /** Likewise of its charts. */
  readonly chartsCut?: string | undefined;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly tables: readonly SheetTable[];
  readonly charts: readonly SheetChart[];
  readonly bars: readonly SheetBar[];
  readonly texts: readonly SheetText[];
  /** What the page is made of, for programs. */
  readonly data: unknown;
}

/** A sheet of what is given, with nothing of the rest. */
export const sheetOf = (given: Pick<Sheet, 'title' | 'path' | 'data'> & Partial<Sheet>): Sheet => ({
  says: [],
  facts: [],
  tables: [],
  charts: [],
  bars: [],
  texts: [],
  ...given,
});

export const plainColumns = (...names: readonly string[]): readonly SheetColumn[] =>
  names.map((name) => ({ name, form: 'plain' }));

/** The words for rows of which there are more. */
export const cutOf = (shown: number, total: number): string | undefined =>
  shown < total ? `first ${shown} of ${total}` : undefined;

/** A value of any kind as a cell. */
export const cellOf = (value: unknown): SheetCell =>
  value === null || value === undefined
    ? null
    : typeof value === 'number' || typeof value === 'string'
      ? value
      : formatValue(value);

/** An instant to the second, in UTC; the number itself where no calendar has it. */
export const formatInstant = (at: number): string =>
  Math.abs(at) > 8.64e15 || !Number.isFinite(at)
    ? String(at)
    : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A cell as it is read. */
export const showSheetCell = (cell: SheetCell, form: CellForm): string => {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell;
  return form === 'time'
    ? formatInstant(cell)
    : form === 'span'
      ? formatSpan(cell)
      : formatNumber(cell);
};

/** A table as CSV, numbers as they are. */
export const tableCsv = ({ columns, rows }: SheetTable): string =>
  [csvLine(columns.map(({ name }) => name)), ...rows.map(csvLine)]
    .map((line) => `${line}\n`)
    .join('');

const blocks = '▁▂▃▄▅▆▇█';
/** A curve in so many letters; what is missing or no number leaves a gap. */
export const sparkOf = (values: readonly (number | null)[], letters = 16): string => {
  const finite = values.filter((one): one is number => one !== null && Number.isFinite(one));
  if (finite.length === 0) return '';
  let [low, high] = [Infinity, -Infinity];
  for (const one of finite) [low, high] = [Math.min(low, one), Math.max(high, one)];
  const count = Math.min(letters, values.length);
  return Array.from({ length: count }, (_, at) => {
    const part = values
      .slice(
        Math.floor((at * values.length) / count),
        Math.floor(((at + 1) * values.length) / count),
      )
      .filter((one): one is number => one !== null && Number.isFinite(one));
    if (part.length === 0) return ' ';
    const mean = part.reduce((sum, one) => sum + one, 0) / part.length;
    const step = high === low ? 3 : Math.round(((mean - low) / (high - low)) * (blocks.length - 1));
    return blocks[step] ?? ' ';
  }).join('');
};

/** The curves of a chart as a table: where each line begins and ends, and its shape. */
export const curveTable = ({ title, drawing }: SheetChart): SheetTable => ({
  title,
  columns: plainColumns('name', 'curve', 'first', 'last', 'smallest', 'largest'),
  rows: drawing.lines.map(({ name, y }) => {
    let [first, last, low, high] = [null, null, Infinity, -Infinity] as [
      number | null,
      number | null,
      number,
      number,
    ];
    for (const one of y) {
      if (one === null || !Number.isFinite(one)) continue;
      first ??= one;
      last = one;
      [low, high] = [Math.min(low, one), Math.max(high, one)];
    }
    const within = y.slice(
      y.findIndex((one) => one !== null),
      y.findLastIndex((one) => one !== null) + 1,
    );
    return [
      name,
      sparkOf(within),
      first,
      last,
      first === null ? null : low,
      first === null ? null : high,
    ];
  }),
});
