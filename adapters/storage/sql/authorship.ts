// The columns that say who made a row and who changed it last.
import type { Knex } from 'knex';
import type { Authorship, Touch } from '#ports/model/authorship';
import type { Dialect } from '#ports/sql-dialect';

/** A row as the driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

export const authorshipColumns = [
  'created_at',
  'created_by',
  'last_updated_at',
  'last_updated_by',
] as const;

export const addAuthorship = (table: Knex.CreateTableBuilder, dialect: Dialect): void => {
  table.bigInteger('created_at').notNullable();
  dialect.longText(table, 'created_by').notNullable();
  table.bigInteger('last_updated_at').notNullable();
  dialect.longText(table, 'last_updated_by').notNullable();
};

export const toAuthorship = (row: Row): Authorship => ({
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
  lastUpdatedAt: Number(row['last_updated_at']),
  lastUpdatedBy: String(row['last_updated_by']),
});
export const touchRow = ({ lastUpdatedAt, lastUpdatedBy }: Touch): Row => ({
  last_updated_at: lastUpdatedAt,
  last_updated_by: lastUpdatedBy,
});
export const authorshipRow = (made: Authorship): Row => ({
  created_at: made.createdAt,
  created_by: made.createdBy,
  ...touchRow(made),
});

/** A column of texts. */
export const textIn = (row: Row, column: string): string | undefined => {
  const stored = row[column];
  return stored === null || stored === undefined ? undefined : String(stored);
};
export const wholeIn = (row: Row, column: string): number | undefined => {
  const stored = row[column];
  return stored === null || stored === undefined ? undefined : Number(stored);
};
/** A column that holds JSON text of this shape, as it was written by the same store. */
export const jsonIn = <T>(row: Row, column: string): T | undefined => {
  const stored = textIn(row, column);
  return stored === undefined ? undefined : (JSON.parse(stored) as T); // as it was written
};
export const jsonText = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value);

/** The members of a change that were given, by their columns. */
export const changedColumns = <C extends object>(
  change: C,
  columns: { readonly [M in keyof C]?: string },
): Row =>
  Object.fromEntries(
    Object.entries(columns as Readonly<Record<string, string>>).flatMap(([member, column]) =>
      Object.hasOwn(change, member) && change[member as keyof C] !== undefined
        ? [[column, toColumn(change[member as keyof C])]]
        : [],
    ),
  );
/** Lists and objects are kept as JSON text. */
const toColumn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
