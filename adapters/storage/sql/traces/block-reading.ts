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
    ({ field, path }) =>
      field === column && path === undefined && groupedColumns[kind].includes(field),
  );
  return isTold ? { starts, column, values } : undefined;
};

/** What the blocks of a selection tell, and in which stretches further rows of it may be, which are to be read; `undefined` where blocks tell too little. */
export const readBlocks = async (
  { connection, read }: { readonly connection: Connection; readonly read: Read },
  kind: BlockKind,
  selection: Selection,
  { past, recent, end }: Windows,
): Promise<
  | {
      readonly whole: Whole;
      readonly rest: readonly Stretched[];
      /** Whether rows were told apart by what stands in a column. */
      readonly byValues: boolean;
    }
  | undefined
> => {
  const { projectId, fromId, toId, beforeId } = selection;
  const claims = isPlain(selection) ? readClaims(kind, selection) : undefined;
  if (claims === undefined) return undefined;
  const { starts, column, values } = claims;
  const [sums, lengths] = column === undefined ? ['sums', 'lengths'] : [groupsColumn(column), 'at'];
  const settled = fragment(`b.state = ${blockStates.settled}`);
  const begins = (from: string, to: string) =>
    fragment(`b.first_start >= ${from} and b.last_start < ${to}`);
  const whole = both(
    settled,
    fragment(column === undefined ? 'b.lengths is not null' : `octet_length(b.${sums}) > 0`),
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
    ' then 1 else 0 end as without, ',
    joined('case when ', none, ' then null when ', whole, ` then b.${sums} end as sums, `),
    joined('case when ', none, ' then null when ', whole, ` then b.${lengths} end as lengths`),
    ' from entry_blocks b where ',
    blocksOf(projectId, kind),
    ' order by b.last_id desc',
  );
  const newest = rows[0];
  if (newest === undefined) return undefined;
  const seen = rows.filter((row) => Number(row['without']) === 0);
  const rest = joinStretches([
    { after: String(newest['last_id'] ?? firstId), last: undefined },
    ...seen
      .filter((row) => row['sums'] === null)
      .map((row) => ({ after: String(row['after_id']), last: String(row['last_id']) })),
  ]);
  if (rest.length > mostBeside) return undefined;
  const told = seen.filter((row) => row['sums'] !== null);
  const parts =
    column === undefined
      ? told.map(readWhole)
      : await readGroups({ connection, read }, kind, { column, values }, told);
  return (
    parts && { whole: add(parts, { past, recent, end }), rest, byValues: column !== undefined }
  );
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

/** The rows of blocks that have a value as claimed; `undefined` where there are too many values. */
const readGroups = async (
  reading: { readonly connection: Connection; readonly read: Read },
  kind: BlockKind,
  claimed: { readonly column: string; readonly values: readonly FieldFilter[] },
  rows: readonly Row[],
): Promise<readonly Part[] | undefined> => {
  const reader = groupsReader();
  const blocks = rows.map((row) => ({
    groups: reader(row['sums'] as Uint8Array), // a column of bytes
    firstStart: Number(row['first_start']),
  }));
  const found = new Set<Value>();
  for (const values of new Set(blocks.map(({ groups }) => groups.values))) {
    for (const value of values) found.add(value);
    if (found.size > mostAsked) return undefined;
  }
  const wanted = await valuesAsClaimed(reading, kind, claimed, found);
  const placesOf = new Map<readonly Value[], readonly number[]>();
  return blocks.flatMap(({ groups: { values, sum }, firstStart }) => {
    const places =
      placesOf.get(values) ?? values.flatMap((value, at) => (wanted.has(value) ? [at] : []));
    placesOf.set(values, places);
    return places.length === 0 ? [] : [{ ...sum(places), firstStart }];
  });
};

/** Which values are as claimed, as the database has it. */
const valuesAsClaimed = async (
  { connection: { dialect }, read }: { readonly connection: Connection; readonly read: Read },
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
