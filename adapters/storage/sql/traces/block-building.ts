// Sums up blocks of traces and spans whose rows were left alone for a while, a few at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Connection } from '../connection.js';
import { both, fragment } from '../fragment.js';
import { groupedColumns, groupsColumn, writeGroups, type RowSums } from './block-groups.js';
import { addByValue, addRows, readBlockRows, type BlockRow } from './block-rows.js';
import { writeSums } from './block-sums.js';
import { tagsColumn, writeTags } from './block-tags.js';
import { wordBits, wordedColumns } from './block-words.js';
import {
  blockKinds,
  blockStates,
  endOfBlocks,
  firstId,
  kindNumber,
  madeAt,
  type BlockKind,
} from './blocks.js';
import { writeLengths } from './lengths.js';
import { run } from './reads.js';
import type { Row } from './rows.js';

/** Rows of a block: fewer tell more apart, more are told by fewer blocks. */
export const blockRows = 512;
/** One that has grown to so many is made several. */
const mostRows = 4 * blockRows;
/** Names of usage of one block; with more of them its rows are counted each time. */
const mostNames = 100;

/** How long rows are left alone before they are summed up, in ms: by then most traces have ended. */
const quietMs = 10 * 60_000;
/** Projects that one look asks for, blocks of one that it claims, and blocks that it sums up. */
const [projectsAtOnce, claimsAtOnce, blocksAtOnce] = [500, 512, 64];

/** Whether an id tells when it was made, and that was before. */
const wasMadeBefore = (id: string, ms: number): boolean => id[14] === '7' && madeAt(id) < ms;

interface Place {
  readonly projectId: string;
  readonly kind: BlockKind;
}

/** A block of a place: rows whose ids are greater than one id, up to and with another. */
interface Block extends Place {
  readonly after: string;
  readonly last: string;
}

const rangeOf = ({ projectId, after, last }: Block) =>
  both(fragment('x.project_id = ?', projectId), fragment('x.id > ? and x.id <= ?', after, last));

/** The id so many rows behind another one, in ascending order; `undefined` where there are fewer. */
const idAhead = async (
  connection: Connection,
  { projectId, kind }: Place,
  after: string,
  to?: string,
): Promise<string | undefined> => {
  const [row] = await run(
    connection,
    `select x.id from ${kind}s x where `,
    both(
      fragment('x.project_id = ? and x.id > ?', projectId, after),
      ...(to === undefined ? [] : [fragment('x.id <= ?', to)]),
    ),
    ` order by x.id limit 1 offset ${blockRows - 1}`,
  );
  return row && String(row['id']);
};

const insertClaimed = async (
  { db, dialect }: Connection,
  { projectId, kind }: Place,
  blocks: readonly Pick<Block, 'after' | 'last'>[],
): Promise<void> => {
  for (const { after, last } of blocks)
    await db('entry_blocks').insert({
      project_id: projectId,
      kind: kindNumber(kind),
      last_id: last,
      after_id: after,
      state: blockStates.claimed,
      at: db.raw(dialect.nowMs),
    });
};

/** Claims blocks of the rows behind the last one, as far as they were left alone. */
const claimNew = async (connection: Connection, place: Place, quiet: number): Promise<void> => {
  let after = (await endOfBlocks(connection, place.projectId, place.kind)) ?? firstId;
  for (let claimed = 0; claimed < claimsAtOnce; claimed++) {
    const last = await idAhead(connection, place, after);
    if (last === undefined || !wasMadeBefore(last, quiet)) return;
    try {
      await insertClaimed(connection, place, [{ after, last }]);
    } catch (thrown) {
      if (connection.dialect.fault(thrown) === 'conflict') return; // another process claims here, too
      throw thrown;
    }
    after = last;
  }
};

/** Claims anew what was written to. */
const claimOutdated = async ({ db, dialect }: Connection, waitMs: number): Promise<void> => {
  const rows = (await db('entry_blocks')
    .select('project_id', 'kind', 'last_id')
    .where({ state: blockStates.outdated })
    .where('at', '<=', db.raw(`${dialect.nowMs} - ?`, [waitMs]))
    .orderBy('at')
    .limit(blocksAtOnce)) as readonly Row[]; // the columns named
  for (const row of rows)
    await db('entry_blocks')
      .where({ ...row, state: blockStates.outdated })
      .update({ state: blockStates.claimed, claim: null });
};

/** Names the moment from which on everybody sees what was claimed before. */
const nameClaims = async ({ db, dialect }: Connection): Promise<void> => {
  const unnamed = () => db('entry_blocks').where({ state: blockStates.claimed, claim: null });
  const rows = (await unnamed()
    .select('project_id', 'kind', 'last_id')
    .limit(claimsAtOnce)) as readonly Row[]; // the columns named
  if (rows.length === 0) return;
  const moment = await dialect.transactions.name(db);
  for (const row of rows) await unnamed().where(row).update({ claim: moment });
};

const textsIn = (rows: readonly BlockRow[], columns: readonly string[]): ReadonlySet<string> => {
  const texts = new Set<string>();
  for (const { texts: row } of rows)
    for (const column of columns) {
      const text = row[column];
      if (typeof text === 'string') texts.add(text);
    }
  return texts;
};

/** Makes a block that has grown several, all of them claimed. */
const split = async (connection: Connection, block: Block): Promise<void> => {
  const parts: Pick<Block, 'after' | 'last'>[] = [];
  let { after } = block;
  for (;;) {
    const last =
      parts.length < blocksAtOnce ? await idAhead(connection, block, after, block.last) : undefined;
    if (last === undefined || last === block.last) break;
    parts.push({ after, last });
    after = last;
  }
  await inTransaction(connection, async (inside) => {
    const found = await inside
      .db('entry_blocks')
      .where(keyOf(block))
      .where({ state: blockStates.claimed, after_id: block.after })
      .update({ after_id: after, claim: null });
    if (found > 0) await insertClaimed(inside, block, parts);
  });
};

const keyOf = ({ projectId, kind, last }: Block) => ({
  project_id: projectId,
  kind: kindNumber(kind),
  last_id: last,
});

/** Whether figures of rows are such that they can be kept. */
const canBeKept = ({ spans, lengths }: RowSums): boolean =>
  spans.usage.length <= mostNames &&
  (lengths.at(-1) ?? 0) - (lengths[0] ?? 0) <= Number.MAX_SAFE_INTEGER;

/** What rows come to by each column that has few values, under the names of what is stored; of one that has many nothing is kept, which is told from what was never looked at. */
const groupsOf = (
  rows: readonly BlockRow[],
  kind: BlockKind,
  isTold: boolean,
): Readonly<Record<string, Buffer>> => {
  const groups = Object.fromEntries(
    groupedColumns[kind].map((column) => [
      groupsColumn(column),
      Buffer.from(isTold ? writeGroups(addByValue(rows, column)) : []),
    ]),
  );
  return { ...groups, [tagsColumn]: Buffer.from(isTold ? writeTags(rows, addRows) : []) };
};

/** Sums up a block, unless somebody writes to it meanwhile. */
const settle = async (connection: Connection, block: Block, claim: string): Promise<void> => {
  const { db } = connection;
  const { kind, projectId } = block;
  const rows = await readBlockRows(connection, kind, projectId, rangeOf(block), mostRows);
  if (rows === undefined) return split(connection, block);
  const sums = addRows(rows);
  const { n, errors, counts, spans, lengths } = sums;
  const starts = rows.map(({ start }) => start);
  const [shortest = null, longest = null] = [lengths[0], lengths.at(-1)];
  const isTold = canBeKept(sums);
  await db('entry_blocks')
    .where({ ...keyOf(block), after_id: block.after, state: blockStates.claimed, claim })
    .update({
      state: blockStates.settled,
      ...{ n, errors },
      first_start: n === 0 ? null : Math.min(...starts),
      last_start: n === 0 ? null : Math.max(...starts),
      ...{ shortest, longest },
      sums: isTold ? writeSums({ counts, spans }) : null,
      words: Buffer.from(wordBits(textsIn(rows, wordedColumns[kind]), textsIn(rows, ['metadata']))),
      lengths: isTold ? Buffer.from(writeLengths(lengths)) : null,
      ...groupsOf(rows, kind, isTold),
    });
};

/** Sums up blocks that were claimed long enough ago; answers how many it looked at. */
const settleClaimed = async (connection: Connection, signal: AbortSignal): Promise<number> => {
  const { db, dialect } = connection;
  const rows = (await db('entry_blocks')
    .select('project_id', 'kind', 'after_id', 'last_id', 'claim')
    .where({ state: blockStates.claimed })
    .whereNotNull('claim')
    .orderBy('at')
    .limit(blocksAtOnce)) as readonly Row[]; // the columns named
  const ended = new Map<string, boolean>();
  let looked = 0;
  for (const row of rows) {
    const claim = String(row['claim']);
    if (!ended.has(claim)) ended.set(claim, await dialect.transactions.haveEnded(db, claim));
    if (ended.get(claim) !== true || signal.aborted) continue;
    const block = {
      projectId: String(row['project_id']),
      kind: blockKinds[Number(row['kind'])] ?? 'trace',
      after: String(row['after_id']),
      last: String(row['last_id']),
    };
    const began = performance.now();
    await settle(connection, block, claim);
    // As long again for everybody else: behind a project that was just brought in, thousands wait.
    await sleep(performance.now() - began);
    looked++;
  }
  return looked;
};

/** Projects behind an id, in their order, and the id up to which each has a further block of rows, if it has so many. */
const listPlaces = async (
  { db, dialect }: Connection,
  kind: BlockKind,
  behind: string,
): Promise<readonly Row[]> =>
  (await dialect.run(
    db,
    `select p.id, (select x.id from ${kind}s x where x.project_id = p.id and x.id > coalesce((select b.last_id from entry_blocks b where b.project_id = p.id and b.kind = ${kindNumber(kind)} order by b.last_id desc limit 1), '${firstId}') order by x.id limit 1 offset ${blockRows - 1}) as next from projects p where p.id > ? and p.deleted_at is null order by p.id limit ${projectsAtOnce}`,
    [behind],
  )) as readonly Row[]; // the columns named

/** Claims what can be claimed, of some projects behind an id; answers the last one of these, and the first id where there are no more. */
const claimSome = async (
  connection: Connection,
  behind: string,
  quiet: number,
): Promise<string> => {
  let last = firstId;
  for (const kind of blockKinds) {
    const rows = await listPlaces(connection, kind, behind);
    for (const row of rows)
      if (row['next'] !== null && wasMadeBefore(String(row['next']), quiet))
        await claimNew(connection, { projectId: String(row['id']), kind }, quiet);
    last = rows.length < projectsAtOnce ? firstId : String(rows.at(-1)?.['id']);
  }
  return last;
};

/** For how long written blocks, and rows, are left alone, in ms. */
export interface Quiet {
  readonly rowsMs: number;
  readonly blocksMs: number;
}
const usual: Quiet = { rowsMs: quietMs, blocksMs: 60_000 };

/** How long one run takes until no further look is begun, in ms: others use the database too. */
const runMs = 4000;

export interface BlockUpkeep {
  /** Sums up what was claimed, and claims what comes next, of the projects behind those of the look before. Answers whether anything was summed up. */
  look(signal: AbortSignal): Promise<boolean>;
  /** Looks as long as there is something to sum up, for a while. */
  run(signal: AbortSignal): Promise<void>;
}

export const createBlockUpkeep = (connection: Connection, quiet: Quiet = usual): BlockUpkeep => {
  let behind = firstId;
  const look = async (signal: AbortSignal): Promise<boolean> => {
    const settled = await settleClaimed(connection, signal);
    if (signal.aborted) return false;
    behind = await claimSome(connection, behind, connection.clock.now() - quiet.rowsMs);
    await claimOutdated(connection, quiet.blocksMs);
    await nameClaims(connection);
    return settled > 0;
  };
  return {
    look,
    async run(signal) {
      const began = performance.now();
      while ((await look(signal)) && performance.now() - began < runMs);
    },
  };
};
