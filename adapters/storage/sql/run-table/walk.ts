// The runs of a project in the order of one column that an index has, read from there a page at a time: numbers, then texts, then the runs without a value.
import type { RunColumn, RunPosition, RunQuery } from '#ports/storage/run-table';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import type { Connection } from '../connection.js';
import { both, either, fragment, joined, unionAll, wrap } from '../fragment.js';
import {
  behind,
  orderKey,
  rankOf,
  valuePlaceOf,
  type Contents,
  type KeyRank,
  type ValuePlace,
} from './keys.js';
import { runRows, type Row } from './rows.js';

interface Walk {
  readonly connection: Connection;
  readonly query: RunQuery;
  readonly column: RunColumn;
  readonly descending: boolean;
  readonly contents: Contents;
  /** Selects every linked run with its key; absent where none is linked. */
  readonly linked: Fragment | undefined;
}

const isEverything = ({ condition }: RunQuery): boolean =>
  condition.type === 'all' && condition.of.length === 0;

/** Whether an index has the order: of the start, or of a value under one key, and of every run. */
export const canWalk = (query: RunQuery, contents: readonly Contents[]): boolean => {
  const [sort] = query.sort;
  if (sort === undefined || query.sort.length > 1 || !isEverything(query)) return false;
  if (sort.column.kind === 'metadata' && sort.column.name === 'start') return true;
  return valuePlaceOf(sort.column)?.value === 'last' && (contents[0]?.nameKeys.length ?? 0) <= 1;
};

const visible = (archived: boolean) =>
  fragment('e.archived = ? and e.deleted_at is null', archived);

/** Behind a place, as a range of an index: the second half alone would be none to every engine. */
const rangeBehind = (
  [key, bound, value]: readonly [string, string, unknown],
  id: string,
  sign: '<' | '>',
  after: RunPosition | undefined,
): Fragment =>
  after === undefined
    ? fragment('1 = 1')
    : both(
        fragment(`${key} ${sign}= ${bound}`, value),
        either(fragment(`${key} ${sign} ${bound}`, value), fragment(`${id} ${sign} ?`, after.id)),
      );

const walkValues = (
  { connection: { dialect }, query, descending }: Walk,
  { kind }: ValuePlace,
  nameKey: string,
  rank: 0 | 1,
  after: RunPosition | undefined,
  limit: number,
): Fragment => {
  const [direction, sign] = descending ? (['desc', '<'] as const) : (['asc', '>'] as const);
  const key = rank === 0 ? 'v.number' : dialect.byCodePoints('v.prefix');
  const bound = rank === 0 ? '?' : dialect.byCodePoints('?');
  const given = after?.keys[0] ?? (rank === 0 ? 0 : '');
  return joined(
    `select v.experiment_id as id, ${rank} as rank0, ${rank === 0 ? 'v.number' : '0e0'} as number0, ${rank === 1 ? 'v.prefix' : "''"} as text0 from experiment_values v join experiments e on e.id = v.experiment_id where `,
    both(
      fragment(
        `v.project_id = ? and v.kind = ${kind} and v.name_key = ? and v.number is ${rank === 0 ? 'not null' : 'null'}`,
        query.projectId,
        nameKey,
      ),
      visible(query.archived),
      rangeBehind([key, bound, given], 'v.experiment_id', sign, after),
    ),
    ` order by ${key} ${direction}, v.experiment_id ${direction} limit ${limit}`,
  );
};

// The id as a text, or an engine would go through the runs of every project in the order of their ids.
const idOfRun = "concat(e.id, '')";

const walkAbsent = (
  { query, descending }: Walk,
  { kind }: ValuePlace,
  nameKey: string | undefined,
  after: RunPosition | undefined,
  limit: number,
): Fragment => {
  const [direction, sign] = descending ? (['desc', '<'] as const) : (['asc', '>'] as const);
  return joined(
    "select e.id, 2 as rank0, 0e0 as number0, '' as text0 from experiments e where ",
    both(
      fragment('e.project_id = ?', query.projectId),
      visible(query.archived),
      nameKey === undefined
        ? fragment('1 = 1')
        : fragment(
            `not exists (select 1 from experiment_values v where v.project_id = ? and v.kind = ${kind} and v.name_key = ? and v.experiment_id = e.id)`,
            query.projectId,
            nameKey,
          ),
      after === undefined ? fragment('1 = 1') : fragment(`${idOfRun} ${sign} ?`, after.id),
    ),
    ` order by ${idOfRun} ${direction} limit ${limit}`,
  );
};

const walkStarts = (
  { query, descending }: Walk,
  after: RunPosition | undefined,
  limit: number,
): Fragment => {
  const [direction, sign] = descending ? (['desc', '<'] as const) : (['asc', '>'] as const);
  return joined(
    "select e.id, 0 as rank0, e.start_time + 0e0 as number0, '' as text0 from experiments e where ",
    both(
      fragment('e.project_id = ?', query.projectId),
      visible(query.archived),
      rangeBehind(['e.start_time', '(? + 0e0)', after?.keys[0] ?? 0], 'e.id', sign, after),
    ),
    ` order by e.start_time ${direction}, e.id ${direction} limit ${limit}`,
  );
};

/** The runs at home of one rank, behind a place; `undefined` where there are none. */
const walkHome = (
  walk: Walk,
  rank: KeyRank,
  after: RunPosition | undefined,
  limit: number,
): Fragment | undefined => {
  const place = valuePlaceOf(walk.column);
  if (place === undefined) return rank === 0 ? walkStarts(walk, after, limit) : undefined;
  const [nameKey] = walk.contents.nameKeys;
  if (rank === 2) return walkAbsent(walk, place, nameKey, after, limit);
  const there = rank === 0 ? walk.contents.numbers : walk.contents.texts;
  return there && nameKey !== undefined
    ? walkValues(walk, place, nameKey, rank, after, limit)
    : undefined;
};

const walkLinked = (
  dialect: Dialect,
  { linked, descending }: Walk,
  rank: KeyRank,
  after: RunPosition | undefined,
  order: string,
): Fragment | undefined =>
  linked === undefined
    ? undefined
    : joined(
        'select * from (',
        linked,
        ') k where ',
        both(
          fragment(`rank0 = ${rank}`),
          after === undefined
            ? fragment('1 = 1')
            : behind(dialect, [descending], after.keys, after.id),
        ),
        ` order by ${order}`,
      );

/** A page of the order and one run more, where there is one. */
export const walkRuns = async (walk: Walk): Promise<readonly Row[]> => {
  const { connection, query, descending } = walk;
  const { dialect } = connection;
  const order = `${orderKey(dialect, 0, descending)}, id ${descending ? 'desc' : 'asc'}`;
  const wanted = query.limit + 1;
  const from = query.after === undefined ? 0 : rankOf(query.after.keys[0] ?? null);
  const rows: Row[] = [];
  for (const rank of [0, 1, 2] as const) {
    const missing = wanted - rows.length;
    if (rank < from || missing === 0) continue;
    const after = rank === from ? query.after : undefined;
    const parts = [
      walkHome(walk, rank, after, missing),
      walkLinked(dialect, walk, rank, after, `${order} limit ${missing}`),
    ].filter((part) => part !== undefined);
    if (parts.length === 0) continue;
    const limited = parts.map((part, at) => wrap('select * from (', part, `) a${at}`));
    const found = joined(
      'select * from (',
      unionAll(limited),
      `) r order by ${order} limit ${missing}`,
    );
    rows.push(...(await runRows(connection, found)));
  }
  return rows;
};
