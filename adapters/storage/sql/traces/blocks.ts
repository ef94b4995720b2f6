// Blocks: the rows of a project in stretches of ids, of which is kept what they sum up to and what they may hold, so that most are told without
// being read. Every block ends with its id; the first begins with the first row, each other one behind the one before. What lies behind the last one
// is read as it is.
//
// Who writes a row says so of the block in which it is, as the last thing of the transaction (`outdateBlocks`). Rows are summed up
// (`block-building.ts`) only of blocks that were claimed before, once every transaction has ended that may not have seen the claim, and only where
// nobody wrote meanwhile. So a block that is settled tells of all that was committed.
import type { FieldFilter, FieldOrder } from '#ports/field-query';
import type { Fragment } from '#ports/sql-dialect';
import type { Connection } from '../connection.js';
import { both, complement, either, fragment } from '../fragment.js';
import { claimedBits } from './block-words.js';
import { run } from './reads.js';
import type { Row } from './rows.js';
import type { Selection } from './selecting.js';

export type BlockKind = 'trace' | 'span';
export const blockKinds: readonly BlockKind[] = ['trace', 'span'];
export const kindNumber = (kind: BlockKind): number => blockKinds.indexOf(kind);

/** Written to since it was summed up; claimed, to be summed up; and summed up. */
export const blockStates = { outdated: 0, claimed: 1, settled: 2 } as const;

export const firstId = '00000000-0000-0000-0000-000000000000';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** When an id of version 7 was made, in ms. */
export const madeAt = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Ids further apart than this, in ms, are told of apart. */
const apartMs = 60_000;
/** As many stretches at most: more are joined, the nearest first. */
const mostStretches = 64;

/** A first and a last id. */
type Stretch = readonly [string, string];

/** Ids in stretches, so that few blocks are outdated in which nothing was written. */
const stretchesOf = (ids: readonly string[]): readonly Stretch[] => {
  const sorted = [...new Set(ids)].sort();
  const gaps = sorted
    .slice(1)
    .map((id, at) => ({ at: at + 1, ms: madeAt(id) - madeAt(sorted[at] ?? id) }))
    .filter(({ ms }) => ms > apartMs)
    .sort((one, other) => other.ms - one.ms)
    .slice(0, mostStretches - 1);
  const begins = [0, ...gaps.map(({ at }) => at).sort((one, other) => one - other)];
  return sorted.length === 0
    ? []
    : begins.map((begin, i): Stretch => {
        const end = begins[i + 1] ?? sorted.length;
        return [sorted[begin] ?? firstId, sorted[end - 1] ?? lastId];
      });
};

/** Rows that were written: ids of traces, of spans, or of both. */
export type Written = Readonly<Partial<Record<BlockKind, readonly string[]>>>;

/** The statements that say of blocks that rows were written, each when it is called: the last ones of the transaction that writes them. */
export const outdateBlocks = (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  projectId: string,
  written: Written,
): readonly (() => Promise<void>)[] => {
  // One for each stretch: said of several at once, an engine reads all blocks of the project.
  const sql = `update entry_blocks set state = ${blockStates.outdated}, at = ${dialect.nowMs} where project_id = ? and kind = ? and last_id >= ? and last_id <= coalesce((select q.last_id from (select b.last_id from entry_blocks b where b.project_id = ? and b.kind = ? and b.last_id >= ? order by b.last_id limit 1) q), ?) and state <> ${blockStates.outdated}`;
  return blockKinds.flatMap((kind) =>
    stretchesOf(written[kind] ?? []).map(([first, last]) => async () => {
      const of = [projectId, kindNumber(kind)];
      await dialect.run(db, sql, [...of, first, ...of, last, lastId]);
    }),
  );
};

/** A stretch of rows: those whose id is greater than `after`, up to and with `last`; without it, all that come. */
export interface Stretched {
  readonly after: string;
  readonly last: string | undefined;
}

/** The last id of the newest block; what comes behind it is in none. */
export const endOfBlocks = async (
  connection: Pick<Connection, 'db' | 'dialect'>,
  projectId: string,
  kind: BlockKind,
): Promise<string | undefined> => {
  const [row] = await run(
    connection,
    'select b.last_id from entry_blocks b where ',
    blocksOf(projectId, kind),
    ' order by b.last_id desc limit 1',
  );
  return row && String(row['last_id']);
};

export const blocksOf = (projectId: string, kind: BlockKind): Fragment =>
  fragment('b.project_id = ? and b.kind = ?', projectId, kindNumber(kind));

/** Blocks up to an end in which rows of a range of ids may be. */
const touchedBlocks = (
  kind: BlockKind,
  { projectId, fromId, toId, beforeId }: Selection,
  end: string,
): Fragment =>
  both(
    blocksOf(projectId, kind),
    fragment('b.last_id <= ?', end),
    ...(fromId === undefined ? [] : [fragment('b.last_id >= ?', fromId)]),
    ...[toId, beforeId].flatMap((id) => (id === undefined ? [] : [fragment('b.after_id < ?', id)])),
  );

/** Stretches next to each other as one. They come in the order of their ids, the greatest first. */
export const joinStretches = (all: readonly Stretched[]): readonly Stretched[] => {
  const joined: Stretched[] = [];
  for (const one of all) {
    const before = joined.at(-1);
    if (before !== undefined && before.after === one.last)
      joined[joined.length - 1] = { after: one.after, last: before.last };
    else joined.push(one);
  }
  return joined;
};

/** Whether the row `x` is in one of these. */
export const withinStretches = (all: readonly Stretched[]): Fragment =>
  either(
    ...all.map(({ after, last }) =>
      last === undefined
        ? fragment('(x.id > ?)', after)
        : fragment('(x.id > ? and x.id <= ?)', after, last),
    ),
  );

/** Numbers of rows of which a block tells the least and the greatest; null where no row has one. */
const rangesOfBlocks: Readonly<
  Record<string, { readonly of: string; readonly least: string; readonly greatest: string }>
> = {
  start_time: { of: 'x.start_time', least: 'b.first_start', greatest: 'b.last_start' },
  duration: { of: '(x.end_time - x.start_time)', least: 'b.shortest', greatest: 'b.longest' },
};
const microsPerMs = 1000;
const safe = (value: number): number =>
  Math.max(Math.min(value, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);

/** Whether a block, `b`, may have a row as a claim says; `undefined` where blocks do not tell. */
export const mayHold = (
  { dialect }: Pick<Connection, 'dialect'>,
  filter: FieldFilter,
): Fragment | undefined => {
  const range = Object.hasOwn(rangesOfBlocks, filter.field)
    ? rangesOfBlocks[filter.field]
    : undefined;
  if (range !== undefined && (filter.is === 'number' || filter.is === 'instant')) {
    const value = filter.field === 'duration' ? filter.value * microsPerMs : filter.value;
    // A duration is rounded on its way to whole microseconds: one more on either side does no harm.
    const [from, to] = [safe(Math.floor(value) - 1), safe(Math.ceil(value) + 1)];
    const [reachesUp, reachesDown] = [
      fragment(`${range.greatest} >= ?`, from),
      fragment(`${range.least} <= ?`, to),
    ];
    switch (filter.operator) {
      case 'above':
      case 'atLeast':
        return reachesUp;
      case 'below':
      case 'atMost':
        return reachesDown;
      case 'equals':
        return both(reachesUp, reachesDown);
      case 'differs':
        return undefined;
    }
  }
  if (filter.field === 'error_info' && filter.is === 'presence')
    return fragment(filter.operator === 'isEmpty' ? 'b.errors < b.n' : 'b.errors > 0');
  const bits = claimedBits(filter);
  return bits.length === 0
    ? undefined
    : fragment(
        bits
          .map(({ byte, mask }) => `${dialect.byteAt('b.words', byte)} & ${mask} > 0`)
          .join(' and '),
      );
};

/** Blocks that are looked at one by one; where more may hold what is sought, all rows are read. */
const mostBlocks = 800;

/** Claims that an index finds the rows of, where the engine keeps such: blocks would tell no more. */
const isIndexed = (kind: BlockKind, { field, is, ...filter }: FieldFilter): boolean => {
  const equals = is === 'text' && 'operator' in filter && filter.operator === 'equals';
  return kind === 'span'
    ? equals && (field === 'name' || field === 'model')
    : ['duration', 'metadata'].includes(field) ||
        (equals && (field === 'name' || field === 'thread_id'));
};

/** Blocks of the first look: a page of what is not too rare is full by then. */
const firstBlocks = 1024;

/** Stretches that may hold what is sought, the greatest ids first, and whether there may be further ones. */
export interface Stretches {
  readonly stretches: readonly Stretched[];
  readonly more: boolean;
}
export interface SeekStretches {
  /** The last id of the newest block; what lies behind it is in the first stretch. */
  readonly end: string;
  /** Tells of the next stretches with each call; `undefined` where these are more than so many, and the next call tells of the same. */
  next(most?: number): Promise<Stretches | undefined>;
}

/** Looks for the stretches that may hold what a selection claims, the newest blocks first; `undefined` where blocks tell too little, or no more than an index. */
export const seekStretches = async (
  connection: Connection,
  kind: BlockKind,
  selection: Selection,
  firstLook = firstBlocks,
): Promise<SeekStretches | undefined> => {
  const { filters } = selection;
  const hasIndexes = connection.dialect.expressionIndexes !== undefined;
  const claims = filters.flatMap((filter) => mayHold(connection, filter) ?? []);
  if (claims.length === 0) return undefined;
  if (hasIndexes && filters.every((filter) => isIndexed(kind, filter))) return undefined;
  // First: a block that comes in between ends behind it.
  const end = await endOfBlocks(connection, selection.projectId, kind);
  if (end === undefined) return undefined;
  const isSought = either(fragment(`b.state <> ${blockStates.settled}`), both(...claims));
  /** What lies behind the last block is in none. */
  let beside: readonly Stretched[] = [{ after: end, last: undefined }];
  /** Up to here blocks are still to be looked at. A block that is made several meanwhile keeps its ends. */
  let to = end;
  return {
    end,
    async next(most = mostBlocks) {
      const touched = touchedBlocks(kind, selection, to);
      const [bound] =
        beside.length > 0
          ? await run(
              connection,
              'select b.after_id from entry_blocks b where ',
              touched,
              ` order by b.last_id desc limit 1 offset ${firstLook - 1}`,
            )
          : [];
      const from = bound && String(bound['after_id']);
      const rows = await run(
        connection,
        'select b.after_id, b.last_id from entry_blocks b where ',
        both(touched, ...(from === undefined ? [] : [fragment('b.last_id > ?', from)]), isSought),
        ` order by b.last_id desc limit ${most + 1}`,
      );
      if (rows.length > most) return undefined;
      const stretches = [...beside, ...rows.map(stretchOf)];
      beside = [];
      to = from ?? to;
      return { stretches, more: from !== undefined };
    },
  };
};

/** Stretches of rows that are read beside blocks; where there are more, all rows are. */
export const mostBeside = 100;

/** How many rows blocks tell of that lie wholly in a range of ids, and in which stretches further rows of it may be; `undefined` where blocks tell too little. */
export const countInBlocks = async (
  connection: Connection,
  kind: BlockKind,
  selection: Selection,
): Promise<{ readonly rows: number; readonly beside: readonly Stretched[] } | undefined> => {
  const { projectId, fromId, toId, beforeId } = selection;
  // First: a block that comes in between ends behind it.
  const end = await endOfBlocks(connection, projectId, kind);
  if (end === undefined) return undefined;
  const whole = both(
    fragment(`b.state = ${blockStates.settled}`),
    ...(fromId === undefined ? [] : [fragment('b.after_id >= ?', fromId)]),
    ...(toId === undefined ? [] : [fragment('b.last_id <= ?', toId)]),
    ...(beforeId === undefined ? [] : [fragment('b.last_id < ?', beforeId)]),
  );
  const touched = touchedBlocks(kind, selection, end);
  // One statement, so that a block is counted or read, whatever becomes of it meanwhile.
  const rows = await run(
    connection,
    'select null as after_id, null as last_id, sum(b.n) as n from entry_blocks b where ',
    both(touched, whole),
    ' union all (select b.after_id, b.last_id, 0 from entry_blocks b where ',
    both(touched, complement(whole)),
    ` order by b.last_id desc limit ${mostBeside + 1})`,
  );
  const counted = rows.find((row) => row['after_id'] === null);
  const others = rows.filter((row) => row['after_id'] !== null);
  if (others.length > mostBeside) return undefined;
  return {
    rows: Number(counted?.['n'] ?? 0),
    beside: joinStretches([{ after: end, last: undefined }, ...others.map(stretchOf)]),
  };
};

/** Blocks of which the first rows by an order come; where more would be needed, all rows are sorted. */
const mostSorted = 256;

/** What holds for the first so many rows by an order, where blocks tell it: a bound that as many blocks reach, and the stretches in which such rows are. */
export const firstBy = async (
  connection: Connection,
  kind: BlockKind,
  selection: Selection,
  orders: readonly FieldOrder[],
  wanted: number,
): Promise<readonly Fragment[]> => {
  const [order, ...others] = orders;
  const range =
    order !== undefined && Object.hasOwn(rangesOfBlocks, order.field)
      ? rangesOfBlocks[order.field]
      : undefined;
  const { projectId, filters, ...asked } = selection;
  const isAll = filters.length === 0 && Object.values(asked).every((one) => one === undefined);
  if (order === undefined || range === undefined || others.length > 0 || !isAll) return [];
  const hasIndex = kind === 'trace' && connection.dialect.expressionIndexes !== undefined;
  if (wanted > mostSorted || hasIndex) return [];
  const [column, sign, direction] = order.descending
    ? ([range.greatest, '>=', 'desc'] as const)
    : ([range.least, '<=', 'asc'] as const);
  // First: a block that comes in between ends behind it.
  const end = await endOfBlocks(connection, projectId, kind);
  if (end === undefined) return [];
  const isSettled = `b.state = ${blockStates.settled}`;
  const [bound] = await run(
    connection,
    `select ${column} as bound from entry_blocks b where `,
    both(blocksOf(projectId, kind), fragment(`${isSettled} and ${column} is not null`)),
    ` order by ${column} ${direction} limit 1 offset ${wanted - 1}`,
  );
  if (bound === undefined) return [];
  const rows = await run(
    connection,
    'select b.after_id, b.last_id from entry_blocks b where ',
    both(
      blocksOf(projectId, kind),
      fragment('b.last_id <= ?', end),
      either(fragment(`not (${isSettled})`), fragment(`${column} ${sign} ?`, bound['bound'])),
    ),
    ` order by b.last_id desc limit ${mostSorted * 2 + 1}`,
  );
  if (rows.length > mostSorted * 2) return [];
  return [
    fragment(`${range.of} ${sign} ?`, bound['bound']),
    withinStretches(joinStretches([{ after: end, last: undefined }, ...rows.map(stretchOf)])),
  ];
};

const stretchOf = (row: Row): Stretched => ({
  after: String(row['after_id']),
  last: String(row['last_id']),
});
