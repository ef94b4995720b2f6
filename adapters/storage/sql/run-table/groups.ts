// Runs in groups of equal values: how many there are, what is told of their numbers, and which values are the most frequent.
import type {
  FrequentValue,
  GroupFigures,
  GroupQuery,
  RunGroups,
  ValueQuery,
} from '#ports/storage/run-table';
import type { Dialect } from '#ports/sql-dialect';
import type { Connection } from '../connection.js';
import { both, fragment, joined } from '../fragment.js';
import { lookAt, orderKey, readKey, type Looked } from './keys.js';
import { runRows, type Row } from './rows.js';
import { selectRuns } from './selecting.js';

const places = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** What tells groups apart, and how each key is read back: texts by their code points, where the engine would take more of them for equal. */
const groupWords = (dialect: Dialect, count: number) => {
  const [by, read] = [
    (at: number) => `rank${at}, number${at}, ${dialect.byCodePoints(`text${at}`)}`,
    (at: number) => `rank${at}, number${at}, min(text${at}) as text${at}`,
  ];
  return {
    by: places(count).map(by).join(', '),
    read: places(count).map(read).join(', '),
    order: places(count)
      .map((at) => orderKey(dialect, at, false))
      .join(', '),
  };
};

/** Beyond it, sums of squares are too large for a double. */
const largest = 1e150;

const toFigures = (row: Row | undefined): GroupFigures => {
  const numberOf = (member: string): number | undefined => {
    const stored = row?.[member];
    return stored === null || stored === undefined ? undefined : Number(stored);
  };
  const [min, max] = [numberOf('low'), numberOf('high')];
  const tooLarge = Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0)) > largest;
  return {
    n: Number(row?.['n'] ?? 0),
    mean: tooLarge ? undefined : numberOf('mean'),
    deviation: tooLarge ? undefined : numberOf('deviation'),
    min,
    max,
  };
};

const readFigures = async (
  connection: Connection,
  query: GroupQuery,
  looked: Looked,
  at: number,
): Promise<ReadonlyMap<string, Row>> => {
  const column = query.columns[at];
  if (column === undefined) return new Map();
  const last = query.by.length;
  const words = groupWords(connection.dialect, last);
  const contents = [...looked.contents.slice(0, last), ...looked.contents.slice(last + at)];
  const runs = selectRuns(connection, query, [...query.by, column], { ...looked, contents });
  // Cases, no condition: an engine would expect few runs to satisfy it, and look up the others' keys one by one.
  const number = `case when rank${last} = 0 then number${last} end`;
  const bounded = `case when rank${last} = 0 and abs(number${last}) <= ${largest} then number${last} end`;
  const rows = await runRows(
    connection,
    joined(
      `select * from (select ${words.read}, count(${number}) as n, avg(${bounded}) as mean, stddev_samp(${bounded}) as deviation, min(${number}) as low, max(${number}) as high from (`,
      runs,
      `) r group by ${words.by}) g order by ${words.order} limit ${query.limit}`,
    ),
  );
  return new Map(rows.map((row) => [keyOf(row, last), row]));
};

const keysOf = (row: Row, count: number) => places(count).map((at) => readKey(row, at));
const keyOf = (row: Row, count: number): string => JSON.stringify(keysOf(row, count));

export const findGroups = async (connection: Connection, query: GroupQuery): Promise<RunGroups> => {
  const { by, columns, limit } = query;
  const looked = await lookAt(connection, query.projectId, [...by, ...columns]);
  const words = groupWords(connection.dialect, by.length);
  return connection.dialect.withLargeWorkMem(connection.db, query.signal, async (on) => {
    const inside = { ...connection, db: on };
    const rows = await runRows(
      inside,
      joined(
        `select * from (select ${words.read}, count(*) as runs from (`,
        selectRuns(inside, query, by, looked),
        `) r group by ${words.by}) g order by ${words.order} limit ${limit + 1}`,
      ),
    );
    const figures: ReadonlyMap<string, Row>[] = [];
    for (const at of columns.keys()) figures.push(await readFigures(inside, query, looked, at));
    return {
      groups: rows.slice(0, limit).map((row) => ({
        keys: keysOf(row, by.length),
        runs: Number(row['runs']),
        figures: figures.map((found) => toFigures(found.get(keyOf(row, by.length)))),
      })),
      more: rows.length > limit,
    };
  });
};

/** Numbers have no beginning that an index knows: so many of the most frequent ones are looked at. */
const mostLookedAt = 10_000;

export const findValues = async (
  connection: Connection,
  query: ValueQuery,
): Promise<readonly FrequentValue[]> => {
  const { column, prefix, limit } = query;
  const { dialect } = connection;
  const looked = await lookAt(connection, query.projectId, [column]);
  const words = groupWords(dialect, 1);
  const begins =
    prefix === undefined || prefix === ''
      ? fragment('1 = 1')
      : joined('(rank0 = 0 or ', dialect.holdsText('text0', 'startsWith', prefix), ')');
  const rows = await dialect.withLargeWorkMem(connection.db, query.signal, async (on) => {
    const inside = { ...connection, db: on };
    return runRows(
      inside,
      joined(
        `select * from (select ${words.read}, count(*) as runs from (`,
        selectRuns(inside, query, [column], looked),
        ') r where ',
        both(fragment('rank0 < 2'), begins),
        ` group by ${words.by}) g order by runs desc, ${words.order} limit ${prefix === undefined ? limit : mostLookedAt}`,
      ),
    );
  });
  return rows
    .flatMap((row) => {
      const value = readKey(row, 0);
      return value === null ? [] : [{ value, runs: Number(row['runs']) }];
    })
    .filter(({ value }) => String(value).startsWith(prefix ?? ''))
    .slice(0, limit);
};
