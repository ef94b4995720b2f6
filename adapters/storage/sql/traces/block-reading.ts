// What blocks tell of all rows of a selection that says nothing but where rows are, when they began, and what stands in one column of few values.
import type { FieldFilter } from '#ports/field-query';
import type { Fragment } from '#ports/sql-dialect';
import type { Connection } from '../connection.js';
import { filterBy } from '../field-query.js';
import { both, complement, either, fragment, joined } from '../fragment.js';
import { readLengths } from './lengths.js';
import {
  groupedColumns,
  groupsColumn,
  groupsReader,
  type GroupSums,
  type Value,
} from './block-groups.js';
import { tagsColumn, tagsReader } from './block-tags.js';
import { claimedBits } from './block-words.js';
import { addSpanParts, countNames, readSums, type SpanParts } from './block-sums.js';
import {
  blocksOf,
  blockStates,
  firstId,
  joinStretches,
  mayHold,
  mostBeside,
  type BlockKind,
  type Stretched,
} from './blocks.js';
import type { Read } from './reads.js';
import type { Row } from './rows.js';
import { sourcesOf, type Selection } from './selecting.js';

/** How many begin before a bound and from it on: what it takes that all rows of a block are as claimed, and that none is. */
const startClaim = (filter: FieldFilter): readonly [Fragment, Fragment] | undefined => {
  if (filter.field !== 'start_time' || filter.is !== 'instant') return undefined;
  const is = (column: string, sign: string): Fragment =>
    fragment(`b.${column} ${sign} ?`, filter.value);
  switch (filter.operator) {
    case 'above':
      return [is('first_start', '>'), is('last_start', '<=')];
    case 'atLeast':
      return [is('first_start', '>='), is('last_start', '<')];
    case 'below':
      return [is('last_start', '<'), is('first_start', '>=')];
    case 'atMost':
      return [is('last_start', '<='), is('first_start', '>')];
    default:
      return undefined;
  }
};

/** Bounds in microseconds of the times whose errors are told apart. */
interface Windows {
  readonly past: number;
  readonly recent: number;
  readonly end: number;
}

/** What whole blocks tell. */
interface Whole {
  /** By the names by which rows are summed too. */
  readonly counts: Row;
  readonly spans: SpanParts;
  /** Durations in microseconds, read anew each time. */
  readonly lengths: readonly (() => readonly number[])[];
}

/** Whatever all rows of a selection must be for blocks to tell of them. */
const isPlain = ({ search, traceId, threadId, among }: Selection): boolean =>
  [search, traceId, threadId, among].every((asked) => asked === undefined);

/** What a selection claims: when rows began, and what stands in one column by whose values rows are summed up. */
interface Claims {
  /** Of each what it takes that all rows of a block are as claimed, and that none is. */
  readonly starts: readonly (readonly [Fragment, Fragment])[];
  readonly column: string | undefined;
  readonly values: readonly FieldFilter[];
}

/** `undefined` where blocks tell nothing of what is claimed. */
const readClaims = (kind: BlockKind, { filters, type }: Selection): Claims | undefined => {
  const starts: (readonly [Fragment, Fragment])[] = [];
  const values: FieldFilter[] = [];
  for (const filter of filters) {
    const start = startClaim(filter);
    if (start === undefined) values.push(filter);
    else starts.push(start);
  }
  if (type !== undefined)
    values.push({ field: 'type', is: 'words', operator: 'in', value: [type] });
  const column = values[0]?.field;
  const isTold = values.every(
    ({ field, path, is }) =>
      field === column &&
      path === undefined &&
      groupedColumns[kind].includes(field) &&
      (field !== 'error_info' || is === 'presence'),
  );
  return isTold ? { starts, column, values } : undefined;
};

/** Where blocks keep what they tell of claims. */
interface Kept {
  readonly isKept: Fragment;
  readonly sums: string;
  readonly lengths: string;
  /** Whether it is by single tags and not by whole lists of them. */
  readonly bySingle: string;
}
const isThere = (column: string): string => `octet_length(${column}) > 0`;

/** Places where blocks keep it, those first that are to be tried first. */
const placesOfClaims = async (
  reading: BlockReading,
  kind: BlockKind,
  { projectId }: Pick<Selection, 'projectId'>,
  { column, values }: Claims,
): Promise<readonly Kept[]> => {
  if (column === undefined)
    return [
      {
        isKept: fragment('b.lengths is not null'),
        ...{ sums: 'b.sums', lengths: 'b.lengths', bySingle: '0' },
      },
    ];
  const [groups, lengths] = [`b.${groupsColumn(column)}`, 'b.at'];
  if (!isOfOneTag(values))
    return [{ isKept: fragment(isThere(groups)), sums: groups, lengths, bySingle: '0' }];
  const single = `b.${tagsColumn}`;
  const isKept = either(fragment(isThere(groups)), fragment(isThere(single)));
  const byLists: Kept = {
    ...{ isKept, lengths },
    sums: `case when ${isThere(groups)} then ${groups} else ${single} end`,
    bySingle: `case when ${isThere(groups)} then 0 else 1 end`,
  };
  const bySingle: Kept = {
    ...{ isKept, lengths },
    sums: `case when ${isThere(single)} then ${single} else ${groups} end`,
    bySingle: `case when ${isThere(single)} then 1 else 0 end`,
  };
  // What is so in one block is so in most.
  const [sample] = await reading.read(
    `select ${single} as sums, 0 as first_start, 1 as by_single from entry_blocks b where `,
    both(
      blocksOf(projectId, kind),
      fragment(`b.state = ${blockStates.settled} and ${isThere(single)}`),
    ),
    ' order by b.last_id desc limit 1',
  );
  const told = sample && (await readGroups(reading, kind, { column, values }, [sample]));
  const isTold = told?.[0] !== undefined && told[0] !== 'unknown';
  return isTold ? [bySingle, byLists] : [byLists];
};
/** Whether a row is as claimed once one of its tags is. */
const isOfOneTag = (values: readonly FieldFilter[]): boolean =>
  values.length === 1 &&
  values.every(
    (filter) =>
      filter.field === 'tags' &&
      filter.is === 'list' &&
      (filter.operator === 'equals' || filter.operator === 'contains'),
  );

interface BlockReading {
  readonly connection: Connection;
  readonly read: Read;
}
interface Told {
  readonly whole: Whole;
  readonly rest: readonly Stretched[];
  /** Whether rows were told apart by what stands in a column. */
  readonly byValues: boolean;
}

/** What the blocks of a selection tell, and in which stretches further rows of it may be, which are to be read; `undefined` where blocks tell too little. */
export const readBlocks = async (
  reading: BlockReading,
  kind: BlockKind,
  selection: Selection,
  windows: Windows,
): Promise<Told | undefined> => {
  const claims = isPlain(selection) ? readClaims(kind, selection) : undefined;
  if (claims === undefined) return undefined;
  for (const kept of await placesOfClaims(reading, kind, selection, claims)) {
    const found = await readKept(reading, { kind, selection, claims, kept }, windows);
    if (found !== undefined) return found;
  }
  return undefined;
};

const readKept = async (
  { connection, read }: BlockReading,
  {
    kind,
    selection: { projectId, fromId, toId, beforeId },
    claims: { starts, column, values },
    kept: { isKept, sums, lengths, bySingle },
  }: {
    readonly kind: BlockKind;
    readonly selection: Selection;
    readonly claims: Claims;
    readonly kept: Kept;
  },
  { past, recent, end }: Windows,
): Promise<Told | undefined> => {
  const settled = fragment(`b.state = ${blockStates.settled}`);
  const begins = (from: string, to: string) =>
    fragment(`b.first_start >= ${from} and b.last_start < ${to}`);
  const whole = both(
    settled,
    isKept,
    ...(fromId === undefined ? [] : [fragment('b.after_id >= ?', fromId)]),
    ...(toId === undefined ? [] : [fragment('b.last_id <= ?', toId)]),
    ...(beforeId === undefined ? [] : [fragment('b.last_id < ?', beforeId)]),
    ...starts.map(([all]) => all),
    either(
      fragment(`b.errors = 0 or b.last_start < ${past} or b.first_start >= ${end}`),
      begins(String(past), String(recent)),
      begins(String(recent), String(end)),
    ),
  );
  const bits = values.flatMap((filter) => mayHold(connection, filter) ?? []);
  const none = either(
    both(
      settled,
      either(
        fragment('b.n = 0'),
        ...starts.map(([, no]) => no),
        ...bits.map((may) => complement(may)),
      ),
    ),
    ...(fromId === undefined ? [] : [fragment('b.last_id < ?', fromId)]),
    ...[toId, beforeId].flatMap((id) =>
      id === undefined ? [] : [fragment('b.after_id >= ?', id)],
    ),
  );
  const rows = await read(
    `select b.after_id, b.last_id, b.n, b.errors, b.first_start, b.shortest, case when `,
    none,
    ` then 1 else 0 end as without, ${bySingle} as by_single, `,
    joined('case when ', none, ' then null when ', whole, ` then ${sums} end as sums, `),
    joined('case when ', none, ' then null when ', whole, ` then ${lengths} end as lengths`),
    ' from entry_blocks b where ',
    blocksOf(projectId, kind),
    ' order by b.last_id desc',
  );
  const newest = rows[0];
  if (newest === undefined) return undefined;
  const seen = rows.filter((row) => Number(row['without']) === 0);
  const told = seen.filter((row) => row['sums'] !== null);
  const found =
    column === undefined
      ? told.map(readWhole)
      : await readGroups({ connection, read }, kind, { column, values }, told);
  if (found === undefined) return undefined;
  const known = new Set(told.filter((_, at) => found[at] !== 'unknown'));
  const rest = joinStretches([
    { after: String(newest['last_id'] ?? firstId), last: undefined },
    ...seen
      .filter((row) => !known.has(row))
      .map((row) => ({ after: String(row['after_id']), last: String(row['last_id']) })),
  ]);
  if (rest.length > mostBeside) return undefined;
  const parts = found.filter((one) => one !== 'unknown');
  return { whole: add(parts, { past, recent, end }), rest, byValues: column !== undefined };
};

/** Rows that began within a block. */
interface Part extends GroupSums {
  readonly firstStart: number;
}
const readWhole = (row: Row): Part => {
  const { counts, spans } = readSums(String(row['sums']));
  return {
    ...{ n: Number(row['n']), errors: Number(row['errors']), counts, spans },
    lengths: () => readLengths(Number(row['shortest'] ?? 0), row['lengths'] as Uint8Array), // a column of bytes
    firstStart: Number(row['first_start']),
  };
};

/** Values of a column, in all blocks together, of which it is asked whether they are as claimed. */
const mostAsked = 5000;

/** What the rows of each block come to that have a value as claimed; `undefined` where there are too many values. */
const readGroups = async (
  reading: BlockReading,
  kind: BlockKind,
  claimed: { readonly column: string; readonly values: readonly FieldFilter[] },
  rows: readonly Row[],
): Promise<readonly (Part | 'unknown')[] | undefined> => {
  const [reader, readerOfTags] = [groupsReader(), tagsReader()];
  const bits = claimed.values.flatMap((filter) => claimedBits(filter));
  const blocks = rows.map((row) => {
    const [bytes, firstStart] = [row['sums'] as Uint8Array, Number(row['first_start'])]; // a column of bytes
    if (Number(row['by_single']) === 0)
      return { groups: reader(bytes), firstStart, isSingle: false, isUnknown: false };
    const { groups, mayHoldElsewhere } = readerOfTags(bytes);
    return { groups, firstStart, isSingle: true, isUnknown: mayHoldElsewhere(bits) };
  });
  const [lists, tags] = [new Set<Value>(), new Set<Value>()];
  const headings = new Map(blocks.map(({ groups, isSingle }) => [groups.values, isSingle]));
  for (const [values, isSingle] of headings) {
    for (const value of values) (isSingle ? tags : lists).add(value);
    if (lists.size + tags.size > mostAsked) return undefined;
  }
  const wanted = await valuesAsClaimed(reading, kind, claimed, lists);
  const wantedTags = await tagsAsClaimed(reading, kind, claimed, tags);
  const placesOf = new Map<readonly Value[], readonly number[]>();
  return blocks.map(({ groups: { values, sum }, firstStart, isSingle, isUnknown }) => {
    const among = isSingle ? wantedTags : wanted;
    const places =
      placesOf.get(values) ?? values.flatMap((value, at) => (among.has(value) ? [at] : []));
    placesOf.set(values, places);
    // A row may have several tags as claimed, and would count for each.
    if (isUnknown || (isSingle && places.length > 1)) return 'unknown';
    return { ...sum(places), firstStart };
  });
};

/** Which tags are as claimed where they are the only one of a row. */
const tagsAsClaimed = async (
  ...[reading, kind, claimed, tags]: Parameters<typeof valuesAsClaimed>
): Promise<ReadonlySet<Value>> => {
  const listOf = (tag: Value): string => JSON.stringify([tag]);
  const lists = new Map([...tags].map((tag) => [listOf(tag), tag]));
  const found = await valuesAsClaimed(reading, kind, claimed, new Set(lists.keys()));
  return new Set([...found].flatMap((list) => (list === null ? [] : (lists.get(list) ?? []))));
};

/** Which values are as claimed, as the database has it. */
const valuesAsClaimed = async (
  { connection: { dialect }, read }: BlockReading,
  kind: BlockKind,
  { column, values: claims }: { readonly column: string; readonly values: readonly FieldFilter[] },
  values: ReadonlySet<Value>,
): Promise<ReadonlySet<Value>> => {
  const { join, value } = dialect.jsonTexts('l.list', 'u');
  const holding = (list: readonly Value[]) =>
    read(
      `select x.${column} as value from (select ${value} as ${column} from (select `,
      fragment('? as list', JSON.stringify(list)),
      `) l ${join}) x where `,
      filterBy(claims, sourcesOf(kind), dialect),
    );
  const texts = [...values].filter((one) => one !== null);
  const found = texts.length === 0 ? [] : await holding(texts);
  // An empty list gives one row without a value.
  const bare = values.has(null) ? await holding([]) : [];
  return new Set<Value>([
    ...found.map((row) => String(row['value'])),
    ...(bare.length > 0 ? [null] : []),
  ]);
};

const add = (parts: readonly Part[], { past, recent, end }: Windows): Whole => {
  const total = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0);
  /** Of blocks whose rows began within; a block that began in a window ended in it, or has no error. */
  const errors = (from: number, to: number): number =>
    total(
      parts.flatMap((part) =>
        part.firstStart >= from && part.firstStart < to ? [part.errors] : [],
      ),
    );
  return {
    counts: {
      n: total(parts.map(({ n }) => n)),
      errors: total(parts.map((part) => part.errors)),
      recent: errors(recent, end),
      past: errors(past, recent),
      ...Object.fromEntries(
        countNames.map((name) => [name, total(parts.map(({ counts }) => counts[name]))]),
      ),
    },
    spans: addSpanParts(parts.map(({ spans }) => spans)),
    lengths: parts.map(({ lengths }) => lengths),
  };
};
