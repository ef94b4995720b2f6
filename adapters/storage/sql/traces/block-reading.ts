// What blocks tell of all rows of a selection that says nothing but where rows are and when they began.
import type { FieldFilter } from '#ports/field-query';
import type { Fragment } from '#ports/sql-dialect';
import { both, either, fragment, joined } from '../fragment.js';
import { readLengths } from './lengths.js';
import { addSpanParts, countNames, readSums, type SpanParts } from './block-sums.js';
import {
  blocksOf,
  blockStates,
  firstId,
  joinStretches,
  mostBeside,
  type BlockKind,
  type Stretched,
} from './blocks.js';
import type { Read } from './reads.js';
import type { Row } from './rows.js';
import type { Selection } from './selecting.js';

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
const isPlain = ({ search, traceId, threadId, type, among }: Selection): boolean =>
  [search, traceId, threadId, type, among].every((asked) => asked === undefined);

/** What the blocks of a selection tell, and in which stretches further rows of it may be, which are to be read; `undefined` where blocks tell too little. */
export const readBlocks = async (
  read: Read,
  kind: BlockKind,
  selection: Selection,
  { past, recent, end }: Windows,
): Promise<{ readonly whole: Whole; readonly rest: readonly Stretched[] } | undefined> => {
  const { projectId, filters, fromId, toId, beforeId } = selection;
  const claims = filters.map(startClaim);
  const known = claims.flatMap((claim) => (claim === undefined ? [] : [claim]));
  if (!isPlain(selection) || known.length < claims.length) return undefined;
  const settled = fragment(`b.state = ${blockStates.settled}`);
  const begins = (from: string, to: string) =>
    fragment(`b.first_start >= ${from} and b.last_start < ${to}`);
  const whole = both(
    settled,
    fragment('b.lengths is not null'),
    ...(fromId === undefined ? [] : [fragment('b.after_id >= ?', fromId)]),
    ...(toId === undefined ? [] : [fragment('b.last_id <= ?', toId)]),
    ...(beforeId === undefined ? [] : [fragment('b.last_id < ?', beforeId)]),
    ...known.map(([all]) => all),
    either(
      fragment(`b.errors = 0 or b.last_start < ${past} or b.first_start >= ${end}`),
      begins(String(past), String(recent)),
      begins(String(recent), String(end)),
    ),
  );
  const none = either(
    both(settled, either(fragment('b.n = 0'), ...known.map(([, no]) => no))),
    ...(fromId === undefined ? [] : [fragment('b.last_id < ?', fromId)]),
    ...[toId, beforeId].flatMap((id) =>
      id === undefined ? [] : [fragment('b.after_id >= ?', id)],
    ),
  );
  const when = (condition: Fragment, column: string) =>
    joined('case when ', condition, ` then b.${column} end as ${column}`);
  const rows = await read(
    `select b.after_id, b.last_id, b.n, b.errors, b.first_start, b.shortest, `,
    when(whole, 'sums'),
    ', ',
    when(whole, 'lengths'),
    ', ',
    joined('case when ', none, ' then 1 else 0 end as without'),
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
  return { whole: add(told, { past, recent, end }), rest };
};

const add = (rows: readonly Row[], { past, recent, end }: Windows): Whole => {
  const sums = rows.map((row) => readSums(String(row['sums'])));
  const total = (of: readonly unknown[]): number =>
    of.reduce<number>((sum, one) => sum + Number(one), 0);
  /** Of blocks whose rows began within; a block that began in a window ended in it, or has no error. */
  const errors = (from: number, to: number): number =>
    total(
      rows.flatMap((row) => {
        const start = Number(row['first_start']);
        return start >= from && start < to ? [row['errors']] : [];
      }),
    );
  return {
    counts: {
      n: total(rows.map((row) => row['n'])),
      errors: total(rows.map((row) => row['errors'])),
      recent: errors(recent, end),
      past: errors(past, recent),
      ...Object.fromEntries(
        countNames.map((name) => [name, total(sums.map(({ counts }) => counts[name]))]),
      ),
    },
    spans: addSpanParts(sums.map(({ spans }) => spans)),
    lengths: rows.map(
      (row) => () => readLengths(Number(row['shortest'] ?? 0), row['lengths'] as Uint8Array), // a column of bytes
    ),
  };
};
