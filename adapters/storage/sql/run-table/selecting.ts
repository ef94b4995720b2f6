// The runs of a project that satisfy a condition, at home and linked, with what they are sorted or grouped by.
import type { RunColumn, RunSelection } from '#ports/storage/run-table';
import type { Fragment } from '#ports/sql-dialect';
import { compileCondition } from '../conditions.js';
import type { Connection } from '../connection.js';
import { both, fragment, joined, unionAll } from '../fragment.js';
import type { Searchable } from '../metrics/searchable.js';
import { refreshProject } from '../refresh-project.js';
import { partsOf } from '../search-pages.js';
import { asksForMetrics } from '../search.js';
import { compileKey, nothingFound, selectKey, type Looked } from './keys.js';

/** Selects ids, and each column as a key by its place: of the runs at home, or of the linked ones. */
export const selectPart = (
  { dialect, clock }: Connection,
  { projectId, condition, archived }: RunSelection,
  columns: readonly RunColumn[],
  place: { readonly home: boolean; readonly looked: Looked },
): Fragment => {
  const now = clock.now();
  const home = place.home ? projectId : undefined;
  const part = partsOf(projectId)[place.home ? 0 : 1];
  const keys = columns.map((column, at) =>
    compileKey({ home, now }, column, place.looked.contents[at] ?? nothingFound, at),
  );
  const asked = compileCondition(
    { dialect, now, among: home === undefined ? 'each' : { home, tested: true } },
    condition,
  );
  return joined(
    'select e.id',
    ...keys.flatMap((key, at) => [', ', selectKey(key, at)]),
    ` from ${part.from}`,
    ...keys.map((key) => key.joins),
    ' where ',
    both(part.where, fragment('e.archived = ? and e.deleted_at is null', archived), asked),
  );
};

/** Both parts, or the one that has runs. */
export const selectRuns = (
  connection: Connection,
  selection: RunSelection,
  columns: readonly RunColumn[],
  looked: Looked,
): Fragment =>
  unionAll(
    (looked.linked ? [true, false] : [true]).map((home) =>
      selectPart(connection, selection, columns, { home, looked }),
    ),
  );

/** Brings copies of metrics up to date where they are read, and answers whether any may have changed. Many who ask share it, so nobody takes a turn for it. */
export const refreshFor = async (
  connection: Connection,
  searchable: Searchable,
  { projectId, condition }: RunSelection,
  columns: readonly RunColumn[],
): Promise<boolean> =>
  asksForMetrics(condition) || columns.some(({ kind }) => kind === 'metric')
    ? refreshProject(connection, searchable, projectId)
    : false;
