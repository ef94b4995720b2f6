// The columns of a table of runs, as they stand in an address: `metric:val%2Facc:max`. Pure.

export const columnKinds = [
  'parameter',
  'other',
  'metric',
  'tag',
  'metadata',
  'environment',
] as const;
export const columnValues = ['last', 'best', 'min', 'max'] as const;
export type Direction = 'minimize' | 'maximize';
export interface RunColumn {
  readonly kind: (typeof columnKinds)[number];
  readonly name: string;
  readonly value?: (typeof columnValues)[number];
  /** Of a best value, which is the better. */
  readonly direction?: Direction;
}

/** Words in the names of metrics of which less is better. */
const lessIsBetter = new Set(
  'losses errors err mse rmse mae mape nll perplexity ppl wer cer fid ece brier latency seconds duration'.split(
    ' ',
  ),
);
/** Which value of a metric is the better, by its name. */
export const usualDirection = (name: string): Direction =>
  name
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => lessIsBetter.has(word) || /(?:loss|error)$/.test(word))
    ? 'minimize'
    : 'maximize';

/** The same column with another value of it; a best one by the direction that is given, or by its name. */
export const withValue = (
  { kind, name }: RunColumn,
  value: (typeof columnValues)[number],
  direction?: Direction,
): RunColumn =>
  value === 'best'
    ? { kind, name, value, direction: direction ?? usualDirection(name) }
    : { kind, name, value };

/** What a column is called above it. */
export const labelOf = ({ name, value, kind }: RunColumn): string =>
  kind === 'metric' && value !== undefined && value !== 'last' ? `${name} (${value})` : name;

/** A column as text, which `readColumn` reads back. */
export const writeColumn = ({ kind, name, value, direction }: RunColumn): string =>
  [
    kind,
    encodeURIComponent(name),
    ...(value === undefined ? [] : [value]),
    ...(direction === undefined || direction === usualDirection(name) ? [] : [direction]),
  ].join(':');

/** The column of a text; nothing for what is none. */
export const readColumn = (text: string): RunColumn | undefined => {
  const [word, name, of, way] = text.split(':');
  const kind = columnKinds.find((one) => one === word);
  const value = columnValues.find((one) => one === of);
  if (kind === undefined || name === undefined || name === '') return undefined;
  try {
    const column = { kind, name: decodeURIComponent(name) };
    if (value === undefined) return column;
    return withValue(column, value, way === 'minimize' || way === 'maximize' ? way : undefined);
  } catch {
    return undefined;
  }
};

/** Whether a column is that one, whatever value of it is meant. */
export const sameColumn = (one: RunColumn) => (other: RunColumn) =>
  one.kind === other.kind && one.name === other.name;

/** Where that very column stands, the value of it that is meant too; -1 where it does not. */
export const placeOfColumn = (columns: readonly RunColumn[], column: RunColumn): number =>
  columns.findIndex((one) => one === column || writeColumn(one) === writeColumn(column));

/** Whether the values of a column are not all the same. */
export const differs = (values: readonly unknown[]): boolean => {
  const [first, ...others] = values.map((value) => JSON.stringify(value ?? null));
  return others.some((one) => one !== first);
};
