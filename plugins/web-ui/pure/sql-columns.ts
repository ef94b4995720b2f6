// The columns of a result, each of one type, as files of columns have them. Pure.
import { cellText, type ResultTable } from './sql.js';

export type { ResultTable } from './sql.js';

export interface TypedColumn {
  readonly name: string;
  readonly type: 'whole' | 'number' | 'flag' | 'text';
  readonly values: (bigint | number | boolean | string | null)[];
}

const isMissing = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

const typeOf = (values: readonly unknown[]): TypedColumn['type'] => {
  const there = values.filter((value) => !isMissing(value));
  if (there.length === 0) return 'text';
  if (there.every((value) => Number.isSafeInteger(value))) return 'whole';
  if (there.every((value) => typeof value === 'number')) return 'number';
  return there.every((value) => typeof value === 'boolean') ? 'flag' : 'text';
};

/** Whole numbers, numbers and flags where all values of a column are; else texts, lists and objects as JSON. */
export const columnsOf = ({ columns, rows }: ResultTable): readonly TypedColumn[] =>
  columns.map((name, at) => {
    const values = rows.map((row) => row[at]);
    const type = typeOf(values);
    return {
      name,
      type,
      values: values.map((value) => {
        if (isMissing(value)) return null;
        if (type === 'whole') return BigInt(value as number); // a whole number, as was just found
        if (type === 'text') return cellText(value);
        return value as number | boolean; // likewise
      }),
    };
  });
