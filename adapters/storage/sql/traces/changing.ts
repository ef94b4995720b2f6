// Writing traces and spans: what is stored is decided upon in one transaction, so that requests for one id wait for each other.
import type { Span, Trace, TraceEntry } from '#ports/model/traces';
import type { Decide } from '#ports/storage/traces';
import type { PipelinedTransaction } from '#ports/sql-dialect';
import { inTransaction, type Connection } from '../connection.js';
import { inOnePiece } from '../one-piece.js';
import {
  insertFrames,
  layOut,
  leaveFrames,
  packFrames,
  type BodyPlace,
  type FrameRow,
} from './frames.js';
import { journalWrites, writeJournal } from './journal.js';
import type { Repeats } from './repeats.js';
import {
  columnsOf,
  placeOf,
  readColumnsOf,
  readRows,
  toColumns,
  type Row,
  type Shelf,
} from './rows.js';
import { outdateBlocks, type Written } from './blocks.js';
import { threadKeysOf, touchThreads } from './threads.js';

/** Rows of one statement; bodies may be long, and an engine bounds what a statement brings. */
const rowsAtOnce = 200;
const bytesOf = ({ input, output, metadata, errorInfo }: TraceEntry, framed: boolean): number =>
  (framed ? 0 : (input?.length ?? 0) + (output?.length ?? 0)) +
  (metadata?.length ?? 0) +
  (errorInfo?.length ?? 0);

/** Entries in parts that one statement takes each; a long one goes by itself. */
const inParts = <T extends TraceEntry>(
  entries: readonly T[],
  framed: boolean,
  mostBytes: number,
): readonly T[][] => {
  const parts: T[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const own = bytesOf(entry, framed) * 3; // as UTF-8, at most
    const part = parts.at(-1);
    if (part === undefined || part.length === rowsAtOnce || bytes + own > mostBytes) {
      parts.push([entry]);
      bytes = own;
    } else {
      part.push(entry);
      bytes += own;
    }
  }
  return parts;
};

/** The statements that store entries, each when it is called. */
const writes = <T extends TraceEntry>(
  { db, dialect }: Connection,
  shelf: Shelf<T>,
  { entries, places }: { readonly entries: readonly T[]; readonly places: Places },
  suffix: string,
): readonly (() => Promise<void>)[] =>
  inParts(entries, shelf.framed, dialect.statementBytes / 2).map(
    (part) => () => dialect.insertColumns(db, shelf.table, toColumns(shelf, part, places), suffix),
  );

type Places = ReadonlyMap<string, BodyPlace>;
/** An entry as it was, and where its bodies lie. */
interface Stored<T> {
  readonly entry: T;
  readonly place: BodyPlace | undefined;
}

/** Lays the bodies of entries into frames: where each is, and the rows to store. */
const lay = async (
  { ids, dialect }: Connection,
  entries: readonly TraceEntry[],
): Promise<{ readonly places: Places; readonly frames: readonly (readonly FrameRow[])[] }> => {
  const laid = layOut(entries, () => ids.next());
  const places = new Map<string, BodyPlace>();
  for (const [i, entry] of entries.entries()) {
    const place = laid.places[i];
    if (place !== undefined) places.set(entry.id, place);
  }
  return { places, frames: await packFrames(laid.frames, dialect.statementBytes / 2) };
};

/** Lays the bodies of entries into frames, but of those whose bodies stay as they are, and takes out what they replace. */
const placeBodies = async <T extends TraceEntry>(
  connection: Connection,
  projectId: string,
  entries: readonly T[],
  stored: ReadonlyMap<string, Stored<T>>,
): Promise<Places> => {
  const places = new Map<string, BodyPlace>();
  const moving: T[] = [];
  const left: BodyPlace[] = [];
  for (const entry of entries) {
    const { entry: before, place } = stored.get(entry.id) ?? {};
    if (before !== undefined && before.input === entry.input && before.output === entry.output) {
      if (place !== undefined) places.set(entry.id, place);
      continue;
    }
    moving.push(entry);
    if (place !== undefined) left.push(place);
  }
  const laid = await lay(connection, moving);
  for (const [id, place] of laid.places) places.set(id, place);
  for (const rows of laid.frames) await insertFrames(connection, projectId, rows);
  if (left.length > 0) await leaveFrames(connection, projectId, left);
  return places;
};

const keys = ['project_id', 'id'];

/** Which rows are other than before: traces also where spans of theirs are. */
const writtenBy = <T extends TraceEntry>(
  { kind }: Pick<Shelf<T>, 'kind'>,
  entries: readonly T[],
): Written => {
  const ids = entries.map(({ id }) => id);
  if (kind === 'trace') return { trace: ids };
  const spans = entries as readonly TraceEntry[] as readonly Span[]; // the shelf of spans
  return { span: ids, trace: spans.map(({ traceId }) => traceId) };
};

/** What is decided about these as if none were there, in order; `undefined` where that depends on what is. */
const decideFresh = <T extends TraceEntry>(
  wanted: readonly string[],
  decide: Decide<T>,
): readonly T[] | undefined => {
  const entries: T[] = [];
  try {
    for (const id of wanted) {
      const decided = decide(id, undefined);
      if (decided === undefined) return undefined;
      entries.push(decided);
    }
  } catch {
    return undefined; // it is refused once it is known to be so
  }
  return entries;
};

/** Stores entries as one message without a look whether one is there, which nearly none is; one that is refuses all of them. Tells whether it was done. */
const storeFresh = async <T extends TraceEntry>(
  connection: Connection,
  pipelined: PipelinedTransaction,
  shelf: Shelf<T>,
  projectId: string,
  entries: readonly T[],
  ready: Promise<void> | undefined,
): Promise<boolean> => {
  const { places, frames } = shelf.framed
    ? await lay(connection, entries)
    : { places: new Map<string, BodyPlace>(), frames: [] };
  await ready;
  try {
    await inOnePiece(connection, pipelined, (db) => {
      const inside = { ...connection, db, inTransaction: true };
      return [
        ...frames.map((rows) => () => insertFrames(inside, projectId, rows)),
        ...writes(inside, shelf, { entries, places }, ''),
        ...(shelf.table === 'traces'
          ? [
              () =>
                touchThreads(
                  inside,
                  projectId,
                  entries as readonly TraceEntry[] as readonly Trace[],
                ),
              ...journalWrites(
                inside,
                projectId,
                'trace_threads',
                threadKeysOf(entries as readonly TraceEntry[] as readonly Trace[]),
              ),
            ] // the shelf of traces
          : []),
        ...journalWrites(
          inside,
          projectId,
          shelf.table,
          entries.map(({ id }) => id),
        ),
        ...outdateBlocks(inside, projectId, writtenBy(shelf, entries)),
      ];
    });
    return true;
  } catch (thrown) {
    if (connection.dialect.fault(thrown) === 'conflict') return false;
    throw thrown;
  }
};

/** Decides about entries that it looks for, each locked. Tells whether one of them was there. */
const changeFound = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  projectId: string,
  wanted: readonly string[],
  decide: Decide<T>,
): Promise<boolean> => {
  const { db, dialect } = connection;
  const rows = (await dialect.run(
    db,
    `select ${readColumnsOf(shelf).join(', ')} from ${shelf.table} x where x.project_id = ? and ${dialect.anyOf('x.id', 'id')} order by x.id for update`,
    [projectId, wanted],
  )) as readonly Row[]; // the columns named
  const placesBefore = new Map(rows.map((row) => [String(row['id']), placeOf(row)]));
  const stored = new Map(
    (await readRows(connection, shelf, projectId, rows)).map((entry) => [
      entry.id,
      { entry, place: placesBefore.get(entry.id) },
    ]),
  );
  const fresh: T[] = [];
  const changed: T[] = [];
  for (const id of wanted) {
    const before = stored.get(id)?.entry;
    const decided = decide(id, before);
    if (decided === undefined || decided === before) continue;
    (before === undefined ? fresh : changed).push(decided);
  }
  // One that came in between takes the key: the transaction is then repeated and finds it.
  const places = shelf.framed
    ? await placeBodies(connection, projectId, [...fresh, ...changed], stored)
    : new Map<string, BodyPlace>();
  const assign = columnsOf(shelf)
    .filter((name) => !keys.includes(name))
    .map((name) => `${name} = ${dialect.incoming(name)}`);
  for (const statement of [
    ...writes(connection, shelf, { entries: fresh, places }, ''),
    ...writes(connection, shelf, { entries: changed, places }, dialect.onConflict(keys, assign)),
  ])
    await statement();
  if (shelf.table === 'traces') {
    const written = [...fresh, ...changed] as readonly TraceEntry[] as readonly Trace[]; // the shelf of traces
    await touchThreads(connection, projectId, written);
    await writeJournal(connection, projectId, 'trace_threads', threadKeysOf(written));
  }
  await writeJournal(
    connection,
    projectId,
    shelf.table,
    [...fresh, ...changed].map(({ id }) => id),
  );
  const before = changed.flatMap(({ id }) => stored.get(id)?.entry ?? []); // of other traces, perhaps
  const written = writtenBy(shelf, [...fresh, ...changed, ...before]);
  for (const outdate of outdateBlocks(connection, projectId, written)) await outdate();
  return rows.length > 0;
};

interface Changing<T> {
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly decide: Decide<T>;
  readonly ready: Promise<void> | undefined;
}

export const change = async <T extends TraceEntry>(
  connection: Connection,
  repeats: Repeats,
  shelf: Shelf<T>,
  { projectId, ids, decide, ready }: Changing<T>,
): Promise<void> => {
  ready?.catch(() => undefined); // it is waited for below, and not where something fails before that
  // In one order for everybody, so that two batches with the same ids wait for each other instead of locking each other out.
  const wanted = [...new Set(ids)].sort();
  if (wanted.length === 0) return ready;
  const { pipelined } = connection.dialect;
  if (pipelined !== undefined && !connection.inTransaction && !repeats.expected(projectId)) {
    const entries = decideFresh(wanted, decide);
    if (
      entries !== undefined &&
      (await storeFresh(connection, pipelined, shelf, projectId, entries, ready))
    )
      return;
  }
  await ready;
  const found = await inTransaction(
    connection,
    (inside) => changeFound(inside, shelf, projectId, wanted, decide),
    { overtaken: true },
  );
  repeats.note(projectId, found);
};
