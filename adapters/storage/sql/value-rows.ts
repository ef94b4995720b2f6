// What is logged of a value as rows: gathered by name, in the one order in which rows are touched, and merged in SQL.
import type { ColumnValues } from '#ports/sql-dialect';
import type { LoggedValue, ValueMoment } from '#ports/storage/values';
import type { Connection } from './connection.js';
import { numberOf } from './metrics/numbers.js';
import { prefixOf, valueKeyOf, valueKinds, type ValueKind } from './value-kinds.js';

const statementCharacters = 1024 * 1024;

interface Extreme extends ValueMoment {
  readonly number: number | undefined;
}
/** All that came of one name. */
export interface Gathered {
  readonly key: string;
  readonly value: LoggedValue;
  readonly min: Extreme;
  readonly max: Extreme;
  readonly last: Extreme;
}

const finiteOf = (text: string): number | undefined => {
  const number = numberOf(text);
  return Number.isFinite(number) ? number : undefined;
};
const toExtreme = ({ text, step, timestamp }: LoggedValue): Extreme => ({
  text,
  step,
  timestamp,
  number: finiteOf(text),
});

/** Whether `next` takes the place of `held` as the smallest (`sign` 1) or largest (`sign` -1); without a number yet, the newest does. */
const replaces = (held: Extreme, next: Extreme, sign: 1 | -1): boolean =>
  held.number === undefined ||
  (next.number !== undefined && next.number * sign < held.number * sign);

const extend = (held: Gathered | undefined, key: string, value: LoggedValue): Gathered => {
  const last = toExtreme(value);
  if (held === undefined) return { key, value, min: last, max: last, last };
  return {
    key,
    value,
    min: replaces(held.min, last, 1) ? last : held.min,
    max: replaces(held.max, last, -1) ? last : held.max,
    last,
  };
};

/** The same name in two writes, of which `next` came later. */
export const extendRow = (held: Gathered, next: Gathered): Gathered => ({
  ...next,
  min: replaces(held.min, next.min, 1) ? next.min : held.min,
  max: replaces(held.max, next.max, -1) ? next.max : held.max,
});

export const toTag = (tag: string, at: number): Gathered => {
  const value = { name: tag, context: undefined, text: tag, step: undefined, timestamp: at };
  const only = { ...value, number: undefined };
  return { key: valueKeyOf(tag), value, min: only, max: only, last: only };
};

/** One entry a name, in the order of keys: the one order in which every transaction touches rows. */
export const gather = (values: readonly LoggedValue[]): readonly Gathered[] => {
  const found = new Map<string, Gathered>();
  for (const value of values) {
    const key = valueKeyOf(value.name);
    found.set(key, extend(found.get(key), key, value));
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
};

/** Characters of a row, roughly. */
export const sizeOf = (row: Gathered): number =>
  500 + row.value.name.length + 3 * row.last.text.length;

/** Pieces of a list that each fit into one statement. */
export function* cutRows(rows: readonly Gathered[]): Iterable<readonly Gathered[]> {
  let piece: Gathered[] = [];
  let size = 0;
  for (const row of rows) {
    const length = sizeOf(row);
    if (piece.length > 0 && size + length > statementCharacters) {
      yield piece;
      [piece, size] = [[], 0];
    }
    piece.push(row);
    size += length;
  }
  if (piece.length > 0) yield piece;
}

const parts = ['text', 'step', 'time', 'number'] as const;

/** Merging in SQL, in an order in which no assignment reads what an earlier one changed. */
export const mergeValues = ({ dialect }: Connection): readonly string[] => {
  const [stored, incoming] = [
    (column: string) => dialect.stored('experiment_values', column),
    (column: string) => dialect.incoming(column),
  ];
  const follow = (end: 'min' | 'max', sign: '<' | '>') => {
    const wins = `(${stored(`${end}_number`)} is null or ${incoming(`${end}_number`)} ${sign} ${stored(`${end}_number`)})`;
    return parts.map(
      (part) =>
        `${end}_${part} = case when ${wins} then ${incoming(`${end}_${part}`)} else ${stored(`${end}_${part}`)} end`,
    );
  };
  return [
    ...['project_id', 'number', 'prefix', 'text', 'time', 'step', 'context'].map(
      (column) => `${column} = ${incoming(column)}`,
    ),
    ...follow('min', '<'),
    ...follow('max', '>'),
  ];
};

const endColumns = (rows: readonly Gathered[], end: 'min' | 'max') => [
  {
    name: `${end}_number`,
    kind: 'real',
    values: rows.map((row) => row[end].number ?? null),
  } as const,
  { name: `${end}_text`, kind: 'text', values: rows.map((row) => row[end].text) } as const,
  { name: `${end}_time`, kind: 'whole', values: rows.map((row) => row[end].timestamp) } as const,
  { name: `${end}_step`, kind: 'whole', values: rows.map((row) => row[end].step ?? null) } as const,
];

/** One name of one experiment. */
export interface PlacedValue {
  readonly experimentId: string;
  readonly kind: ValueKind;
  readonly row: Gathered;
  readonly position: number;
}

const lastColumns = (placed: readonly PlacedValue[]): readonly ColumnValues[] => {
  const rows = placed.map(({ row }) => row);
  return [
    { name: 'experiment_id', kind: 'id', values: placed.map((one) => one.experimentId) },
    { name: 'kind', kind: 'whole', values: placed.map((one) => valueKinds[one.kind]) },
    { name: 'name_key', kind: 'id', values: rows.map((row) => row.key) },
    { name: 'name', kind: 'text', values: rows.map((row) => row.value.name) },
    { name: 'number', kind: 'real', values: rows.map((row) => row.last.number ?? null) },
    { name: 'text', kind: 'text', values: rows.map((row) => row.last.text) },
    { name: 'position', kind: 'whole', values: placed.map((one) => one.position) },
    { name: 'time', kind: 'whole', values: rows.map((row) => row.last.timestamp) },
    { name: 'step', kind: 'whole', values: rows.map((row) => row.last.step ?? null) },
    { name: 'context', kind: 'text', values: rows.map((row) => row.value.context ?? null) },
  ];
};

const prefixColumn = (rows: readonly Gathered[]): ColumnValues => ({
  name: 'prefix',
  kind: 'text',
  values: rows.map((row) => prefixOf(row.last.text)),
});

/** Rows of `experiment_values`, all but the project they are in. */
export const valueColumns = (placed: readonly PlacedValue[]): readonly ColumnValues[] => {
  const rows = placed.map(({ row }) => row);
  return [
    ...lastColumns(placed),
    prefixColumn(rows),
    ...endColumns(rows, 'min'),
    ...endColumns(rows, 'max'),
  ];
};

/** The same with what is sent once, and the columns that are copies of it: most values are short, and come once. */
export const valueColumnsOnce = (
  placed: readonly PlacedValue[],
): { readonly columns: readonly ColumnValues[]; readonly copies: ReadonlyMap<string, string> } => {
  const rows = placed.map(({ row }) => row);
  const isShort = rows.every(({ last }) => prefixOf(last.text) === last.text);
  const single = (end: 'min' | 'max') => rows.every((row) => row[end] === row.last);
  const ends = (['min', 'max'] as const).filter((end) => !single(end));
  return {
    columns: [
      ...lastColumns(placed),
      ...(isShort ? [] : [prefixColumn(rows)]),
      ...ends.flatMap((end) => endColumns(rows, end)),
    ],
    copies: new Map([
      ...(isShort ? [['prefix', 'text'] as const] : []),
      ...(['min', 'max'] as const)
        .filter((end) => !ends.includes(end))
        .flatMap((end) => parts.map((part) => [`${end}_${part}`, part] as const)),
    ]),
  };
};
