// Runs of a project in the order of any columns, and the values that a page shows.
import type { RunPage, RunPosition, RunQuery, RunTableStore } from '#ports/storage/run-table';
import type { Fragment } from '#ports/sql-dialect';
import { compileCondition } from '../conditions.js';
import type { Connection } from '../connection.js';
import { both, fragment, joined, unionAll } from '../fragment.js';
import type { Searchable } from '../metrics/searchable.js';
import { refreshProject } from '../refresh-project.js';
import { partsOf, type Part } from '../search-pages.js';
import { asksForMetrics } from '../search.js';
import type { Semaphore } from '../semaphore.js';
import { readCells } from './cells.js';
import { runRows, type Row } from './rows.js';
import { canWalk, walkRuns } from './walk.js';
import {
  behind,
  compileKey,
  nothingFound,
  lookAt,
  orderKey,
  readKey,
  selectKey,
  type Contents,
} from './keys.js';

/** The runs of one part of a project that satisfy the condition, and what they are sorted by. */
const selectRuns = (
  { dialect, clock }: Connection,
  { projectId, condition, archived, sort }: RunQuery,
  { part, home }: { readonly part: Part; readonly home: boolean },
  contents: readonly Contents[],
): Fragment => {
  const now = clock.now();
  const keys = sort.map(({ column }, at) =>
    compileKey(
      { home: home ? projectId : undefined, now },
      column,
      contents[at] ?? nothingFound,
      at,
    ),
  );
  const asked = compileCondition(
    { dialect, now, among: home ? { home: projectId, tested: true } : 'each' },
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

const partsAsked = (projectId: string, linked: boolean) => {
  const [home, links] = partsOf(projectId);
  return [{ part: home, home: true }, ...(linked ? [{ part: links, home: false }] : [])];
};

interface Looked {
  readonly linked: boolean;
  readonly contents: readonly Contents[];
}

const findRows = async (
  connection: Connection,
  query: RunQuery,
  { linked, contents }: Looked,
): Promise<readonly Row[]> => {
  const { dialect } = connection;
  const { projectId, sort, after, limit } = query;
  const descending = sort.length === 0 ? [true] : sort.map((one) => one.descending);
  const runs = unionAll(
    partsAsked(projectId, linked).map((one) => selectRuns(connection, query, one, contents)),
  );
  const order = [
    ...sort.map((one, at) => orderKey(dialect, at, one.descending)),
    `id ${descending[0] === false ? 'asc' : 'desc'}`,
  ].join(', ');
  return runRows(
    connection,
    joined(
      'select * from (',
      runs,
      ') r where ',
      after === undefined ? fragment('1 = 1') : behind(dialect, descending, after.keys, after.id),
      ` order by ${order} limit ${limit + 1}`,
    ),
  );
};

const countRuns = async (
  connection: Connection,
  query: RunQuery,
  linked: boolean,
): Promise<number> => {
  const runs = partsAsked(query.projectId, linked).map((one) =>
    joined(
      'select count(*) as id from (',
      selectRuns(connection, { ...query, sort: [] }, one, []),
      ') c',
    ),
  );
  return (await runRows(connection, unionAll(runs))).reduce((sum, row) => sum + Number(row.id), 0);
};

/** Whether what a query sorts by or asks for comes from copies of metrics. */
const readsMetrics = ({ condition, sort }: RunQuery): boolean =>
  asksForMetrics(condition) || sort.some(({ column }) => column.kind === 'metric');

const toPage = async (
  connection: Connection,
  query: RunQuery,
  rows: readonly Row[],
): Promise<Omit<RunPage, 'total'>> => {
  const shown = rows.slice(0, query.limit);
  const ids = shown.map((row) => row.id);
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  const next: RunPosition | undefined =
    last === undefined
      ? undefined
      : { id: last.id, keys: query.sort.map((_, at) => readKey(last, at)) };
  return { ids, next, ...(await readCells(connection, ids, query.columns)) };
};

export const runTableStore = (
  connection: Connection,
  searchable: Searchable,
  turns: Semaphore,
): RunTableStore => ({
  page: (query) =>
    turns.take(query.signal, async () => {
      const { projectId, sort, signal } = query;
      if (readsMetrics(query)) await refreshProject(connection, searchable, projectId);
      const looked = await lookAt(
        connection,
        projectId,
        sort.map(({ column }) => column),
      );
      const [first] = sort;
      if (first !== undefined && canWalk(query, looked.contents)) {
        const walk = {
          connection,
          query,
          ...first,
          contents: looked.contents[0] ?? nothingFound,
          linked: looked.linked
            ? selectRuns(connection, query, { part: partsOf(projectId)[1], home: false }, [])
            : undefined,
        };
        const [page, total] = await Promise.all([
          walkRuns(walk).then((rows) => toPage(connection, query, rows)),
          countRuns(connection, query, looked.linked),
        ]);
        return { total, ...page };
      }
      return connection.dialect.withLargeWorkMem(connection.db, signal, async (on) => {
        const inside = { ...connection, db: on };
        const page = await toPage(inside, query, await findRows(inside, query, looked));
        return { total: await countRuns(inside, query, looked.linked), ...page };
      });
    }),
});
