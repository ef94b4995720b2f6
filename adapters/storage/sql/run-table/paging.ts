import {
  mostCounted,
  type RunPage,
  type RunPosition,
  type RunQuery,
} from '#ports/storage/run-table';
import type { Connection } from '../connection.js';
import { fragment, joined, unionAll } from '../fragment.js';
import { readCells } from './cells.js';
import { behind, nothingFound, orderKey, readKey, type Looked } from './keys.js';
import { runRows, type Row } from './rows.js';
import { selectPart, selectRuns } from './selecting.js';
import { canSift, canWalk, siftRuns, walkRuns, type Walk } from './walk.js';

/** Whether the runs are counted by the statement that sorts them: an engine that puts all of them aside for it, row by row, counts cheaper by another. */
const countsBeside = ({ dialect }: Connection, query: RunQuery): boolean =>
  query.uncounted !== true && dialect.packed !== undefined;

/** Every run with its keys, counted where that costs little, and the first of them: what any order of any runs can be had by. */
const sortRuns = async (
  connection: Connection,
  query: RunQuery,
  looked: Looked,
): Promise<readonly Row[]> => {
  const { dialect } = connection;
  const { sort, after, limit } = query;
  const descending = sort.length === 0 ? [true] : sort.map((one) => one.descending);
  const order = [
    ...sort.map((one, at) => orderKey(dialect, at, one.descending)),
    `id ${descending[0] === false ? 'asc' : 'desc'}`,
  ].join(', ');
  return runRows(
    connection,
    joined(
      `select * from (select r.*${countsBeside(connection, query) ? ', count(*) over () as total' : ''} from (`,
      selectRuns(
        connection,
        query,
        sort.map(({ column }) => column),
        looked,
      ),
      ') r) r where ',
      after === undefined ? fragment('1 = 1') : behind(dialect, descending, after.keys, after.id),
      ` order by ${order} limit ${limit + 1}`,
    ),
  );
};

const countRuns = async (
  connection: Connection,
  query: RunQuery,
  looked: Looked,
): Promise<number> => {
  if (query.uncounted === true) return 0;
  const counts = (looked.linked ? [true, false] : [true]).map((home) =>
    joined(
      'select count(*) as id from (',
      selectPart(connection, query, [], { home, looked }),
      ` limit ${mostCounted}) c`,
    ),
  );
  const rows = await runRows(connection, unionAll(counts));
  return Math.min(
    mostCounted,
    rows.reduce((sum, row) => sum + Number(row.id), 0),
  );
};

const toPage = async (
  connection: Connection,
  query: RunQuery,
  rows: readonly Row[],
): Promise<Omit<RunPage, 'total'>> => {
  const { limit, sort } = query;
  const shown = rows.slice(0, limit);
  const ids = shown.map((row) => row.id);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next: RunPosition | undefined =
    last === undefined ? undefined : { id: last.id, keys: sort.map((_, at) => readKey(last, at)) };
  return { ids, next, ...(await readCells(connection, ids, query)) };
};

const walkOf = (connection: Connection, query: RunQuery, looked: Looked): Walk | undefined => {
  const [first] = query.sort;
  return first === undefined
    ? undefined
    : {
        connection,
        query,
        ...first,
        contents: looked.contents[0] ?? nothingFound,
        linked: looked.linked
          ? selectPart(connection, query, [first.column], { home: false, looked })
          : undefined,
      };
};

/** Works with what reads of all runs need, ended where nobody waits any more. */
const overAll = <T>(
  connection: Connection,
  { signal }: RunQuery,
  work: (inside: Connection) => Promise<T>,
): Promise<T> =>
  connection.dialect.withLargeWorkMem(connection.db, signal, (on) =>
    work({ ...connection, db: on, inTransaction: true }),
  );

const sortAndCount = (
  connection: Connection,
  query: RunQuery,
  looked: Looked,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> =>
  overAll(connection, query, async (inside) => {
    const rows = await sortRuns(inside, query, looked);
    const [first] = rows;
    return {
      rows,
      total:
        first === undefined || !countsBeside(connection, query)
          ? await countRuns(inside, query, looked)
          : Math.min(mostCounted, Number(first['total'])),
    };
  });

export const findPage = async (
  connection: Connection,
  query: RunQuery,
  looked: Looked,
): Promise<RunPage> => {
  const walk = walkOf(connection, query, looked);
  const find =
    walk === undefined
      ? undefined
      : canWalk(query, looked.contents)
        ? walkRuns
        : canSift(walk, looked.contents)
          ? siftRuns
          : undefined;
  if (walk !== undefined && find !== undefined) {
    const [page, total] = await Promise.all([
      find(walk).then((rows) => rows && toPage(connection, query, rows)),
      // Counting all that satisfy a condition may take long; where there is none, an index has them.
      find === walkRuns
        ? countRuns(connection, query, looked)
        : overAll(connection, query, (inside) => countRuns(inside, query, looked)),
    ]);
    if (page !== undefined) return { total, ...page };
    const { rows } = await sortAndCount(connection, { ...query, uncounted: true }, looked);
    return { total, ...(await toPage(connection, query, rows)) };
  }
  const { rows, total } = await sortAndCount(connection, query, looked);
  return { total, ...(await toPage(connection, query, rows)) };
};
