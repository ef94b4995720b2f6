// Writing traces and spans: what is stored is decided upon in one transaction, so that requests for one id wait for each other.
import type { Trace, TraceEntry } from '#ports/model/traces';
import type { Decide } from '#ports/storage/traces';
import { inTransaction, type Connection } from '../connection.js';
import { layOut, leaveFrames, writeFrames, type BodyPlace } from './frames.js';
import { columnsOf, placeOf, readRows, toColumns, type Row, type Shelf } from './rows.js';
import { touchThreads } from './threads.js';

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

const write = async <T extends TraceEntry>(
  { db, dialect }: Connection,
  shelf: Shelf<T>,
  { entries, places }: { readonly entries: readonly T[]; readonly places: Places },
  suffix: string,
): Promise<void> => {
  for (const part of inParts(entries, shelf.framed, dialect.statementBytes / 2))
    await dialect.insertColumns(db, shelf.table, toColumns(shelf, part, places), suffix);
};

type Places = ReadonlyMap<string, BodyPlace>;
/** An entry as it was, and where its bodies lie. */
interface Stored<T> {
  readonly entry: T;
  readonly place: BodyPlace | undefined;
}

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
  const laid = layOut(moving, () => connection.ids.next());
  for (const [i, entry] of moving.entries()) {
    const place = laid.places[i];
    if (place !== undefined) places.set(entry.id, place);
  }
  await writeFrames(connection, projectId, laid.frames);
  if (left.length > 0) await leaveFrames(connection, projectId, left);
  return places;
};

const keys = ['project_id', 'id'];

export const change = <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  projectId: string,
  ids: readonly string[],
  decide: Decide<T>,
): Promise<void> =>
  inTransaction(
    connection,
    async (inside) => {
      const { db, dialect } = inside;
      // In one order for everybody, so that two batches with the same ids wait for each other instead of locking each other out.
      const wanted = [...new Set(ids)].sort();
      if (wanted.length === 0) return;
      const rows = (await dialect.run(
        db,
        `select ${columnsOf(shelf, 'x.').join(', ')} from ${shelf.table} x where x.project_id = ? and ${dialect.anyOf('x.id', 'id')} order by x.id for update`,
        [projectId, wanted],
      )) as readonly Row[]; // the columns named
      const placesBefore = new Map(rows.map((row) => [String(row['id']), placeOf(row)]));
      const stored = new Map(
        (await readRows(inside, shelf, rows)).map((entry) => [
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
        ? await placeBodies(inside, projectId, [...fresh, ...changed], stored)
        : new Map<string, BodyPlace>();
      await write(inside, shelf, { entries: fresh, places }, '');
      const assign = columnsOf(shelf)
        .filter((name) => !keys.includes(name))
        .map((name) => `${name} = ${dialect.incoming(name)}`);
      await write(inside, shelf, { entries: changed, places }, dialect.onConflict(keys, assign));
      if (shelf.table === 'traces')
        await touchThreads(inside, projectId, [
          ...fresh,
          ...changed,
        ] as readonly TraceEntry[] as readonly Trace[]); // the shelf of traces
    },
    { overtaken: true },
  );
