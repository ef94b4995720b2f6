import type { PluginRow, PluginTables } from '#ports/plugin-tables';

/** Rows that one transaction removes at most. */
const atOnce = 500;

/** Removes every row that has these values of an index, as far as `until` and with it; some at a time, so that none is held for long. */
export const removeEvery = async (
  tables: PluginTables,
  table: string,
  index: string,
  equals: PluginRow,
  until?: PluginRow,
): Promise<void> => {
  const options = { limit: atOnce, ...(until === undefined ? {} : { until }) };
  while ((await tables.removeAll(table, index, equals, options)) === atOnce);
};
