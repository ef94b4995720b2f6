// Runs of a project in the order of any columns, and the values that a page shows.
import type { Knex } from 'knex';
import type { RunPosition, RunQuery, RunTableStore } from '#ports/storage/run-table';
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
import { behind, compileKey, lookAt, orderKey, readKey, selectKey, type Contents } from './keys.js';

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

const select = async (on: Knex, { sql, bindings }: Fragment): Promise<readonly Row[]> =>
  (await on.select('*').from(on.raw(`(${sql}) as found`, bindings as never))) as readonly Row[]; // knex types bindings more narrowly than drivers take them; every select below has an id

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
      contents[at] ?? { nameKeys: [], numbers: true, texts: true },
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

const hasLinks = async (on: Knex, projectId: string): Promise<boolean> =>
  (await on('experiment_links')
    .select('experiment_id')
    .where({ project_id: projectId })
    .first()) !== undefined;

const partsAsked = (projectId: string, linked: boolean) => {
  const [home, links] = partsOf(projectId);
  return [{ part: home, home: true }, ...(linked ? [{ part: links, home: false }] : [])];
};

const findRows = async (
  connection: Connection,
  query: RunQuery,
  linked: boolean,
): Promise<readonly Row[]> => {
  const { db, dialect } = connection;
  const { projectId, sort, after, limit } = query;
  const contents = await lookAt(
    connection,
    projectId,
    sort.map(({ column }) => column),
  );
  const descending = sort.length === 0 ? [true] : sort.map((one) => one.descending);
  const runs = unionAll(
    partsAsked(projectId, linked).map((one) => selectRuns(connection, query, one, contents)),
  );
  const order = [
    ...sort.map((one, at) => orderKey(dialect, at, one.descending)),
    `id ${descending[0] === false ? 'asc' : 'desc'}`,
  ].join(', ');
  return select(
    db,
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
  return (await select(connection.db, unionAll(runs))).reduce(
    (sum, row) => sum + Number(row.id),
    0,
  );
};

/** Whether what a query sorts by or asks for comes from copies of metrics. */
const readsMetrics = ({ condition, sort }: RunQuery): boolean =>
  asksForMetrics(condition) || sort.some(({ column }) => column.kind === 'metric');

export const runTableStore = (
  connection: Connection,
  searchable: Searchable,
  turns: Semaphore,
): RunTableStore => ({
  page: (query) =>
    turns.take(query.signal, async () => {
      if (readsMetrics(query)) await refreshProject(connection, searchable, query.projectId);
      return connection.dialect.withLargeWorkMem(connection.db, query.signal, async (on) => {
        const inside = { ...connection, db: on };
        const linked = await hasLinks(on, query.projectId);
        const rows = await findRows(inside, query, linked);
        const shown = rows.slice(0, query.limit);
        const ids = shown.map((row) => row.id);
        const last = rows.length > query.limit ? shown.at(-1) : undefined;
        const next: RunPosition | undefined =
          last === undefined
            ? undefined
            : { id: last.id, keys: query.sort.map((_, at) => readKey(last, at)) };
        const { keys, columns } = await readCells(inside, ids, query.columns);
        return { total: await countRuns(inside, query, linked), ids, keys, columns, next };
      });
    }),
});
