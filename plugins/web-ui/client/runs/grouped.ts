// Runs of a table by what they have under some columns together.
import { sameColumn, type RunColumn } from '../../pure/columns.js';
import { groupName, groupsOf } from '../../pure/grouping.js';
import type { RunRows } from './rows.js';

/** Groups of these runs, in the order of their first run; nothing where there is nothing to group by. */
export const groupsBy = (
  {
    rows,
    columns,
    by,
  }: {
    readonly rows: RunRows;
    readonly columns: readonly RunColumn[];
    readonly by: readonly RunColumn[];
  },
  runs: readonly string[],
): ReturnType<typeof groupsOf> | undefined => {
  if (by.length === 0) return undefined;
  const lists = by.map((one) => rows.values[columns.findIndex(sameColumn(one))] ?? []);
  const place = new Map(rows.keys.map((key, at) => [key, at]));
  return groupsOf(runs, (run) =>
    lists.map((list) => groupName(list[place.get(run) ?? -1])).join(' · '),
  );
};
