// What a project offers to those who search it. Pure.
import type { NameInUse } from '#ports/storage/search';
import {
  nameColumn,
  occasionalColumns,
  otherColumns,
  sources,
  steadyColumns,
  type Column,
} from '../experiments/query/columns.js';

/** The type by which clients compare a name's values; a tag's only value is its name. */
const typeOf = ({ kind, numeric }: NameInUse): Column['type'] =>
  numeric && kind !== 'tag' ? 'double' : 'string';

/** Columns on the wire: those of every project first, then the names in use in their order, each once. */
export const offerColumns = (
  names: readonly NameInUse[],
): readonly (Column & { readonly id: string })[] => {
  const offered = new Map<string, Column & { readonly id: string }>();
  const logged = names.map((used): Column => ({
    name: used.name,
    source: sources[used.kind],
    type: typeOf(used),
  }));
  for (const column of [...steadyColumns, ...occasionalColumns, ...otherColumns, ...logged]) {
    const id = nameColumn(column);
    if (!offered.has(id)) offered.set(id, { id, ...column });
  }
  return [...offered.values()];
};
