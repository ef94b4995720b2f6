// The runs of a project in the order of one column that an index has, read from there a page at a time: numbers, then texts, then the runs without a value.
import type { RunColumn, RunPosition, RunQuery } from '#ports/storage/run-table';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import { compileCondition } from '../conditions.js';
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

export interface Walk {
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

/** Whether an index has the order: of the start, or of a value under one key. */
const isIndexed = (query: RunQuery, contents: readonly Contents[]): boolean => {
  const [sort] = query.sort;
  if (sort === undefined || query.sort.length > 1) return false;
  if (sort.column.kind === 'metadata' && sort.column.name === 'start') return true;
  return valuePlaceOf(sort.column)?.value === 'last' && (contents[0]?.nameKeys.length ?? 0) <= 1;
};

const visible = (archived: boolean) =>
  fragment('e.archived = ? and e.deleted_at is null', archived);

/** Whether every run is asked for, in an order that an index has. */
export const canWalk = (query: RunQuery, contents: readonly Contents[]): boolean =>
  isEverything(query) && isIndexed(query, contents);

/** How many runs of the order are tested at most, for each one that is wanted: beyond, sorting those that satisfy the condition is less. */
const testedForOne = 10;
const mostTested = 2000;

/** Whether a page can be looked for by testing the first runs of an order: where an engine tests no more of them than it takes to fill the page. */
export const canSift = (
  { connection: { dialect }, query, linked }: Walk,
  contents: readonly Contents[],
): boolean =>
  dialect.walksLazily &&
  linked === undefined &&
  query.limit < mostTested / testedForOne &&
  isIndexed(query, contents);

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

/** The values under a key in their order. Where those of hidden runs are left out, an engine may sort them instead of walking through them. */
const walkValues = (
  { connection: { dialect }, query, descending }: Walk,
  { kind }: ValuePlace,
  nameKey: string,
  rank: 0 | 1,
  after: RunPosition | undefined,
  { limit, hidden }: { readonly limit: number; readonly hidden: 'left out' | 'among them' },
): Fragment => {
  const [direction, sign] = descending ? (['desc', '<'] as const) : (['asc', '>'] as const);
  const key = rank === 0 ? 'v.number' : dialect.byCodePoints('v.prefix');
  const bound = rank === 0 ? '?' : dialect.byCodePoints('?');
  const given = after?.keys[0] ?? (rank === 0 ? 0 : '');
  const leavesOut = hidden === 'left out';
  return joined(
    `select v.experiment_id as id, ${rank} as rank0, ${rank === 0 ? 'v.number' : '0e0'} as number0, ${rank === 1 ? 'v.prefix' : "''"} as text0 from experiment_values v${leavesOut ? ' join experiments e on e.id = v.experiment_id' : ''} where `,
    both(
      fragment(
        `v.project_id = ? and v.kind = ${kind} and v.name_key = ? and v.number is ${rank === 0 ? 'not null' : 'null'}`,
        query.projectId,
        nameKey,
      ),
      leavesOut ? visible(query.archived) : fragment('1 = 1'),
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
  hidden: 'left out' | 'among them' = 'left out',
): Fragment | undefined => {
  const place = valuePlaceOf(walk.column);
  if (place === undefined) return rank === 0 ? walkStarts(walk, after, limit) : undefined;
  const [nameKey] = walk.contents.nameKeys;
  if (rank === 2) return walkAbsent(walk, place, nameKey, after, limit);
  const there = rank === 0 ? walk.contents.numbers : walk.contents.texts;
  return there && nameKey !== undefined
    ? walkValues(walk, place, nameKey, rank, after, { limit, hidden })
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

/**
 * A page and one run more, of those that satisfy the condition, out of the first runs of the order, each tested by its own values. `undefined` where
 * they do not fill it.
 */
export const siftRuns = async (walk: Walk): Promise<readonly Row[] | undefined> => {
  const { connection, query, descending } = walk;
  const { dialect } = connection;
  const wanted = query.limit + 1;
  const { after } = query;
  const rank = after === undefined ? 0 : rankOf(after.keys[0] ?? null);
  const first =
    rank === 2 ? undefined : walkHome(walk, rank, after, wanted * testedForOne, 'among them');
  if (first === undefined) return undefined;
  const direction = descending ? 'desc' : 'asc';
  // Ordered as what it is made of, so that it is not sorted again, which would test all of it.
  const key = rank === 0 ? 'w.number0' : dialect.byCodePoints('w.text0');
  const rows = await runRows(
    connection,
    joined(
      'select w.* from (',
      first,
      ') w join experiments e on e.id = w.id where ',
      both(
        visible(query.archived),
        compileCondition({ dialect, now: connection.clock.now(), among: 'each' }, query.condition),
      ),
      ` order by ${key} ${direction}, w.id ${direction} limit ${wanted}`,
    ),
  );
  return rows.length < wanted ? undefined : rows;
};
