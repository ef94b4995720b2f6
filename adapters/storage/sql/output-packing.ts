// Packs output: rows that follow each other become one of up to a MiB, deflated. It is read outside of any transaction, and put in place only
// if the rows are still those that were read: a process that dies, or two that pack at once, neither lose nor double a line.
import type { Knex } from 'knex';
import { inTransaction, isTrue, type Connection } from './connection.js';
import { holdExperiment } from './assets/held-experiment.js';
import {
  countLines,
  decodePlaces,
  deflatePack,
  encodePlaces,
  inflatePack,
  type CountedLines,
  type PlacedPiece,
} from './output-packs.js';
import { drain, pageRows, withoutHeld } from './queue-faults.js';
import { pieceBytes, readHead, textKinds } from './text-pieces.js';

/** Output waits for so long, or until it is in so many rows, that they are worth packing. */
const waitMs = 10 * 60_000;
const looseRows = 200;
const rowsAtOnce = 5000;
const packsAtOnce = 8;

const queue = async (
  { db, dialect }: Connection,
  experimentId: string,
  dueAt: number,
): Promise<void> => {
  const [stored, brought] = [
    dialect.stored('output_packings', 'due_at'),
    dialect.incoming('due_at'),
  ];
  await dialect.insertColumns(
    db,
    'output_packings',
    [
      { name: 'experiment_id', kind: 'id', values: [experimentId] },
      { name: 'due_at', kind: 'whole', values: [dueAt] },
    ],
    dialect.onConflict(['experiment_id'], [`due_at = least(${stored}, ${brought})`]),
  );
};

/** Told when rows were added, inside the experiment's lock. */
export const noteLoose = async (
  inside: Connection,
  experimentId: string,
  before: number,
  now: number,
): Promise<void> => {
  if (Math.floor(now / looseRows) > Math.floor(before / looseRows))
    await queue(inside, experimentId, inside.clock.now());
  else if (before === 0) await queue(inside, experimentId, inside.clock.now() + waitMs);
};

/** As the store's `queuePacking`: only of experiments that have something to pack. */
export const queueOutputPacking = async (
  { db, dialect, clock }: Connection,
  experimentIds: readonly string[],
): Promise<void> => {
  if (experimentIds.length === 0) return;
  const now = clock.now();
  await db('output_packings')
    .modify(dialect.among('experiment_id', 'id', experimentIds))
    .where('due_at', '>', now)
    .update({ due_at: now });
};

interface KeyRow {
  readonly run: unknown;
  readonly first_offset: unknown;
  readonly part: unknown;
  readonly last_offset: unknown;
  readonly last_place: unknown;
  readonly pieces: unknown;
  readonly size: unknown;
}
/** A row without its content. */
interface StoredRow {
  readonly run: number;
  readonly first: number;
  readonly part: number;
  readonly last: number;
  readonly packed: boolean;
  /** As they were stored, and bytes of them. */
  readonly pieces: number;
  readonly bytes: number;
}

const toRow = (row: KeyRow): StoredRow => ({
  run: Number(row.run),
  first: Number(row.first_offset),
  part: Number(row.part),
  last: Number(row.last_offset),
  packed: row.last_place !== null,
  pieces: Number(row.pieces ?? 1),
  bytes: Number(row.size),
});

const rowsOf = ({ db }: Connection, experimentId: string) =>
  db('output_lines')
    .where({ experiment_id: experimentId })
    .select(
      ...['run', 'first_offset', 'part', 'last_offset', 'last_place', 'pieces'],
      db.raw('case when last_place is null then octet_length(content) else bytes end as size'),
    );

/** The rows from the first loose one on that go into one pack: of one run, up to a packed one and to a MiB. A line of several rows is packed row by row. */
const readLoose = async (
  connection: Connection,
  experimentId: string,
): Promise<readonly StoredRow[]> => {
  const [found] = (await rowsOf(connection, experimentId)
    .whereNull('last_place')
    .orderBy(['run', 'first_offset', 'part'])
    .limit(1)) as unknown as readonly KeyRow[]; // the columns named
  if (found === undefined) return [];
  const first = toRow(found);
  const rows = (
    (await rowsOf(connection, experimentId)
      .where({ run: first.run })
      .where('first_offset', '>=', first.first)
      .orderBy(['first_offset', 'part'])
      .limit(rowsAtOnce + 1)) as unknown as readonly KeyRow[]
  ) // the same
    .map(toRow)
    .filter((row) => row.first > first.first || row.part >= first.part);
  const isWhole = (row: StoredRow, at: number) =>
    row.part === 0 && rows[at + 1]?.first !== row.first;
  if (!isWhole(first, 0)) return [first];
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    bytes += row.bytes;
    return at > 0 && (row.packed || !isWhole(row, at) || bytes > pieceBytes);
  });
  return rows.slice(0, end === -1 ? rowsAtOnce : end);
};

/** The packs right before that are not much longer than what would join them: each line is packed again only as often as its output doubles. */
const readBefore = async (
  connection: Connection,
  experimentId: string,
  loose: readonly StoredRow[],
): Promise<readonly StoredRow[]> => {
  const [first] = loose;
  if (first === undefined || first.part > 0) return [];
  const before = (
    (await rowsOf(connection, experimentId)
      .where({ run: first.run })
      .where('first_offset', '<', first.first)
      .orderBy([
        { column: 'first_offset', order: 'desc' },
        { column: 'part', order: 'desc' },
      ])
      .limit(packsAtOnce)) as unknown as readonly KeyRow[]
  ) // the columns named
    .map(toRow);
  let bytes = loose.reduce((sum, row) => sum + row.bytes, 0);
  const end = before.findIndex((row) => {
    const joins =
      row.packed && row.part === 0 && row.bytes <= 2 * bytes && row.bytes + bytes <= pieceBytes;
    bytes += row.bytes;
    return !joins;
  });
  return before.slice(0, end === -1 ? undefined : end).reverse();
};

interface ContentRow {
  readonly first_offset: unknown;
  readonly last_offset: unknown;
  readonly stderr: unknown;
  readonly bytes: number | null;
  readonly places: Buffer | null;
  readonly content: Buffer;
}

/** For `modify`: rows of one run from the first of a list to its last. */
const within =
  (rows: readonly StoredRow[]) =>
  (query: Knex.QueryBuilder): void => {
    const [first, last] = [rows[0], rows.at(-1)];
    query
      .where({ run: first?.run ?? 0 })
      .where('first_offset', '>=', first?.first ?? 0)
      .where('first_offset', '<=', last?.first ?? 0);
    if (rows.length === 1) query.where({ part: first?.part ?? 0 });
  };

interface Pack {
  readonly pieces: readonly PlacedPiece[];
  readonly bytes: number;
  readonly content: Buffer;
  readonly counted: CountedLines;
}

const makePack = async (
  { db }: Connection,
  experimentId: string,
  rows: readonly StoredRow[],
): Promise<Pack> => {
  const found = (await db('output_lines')
    .where({ experiment_id: experimentId })
    .modify(within(rows))
    .orderBy(['first_offset', 'part'])
    .select(
      ...['first_offset', 'last_offset', 'stderr', 'bytes', 'places', 'content'],
    )) as readonly ContentRow[]; // the columns named
  const pieces: PlacedPiece[] = [];
  const contents: Buffer[] = [];
  for (const { places, content, first_offset, last_offset, stderr, bytes } of found) {
    const first = Number(first_offset);
    contents.push(places === null ? content : await inflatePack(content, bytes ?? 0));
    if (places !== null) for (const piece of decodePlaces(places, first)) pieces.push(piece);
    else
      pieces.push({
        first,
        last: Number(last_offset),
        stderr: isTrue(stderr),
        bytes: content.length,
      });
  }
  const whole = Buffer.concat(contents);
  return {
    pieces,
    bytes: whole.length,
    content: await deflatePack(whole),
    counted: countLines(whole),
  };
};

const isSame = (one: StoredRow, other: StoredRow | undefined): boolean =>
  other !== undefined &&
  one.first === other.first &&
  one.part === other.part &&
  one.last === other.last &&
  one.packed === other.packed &&
  one.pieces === other.pieces &&
  one.bytes === other.bytes;

const insertPack = (
  { db, dialect }: Connection,
  experimentId: string,
  { run, first, part }: StoredRow,
  { pieces, bytes, content, counted }: Pack,
): Promise<void> =>
  dialect.insertColumns(db, 'output_lines', [
    { name: 'experiment_id', kind: 'id', values: [experimentId] },
    { name: 'run', kind: 'whole', values: [run] },
    { name: 'first_offset', kind: 'whole', values: [first] },
    { name: 'part', kind: 'whole', values: [part] },
    { name: 'last_offset', kind: 'whole', values: [pieces.at(-1)?.last ?? first] },
    { name: 'stderr', kind: 'flag', values: [pieces.every(({ stderr }) => stderr)] },
    { name: 'content', kind: 'bytes', values: [content] },
    { name: 'last_place', kind: 'whole', values: [pieces.at(-1)?.first ?? first] },
    { name: 'places', kind: 'bytes', values: [encodePlaces(pieces)] },
    { name: 'pieces', kind: 'whole', values: [pieces.length] },
    { name: 'bytes', kind: 'whole', values: [bytes] },
    { name: 'newlines', kind: 'whole', values: [counted.newlines] },
    { name: 'ends_line', kind: 'flag', values: [counted.endsLine ?? null] },
  ]);

const noteLeft = (inside: Connection, experimentId: string, loose: number): Promise<unknown> =>
  inside
    .db('texts')
    .where({ experiment_id: experimentId, kind: textKinds.output })
    .update({ loose: Math.max(0, loose) });

/** Puts a pack in the place of its rows. Says `false`, and does nothing, where they are not what they were. */
const replaceRows = (
  connection: Connection,
  experimentId: string,
  rows: readonly StoredRow[],
  pack: Pack,
): Promise<boolean> =>
  inTransaction(connection, async (inside) => {
    const [first] = rows;
    if (first === undefined || !(await holdExperiment(inside.db, experimentId))) return false;
    const stored = (await rowsOf(inside, experimentId)
      .modify(within(rows))
      .orderBy(['first_offset', 'part'])) as unknown as readonly KeyRow[]; // the columns named
    const now = stored.map(toRow);
    if (now.length !== rows.length || !rows.every((row, at) => isSame(row, now[at]))) return false;
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    if (pack.bytes !== bytes) return false; // rows came or went between looking and reading
    await inside
      .db('output_lines')
      .where({ experiment_id: experimentId })
      .modify(within(rows))
      .delete();
    await insertPack(inside, experimentId, first, pack);
    const head = await readHead(inside.db, experimentId, 'output');
    const packed = rows.filter((row) => !row.packed).length;
    await noteLeft(inside, experimentId, (head?.loose ?? 0) - packed);
    return true;
  });

/** Takes an experiment from the queue when nothing is left to pack; what came meanwhile waits for its turn. */
const finish = (connection: Connection, experimentId: string): Promise<void> =>
  inTransaction(connection, async (inside) => {
    const there = await holdExperiment(inside.db, experimentId);
    const queued = inside.db('output_packings').where({ experiment_id: experimentId });
    if (there && (await readLoose(inside, experimentId)).length > 0) {
      await queued.update({ due_at: inside.clock.now() + waitMs });
      return;
    }
    if (there) await noteLeft(inside, experimentId, 0);
    await queued.delete();
  });

const packExperiment = async (
  connection: Connection,
  experimentId: string,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    if (signal.aborted) return;
    const loose = await readLoose(connection, experimentId);
    if (loose.length === 0) break;
    const rows = [...(await readBefore(connection, experimentId, loose)), ...loose];
    const pack = await makePack(connection, experimentId, rows);
    if (!(await replaceRows(connection, experimentId, rows, pack))) break;
  }
  await finish(connection, experimentId);
};

interface Waiting {
  readonly experiment_id: string;
}

/** The next experiments whose output is due to be packed. */
export const listDueOutput = async ({
  db,
  dialect,
  clock,
}: Connection): Promise<readonly Waiting[]> => {
  const now = clock.now();
  const item = dialect.idAsText('output_packings.experiment_id');
  return (await db('output_packings')
    .where('due_at', '<=', now)
    .modify(withoutHeld({ db }, 'output-packing', item, now))
    .orderBy(['due_at', 'experiment_id'])
    .limit(pageRows)
    .select('experiment_id')) as readonly Waiting[]; // the column named
};

/** Packs the output that is due. Answers of how many experiments it was. */
export const packOutput = (connection: Connection, signal: AbortSignal): Promise<number> =>
  drain<Waiting>(connection, {
    queue: 'output-packing',
    idOf: ({ experiment_id }) => experiment_id,
    signal,
    work: ({ experiment_id }) => packExperiment(connection, experiment_id, signal),
    page: () => listDueOutput(connection),
  });
