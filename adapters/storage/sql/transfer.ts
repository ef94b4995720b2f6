// Reads every table in one snapshot and writes the rows of another engine's.
import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type { Cell, ColumnShape, Snapshot, TableShape, Transfer } from '#ports/storage/transfer';
import { inTransaction, isTrue, failureOf, type Connection } from './connection.js';
import type { ColumnValues } from '#ports/sql-dialect';
import { ledger, listTables, schemaTables } from './migrate.js';
import { createSemaphore } from './semaphore.js';

/** Who is doing what at the moment, and bytes under way: of no use elsewhere. */
const passing = new Set([
  ...schemaTables,
  'leases',
  'uploads',
  'blob_removals',
  'direct_uploads',
  'direct_parts',
  'blob_aborts',
  'queue_faults',
  'heard_changes',
  'entry_changes',
  'entry_blocks',
  'run_actions',
  'annotation_queue_locks',
  'automation_runs',
  'insights_runs',
]);
/** What is written when a storage is first opened. */
const notes = new Set(['link_secrets', 'toggles']);

type Kind = ColumnShape['kind'] | 'id';

/** Types of columns as the engines name them. */
const kinds: Readonly<Record<string, Kind>> = {
  uuid: 'id',
  'character varying': 'text',
  varchar: 'text',
  char: 'text',
  text: 'text',
  longtext: 'text',
  mediumtext: 'text',
  bigint: 'whole',
  integer: 'whole',
  int: 'whole',
  smallint: 'whole',
  boolean: 'flag',
  tinyint: 'flag',
  'double precision': 'real',
  double: 'real',
  bytea: 'bytes',
  longblob: 'bytes',
  blob: 'bytes',
  varbinary: 'bytes',
};

interface Table {
  readonly name: string;
  readonly columns: ReadonlyMap<string, Kind>;
}

const readTables = async (connection: Connection): Promise<readonly Table[]> => {
  const { db, dialect } = connection;
  const rows = (await db('information_schema.columns')
    .select({ table: 'table_name', column: 'column_name', type: 'data_type' })
    .whereRaw(`table_schema = ${dialect.currentSchema}`)
    .orderBy(['table_name', 'ordinal_position'])) as readonly {
    readonly table: string;
    readonly column: string;
    readonly type: string;
  }[]; // the columns named above
  const ours = new Set(await listTables(connection));
  const tables = new Map<string, Map<string, Kind>>();
  for (const { table, column, type } of rows) {
    if (passing.has(table) || !ours.has(table)) continue;
    const kind = kinds[type.toLowerCase()];
    if (kind === undefined)
      throw new Error(
        `column ${column} of ${table} is of the type ${type}, which cannot be carried over`,
      );
    tables.set(table, (tables.get(table) ?? new Map<string, Kind>()).set(column, kind));
  }
  return [...tables]
    .map(([name, columns]) => ({ name, columns }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
};

const shapeOf = ({ name, columns }: Table): TableShape => ({
  name,
  columns: [...columns].map(([column, kind]) => ({
    name: column,
    kind: kind === 'id' ? 'text' : kind,
  })),
});

const toCell = (kind: Kind, stored: unknown): Cell => {
  if (stored === null || stored === undefined) return null;
  if (kind === 'flag') return isTrue(stored);
  return kind === 'whole' || kind === 'real' ? Number(stored) : (stored as string | Uint8Array); // the driver gives texts and bytes for the kinds that are left
};

const countRows = async (db: Knex, table: string): Promise<number> =>
  Number((await db(table).count({ n: '*' }))[0]?.['n'] ?? 0);

const openSnapshot = async (inside: Connection): Promise<Snapshot> => {
  const { db, dialect } = inside;
  const made = (await db(ledger)
    .select('owner', 'number')
    .orderBy(['owner', 'number'])) as readonly {
    readonly owner: string;
    readonly number: number;
  }[]; // the columns named
  const tables = await readTables(inside);
  return {
    schema: made.map(({ owner, number }) => `${owner} ${number}`),
    tables: tables.map(shapeOf),
    count: (table) => countRows(db, table),
    async *rows(table) {
      const columns = [...(tables.find(({ name }) => name === table)?.columns ?? [])];
      for await (const page of dialect.readAll(
        db,
        db(table)
          .select(columns.map(([column]) => column))
          .toString(),
      ))
        yield page.map((row) => columns.map(([column, kind]) => toCell(kind, row[column])));
    },
  };
};

const bytesAtOnce = 2 * 1024 * 1024;
const rowsAtOnce = 1000;
const sizeOf = (cell: Cell): number =>
  typeof cell === 'string' ? cell.length * 2 : cell instanceof Uint8Array ? cell.length * 2 : 8;

/** Rows in pieces that one statement may bring. */
async function* inPieces(
  pages: AsyncIterable<readonly (readonly Cell[])[]>,
): AsyncIterable<readonly (readonly Cell[])[]> {
  let [piece, bytes]: [(readonly Cell[])[], number] = [[], 0];
  for await (const page of pages)
    for (const row of page) {
      const size = row.reduce((sum: number, cell) => sum + sizeOf(cell), 0);
      if (piece.length > 0 && (piece.length >= rowsAtOnce || bytes + size > bytesAtOnce)) {
        yield piece;
        [piece, bytes] = [[], 0];
      }
      piece.push(row);
      bytes += size;
    }
  if (piece.length > 0) yield piece;
}

export const createTransfer = (connection: Connection): Transfer => {
  const { db, dialect } = connection;
  const turns = createSemaphore({ running: 1, waiting: 2, busy: 'another export is being made' });
  return {
    async read(work) {
      try {
        return await turns.take(undefined, () =>
          db.transaction(
            async (transaction) =>
              work(await openSnapshot({ ...connection, db: transaction, inTransaction: true })),
            { isolationLevel: 'repeatable read' },
          ),
        );
      } catch (thrown) {
        throw failureOf(dialect, thrown);
      }
    },
    async isEmpty() {
      for (const { name } of await readTables(connection))
        if (!notes.has(name) && (await db(name).first(db.raw('1 as one'))) !== undefined)
          return false;
      return true;
    },
    async write(table, rows) {
      const here = (await readTables(connection)).find(({ name }) => name === table.name);
      if (here === undefined)
        throw new Failure(
          'invalid',
          `this storage has no table ${table.name}: load the plugin that made it`,
        );
      const columns = table.columns.map(({ name }) => {
        const kind = here.columns.get(name);
        if (kind === undefined)
          throw new Failure(
            'invalid',
            `the table ${table.name} of this storage has no column ${name}`,
          );
        return { name, kind };
      });
      let written = 0;
      for await (const piece of inPieces(rows)) {
        const values: readonly ColumnValues[] = columns.map(({ name, kind }, at) => ({
          name,
          kind,
          values: piece.map((row) =>
            row[at] instanceof Uint8Array ? Buffer.from(row[at]) : (row[at] ?? null),
          ),
        }));
        await inTransaction(connection, ({ db: inside }) =>
          dialect.insertColumns(inside, table.name, values),
        );
        written += piece.length;
      }
      return written;
    },
    async clear() {
      for (const { name } of await readTables(connection)) await db(name).delete();
    },
  };
};
