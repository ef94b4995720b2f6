// A journal of which traces, spans, scores and threads were stored, changed or removed, for copies of their rows that are kept elsewhere. A
// transaction writes one row for many of them, as the last thing that it does.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  followedTables,
  type AnalyticChanges,
  type ChangedRows,
  type FollowedTable,
} from '#ports/storage/analytic-rows';
import type { Connection } from '../connection.js';
import { asId } from '../ids.js';
import type { Row } from './rows.js';

/** How long the first mark waits, in ms, for transactions that are under way, and between two looks at them: who looks more often is told the same on MySQL. */
const [firstWaitMs, firstPauseMs] = [3000, 150];
/** Where those last longer, entries of this time are told again. */
const toldAgainMs = 10 * 60_000;
/** Entries behind the newest one that are kept however old they are, in ms: by them it is known that nothing between was forgotten. */
const lastKeptMs = 60 * 60_000;
/** Ids of one entry, numbers that are looked at, and entries that are told at once. */
const [idsOfEntry, numbersAtOnce, entriesAtOnce] = [5000, 100_000, 500];
/** Stretches of numbers that the database leaves out by itself. */
const stretchesLeftOut = 20;
/** Places in this list are stored. Threads are told of by the hashes that they are found by, others by ids. */
const kinds = followedTables;
type Kind = FollowedTable;
const bytesOf = (kind: Kind): number => (kind === 'trace_threads' ? 32 : 16);

/** Where somebody stands who reads the journal. */
interface Mark {
  /** The newest entry of anybody's at that time, and its time; 0 where there was none, and the time of the mark. */
  readonly last: number;
  readonly lastAt: number;
  /** Up to here all were told. */
  readonly low: number;
  /** Beyond that, stretches of numbers that were told: the first and the last of each, in ascending order. */
  readonly told: readonly (readonly [number, number])[];
  /** Numbers are given before they are committed: of those up to `to` none comes any more once all transactions before `moment` have ended. */
  readonly pending?: { readonly to: number; readonly moment: string } | undefined;
}

const pack = (ids: readonly string[]): Buffer =>
  Buffer.from(ids.map((id) => id.replaceAll('-', '')).join(''), 'hex');
const unpack = (kind: Kind, stored: unknown): readonly string[] => {
  const hex = Buffer.from(stored as Uint8Array).toString('hex'); // a column of bytes
  const digits = 2 * bytesOf(kind);
  return Array.from({ length: hex.length / digits }, (_, at) => {
    const one = hex.slice(at * digits, (at + 1) * digits);
    return kind === 'trace_threads' ? one : asId(one);
  });
};

/** The statements that tell of changes of a project, each when it is called: the last ones of the transaction that makes them. */
export const journalWrites = (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  projectId: string,
  kind: Kind,
  ids: readonly string[],
): readonly (() => Promise<void>)[] =>
  Array.from({ length: Math.ceil(ids.length / idsOfEntry) }, (_, part) => async () => {
    await dialect.run(
      db,
      `insert into entry_changes (project_id, kind, at, ids) values (?, ?, ${dialect.nowMs}, ?)`,
      [projectId, kinds.indexOf(kind), pack(ids.slice(part * idsOfEntry, (part + 1) * idsOfEntry))],
    );
  });

/** Tells of changes of a project, in the caller's transaction. */
export const writeJournal = async (
  connection: Pick<Connection, 'db' | 'dialect'>,
  projectId: string,
  kind: Kind,
  ids: readonly string[],
): Promise<void> => {
  for (const write of journalWrites(connection, projectId, kind, ids)) await write();
};

const wasTold = (told: Mark['told'], number: number): boolean => {
  let [from, to] = [0, told.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((told[middle]?.[1] ?? 0) < number) from = middle + 1;
    else to = middle;
  }
  return (told[from]?.[0] ?? Infinity) <= number;
};

/** Stretches with these numbers too, without what lies below. */
const stretched = (told: Mark['told'], numbers: readonly number[], low: number): Mark['told'] => {
  const all = [...told, ...numbers.map((one) => [one, one] as const)]
    .filter(([, to]) => to > low)
    .sort(([one], [other]) => one - other);
  const joined: [number, number][] = [];
  for (const [from, to] of all) {
    const before = joined.at(-1);
    if (before !== undefined && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else joined.push([from, to]);
  }
  return joined;
};

/** The newest entry, and its time; 0 and the time of now where there is none. */
const newestOf = async ({ db, dialect }: Connection): Promise<Pick<Mark, 'last' | 'lastAt'>> => {
  const newest = (await db('entry_changes')
    .select('number', 'at')
    .orderBy('number', 'desc')
    .first()) as Row | undefined; // the columns named
  if (newest !== undefined) return { last: Number(newest['number']), lastAt: Number(newest['at']) };
  const [row] = (await db.select({ now: db.raw(dialect.nowMs) })) as readonly Row[]; // one row
  return { last: 0, lastAt: Number(row?.['now']) };
};

/** The newest entry from before so long. */
const newestBefore = async ({ db, dialect }: Connection, ms: number): Promise<number> => {
  const found = (await db('entry_changes')
    .select('number')
    .where('at', '<', db.raw(`${dialect.nowMs} - ?`, [ms]))
    .orderBy('at', 'desc')
    .first()) as Row | undefined; // the column named
  return Number(found?.['number'] ?? 0);
};

/** A mark of now: whoever reads all rows after it misses nothing of what is told from there on. */
const firstMark = async (connection: Connection): Promise<Mark> => {
  const { db, dialect } = connection;
  const newest = await newestOf(connection);
  const moment = await dialect.transactions.name(db);
  const until = performance.now() + firstWaitMs;
  do {
    if (await dialect.transactions.haveEnded(db, moment))
      return { ...newest, low: newest.last, told: [] };
    await sleep(firstPauseMs);
  } while (performance.now() < until);
  const low = await newestBefore(connection, toldAgainMs);
  return { ...newest, low, told: [], pending: { to: newest.last, moment } };
};

/** Up to which number nothing comes any more, and what is waited for next. */
const settle = async (
  { db, dialect }: Connection,
  { low, pending }: Mark,
  newest: Pick<Mark, 'last'>,
): Promise<Pick<Mark, 'low' | 'pending'>> => {
  const hasEnded =
    pending !== undefined && (await dialect.transactions.haveEnded(db, pending.moment));
  if (pending !== undefined && !hasEnded) return { low, pending };
  const settled = Math.max(low, pending?.to ?? 0);
  if (newest.last <= settled) return { low: settled, pending: undefined };
  return {
    low: settled,
    pending: { to: newest.last, moment: await dialect.transactions.name(db) },
  };
};

/** Whether nothing after a mark was forgotten: entries go from the oldest on. One that has another time by now is of another database. */
const isRemembered = async (
  { db }: Connection,
  mark: Mark,
  newest: Pick<Mark, 'last' | 'lastAt'>,
): Promise<boolean> => {
  // What is that near to the newest one is not forgotten.
  if (mark.last === 0) return newest.last === 0 || newest.lastAt - lastKeptMs <= mark.lastAt;
  const rows = (await db('entry_changes')
    .select('number', 'at')
    .where('number', '<=', mark.last)
    .orderBy('number', 'desc')
    .limit(1)) as readonly Row[]; // the columns named
  const [row] = rows;
  if (row === undefined || newest.last < mark.last) return false;
  return Number(row['number']) !== mark.last || Number(row['at']) === mark.lastAt;
};

const untold = async (
  { db, dialect }: Connection,
  projectIds: readonly string[],
  { low, told }: Mark,
): Promise<readonly number[]> => {
  const longest = [...told]
    .sort(([from, to], [start, end]) => end - start - (to - from))
    .slice(0, stretchesLeftOut);
  const rows = (await db('entry_changes')
    .select('number')
    .where('number', '>', low)
    .modify(dialect.among('project_id', 'id', projectIds))
    .modify((query) => {
      for (const stretch of longest) query.whereNotBetween('number', stretch);
    })
    .orderBy('number')
    .limit(numbersAtOnce)) as readonly Row[]; // the column named
  return rows.map((row) => Number(row['number'])).filter((number) => !wasTold(told, number));
};

/** What changed of these projects since a mark; without one, nothing, but where to go on from. `undefined` where that is not remembered any more. */
export const readJournal = async (
  connection: Connection,
  projectIds: readonly string[],
  since: string | undefined,
): Promise<AnalyticChanges | undefined> => {
  if (since === undefined) {
    const mark = JSON.stringify(await firstMark(connection));
    return { projectIds, changed: [], mark, more: false };
  }
  const mark = JSON.parse(since) as Mark; // written here
  const newest = await newestOf(connection);
  if (!(await isRemembered(connection, mark, newest))) return undefined;
  // Before entries are asked for: whatever is settled by now is among them.
  const settled = await settle(connection, mark, newest);
  const numbers = projectIds.length === 0 ? [] : await untold(connection, projectIds, mark);
  const some = numbers.slice(0, entriesAtOnce);
  const rows =
    some.length === 0
      ? []
      : ((await connection
          .db('entry_changes')
          .select('project_id', 'kind', 'ids')
          .whereIn('number', some)
          .orderBy('number')) as readonly Row[]); // the columns named
  const more = numbers.length > some.length;
  const { low, pending } = more ? mark : settled;
  const next: Mark = { ...newest, low, told: stretched(mark.told, some, low), pending };
  return { projectIds, changed: gather(rows), mark: JSON.stringify(next), more };
};

/** Each id once, by tables and projects. */
const gather = (rows: readonly Row[]): readonly ChangedRows[] => {
  const found = new Map<string, { table: Kind; projectId: string; ids: Set<string> }>();
  for (const row of rows) {
    const [table, projectId] = [kinds[Number(row['kind'])], String(row['project_id'])];
    if (table === undefined) continue; // of a newer release, which tells of tables that this one does not copy
    const of = found.get(`${table} ${projectId}`) ?? { table, projectId, ids: new Set<string>() };
    found.set(`${table} ${projectId}`, of);
    for (const id of unpack(table, row['ids'])) of.ids.add(id);
  }
  return [...found.values()].map(({ ids, ...of }) => ({ ...of, ids: [...ids].sort() }));
};

/** Forgets some of the entries from before a time (ms), the oldest first, but never the newest ones. Answers how many. */
export const forgetJournal = async (
  { db }: Connection,
  before: number,
  limit: number,
): Promise<number> => {
  const newest = (await db('entry_changes').select('at').orderBy('number', 'desc').first()) as
    Row | undefined; // the column named
  if (newest === undefined) return 0;
  const rows = (await db('entry_changes')
    .select('number')
    .where('at', '<', Math.min(before, Number(newest['at']) - lastKeptMs))
    .orderBy('number')
    .limit(limit)) as readonly Row[]; // the column named
  const to = rows.at(-1)?.['number'];
  if (to === undefined) return 0;
  return db('entry_changes')
    .where('number', '<=', Number(to))
    .where('at', '<', Math.min(before, Number(newest['at']) - lastKeptMs))
    .delete();
};
