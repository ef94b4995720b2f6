// The columns of a table of runs, as they stand in an address: `metric:val%2Facc:max`. Pure.

export const columnKinds = [
  'parameter',
  'other',
  'metric',
  'tag',
  'metadata',
  'environment',
] as const;
export const columnValues = ['last', 'min', 'max'] as const;
export interface RunColumn {
  readonly kind: (typeof columnKinds)[number];
  readonly name: string;
  readonly value?: (typeof columnValues)[number];
}

/** What a column is called above it. */
export const labelOf = ({ name, value, kind }: RunColumn): string =>
  kind === 'metric' && value !== undefined && value !== 'last' ? `${name} (${value})` : name;

/** A column as text, which `readColumn` reads back. */
export const writeColumn = ({ kind, name, value }: RunColumn): string =>
  [kind, encodeURIComponent(name), ...(value === undefined ? [] : [value])].join(':');

/** The column of a text; nothing for what is none. */
export const readColumn = (text: string): RunColumn | undefined => {
  const [word, name, of] = text.split(':');
  const kind = columnKinds.find((one) => one === word);
  const value = columnValues.find((one) => one === of);
  if (kind === undefined || name === undefined || name === '') return undefined;
  try {
    return { kind, name: decodeURIComponent(name), ...(value === undefined ? {} : { value }) };
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
