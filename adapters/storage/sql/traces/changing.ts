// Writing traces and spans: what is stored is decided upon in one transaction, so that requests for one id wait for each other.
import type { Trace, TraceEntry } from '#ports/model/traces';
import type { Decide } from '#ports/storage/traces';
import { inTransaction, type Connection } from '../connection.js';
import { columnsOf, toColumns, type Row, type Shelf } from './rows.js';
import { touchThreads } from './threads.js';

/** Rows of one statement; bodies may be long, and an engine bounds what a statement brings. */
const rowsAtOnce = 200;
const bytesOf = ({ input, output, metadata, errorInfo }: TraceEntry): number =>
  (input?.length ?? 0) + (output?.length ?? 0) + (metadata?.length ?? 0) + (errorInfo?.length ?? 0);

/** Entries in parts that one statement takes each; a long one goes by itself. */
const inParts = <T extends TraceEntry>(
  entries: readonly T[],
  mostBytes: number,
): readonly T[][] => {
  const parts: T[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const own = bytesOf(entry) * 3; // as UTF-8, at most
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
  entries: readonly T[],
  suffix: string,
): Promise<void> => {
  for (const part of inParts(entries, dialect.statementBytes / 2))
    await dialect.insertColumns(db, shelf.table, toColumns(shelf, part), suffix);
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
      const rows = (await db(shelf.table)
        .select(...columnsOf(shelf))
        .where({ project_id: projectId })
        .whereIn('id', wanted)
        .orderBy('id')
        .forUpdate()) as readonly Row[]; // the columns named
      const stored = new Map(rows.map(shelf.read).map((entry) => [entry.id, entry]));
      const fresh: T[] = [];
      const changed: T[] = [];
      for (const id of wanted) {
        const before = stored.get(id);
        const decided = decide(id, before);
        if (decided === undefined || decided === before) continue;
        (before === undefined ? fresh : changed).push(decided);
      }
      // One that came in between takes the key: the transaction is then repeated and finds it.
      await write(inside, shelf, fresh, '');
      const assign = columnsOf(shelf)
        .filter((name) => !keys.includes(name))
        .map((name) => `${name} = ${dialect.incoming(name)}`);
      await write(inside, shelf, changed, dialect.onConflict(keys, assign));
      if (shelf.table === 'traces')
        await touchThreads(inside, projectId, [
          ...fresh,
          ...changed,
        ] as readonly TraceEntry[] as readonly Trace[]); // the shelf of traces
    },
    { overtaken: true },
  );
