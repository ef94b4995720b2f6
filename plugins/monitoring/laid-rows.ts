// Rows of a table by column, as they go to another thread: names of columns are said once, and what all rows have in common too. Pure.
import type { Cell, PluginRow } from '#ports/plugin-tables';

/** What each row has in a column, or what all of them have. */
type Column = readonly Cell[] | { readonly all: Cell };

export interface LaidRows {
  readonly length: number;
  readonly names: readonly string[];
  readonly columns: readonly Column[];
}

const common = (cells: readonly Cell[]): Column => {
  const [first = null] = cells;
  return cells.every((cell) => cell === first) ? { all: first } : cells;
};

/** Nothing where rows name other columns than the first. */
export const layRows = (rows: readonly PluginRow[]): LaidRows | undefined => {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((): Cell[] => []);
  for (const row of rows) {
    if (Object.keys(row).length !== names.length) return undefined;
    for (let at = 0; at < names.length; at++) {
      const cell = row[names[at] ?? ''];
      if (cell === undefined) return undefined;
      columns[at]?.push(cell);
    }
  }
  return { length: rows.length, names, columns: columns.map(common) };
};

const cellAt = (column: Column | undefined, row: number): Cell =>
  (column !== undefined && 'all' in column ? column.all : column?.[row]) ?? null;

export const liftRows = ({ length, names, columns }: LaidRows): readonly PluginRow[] =>
  Array.from({ length }, (_, row) => {
    const lifted: Record<string, Cell> = {};
    for (let at = 0; at < names.length; at++) lifted[names[at] ?? ''] = cellAt(columns[at], row);
    return lifted;
  });
