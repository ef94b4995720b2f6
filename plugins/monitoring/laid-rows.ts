// Rows of a table by column, as they go to another thread: names of columns are said once. Pure.
import type { Cell, PluginRow } from '#ports/plugin-tables';

export interface LaidRows {
  readonly names: readonly string[];
  readonly columns: readonly (readonly Cell[])[];
}

/** Nothing where rows name other columns than the first. */
export const layRows = (rows: readonly PluginRow[]): LaidRows | undefined => {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((): Cell[] => []);
  for (const row of rows) {
    if (Object.keys(row).length !== names.length) return undefined;
    for (const [at, name] of names.entries()) {
      const cell = row[name];
      if (cell === undefined) return undefined;
      columns[at]?.push(cell);
    }
  }
  return { names, columns };
};

export const liftRows = ({ names, columns }: LaidRows): readonly PluginRow[] =>
  Array.from({ length: columns[0]?.length ?? 0 }, (_, row) => {
    const lifted: Record<string, Cell> = {};
    for (let at = 0; at < names.length; at++) lifted[names[at] ?? ''] = columns[at]?.[row] ?? null;
    return lifted;
  });
