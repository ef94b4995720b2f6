import type { Knex } from 'knex';
import type { Span, Trace, TraceEntry } from '#ports/model/traces';
import type {
  Decide,
  SpanFigures,
  SpanListing,
  TraceListing,
  TraceStore,
} from '#ports/storage/traces';
import { inTransaction, isTrue, orNothing, wholeOrNothing, type Connection } from './connection.js';
import { isId } from './ids.js';

/** A row as the driver gives it. */
type Row = Readonly<Record<string, unknown>>;

const text = (stored: unknown): string | undefined => orNothing(stored as string | null); // a column of texts
const real = (stored: unknown): number | undefined =>
  stored === null || stored === undefined ? undefined : Number(stored);
const tagsOf = (stored: unknown): readonly string[] | undefined =>
  stored === null || stored === undefined
    ? undefined
    : (JSON.parse(stored as string) as readonly string[]); // written by `entryRow`

const toEntry = (row: Row): TraceEntry => ({
  id: String(row['id']),
  projectId: String(row['project_id']),
  name: text(row['name']),
  startTime: Number(row['start_time']),
  endTime: wholeOrNothing(row['end_time']),
  input: text(row['input']),
  output: text(row['output']),
  metadata: text(row['metadata']),
  tags: tagsOf(row['tags']),
  errorInfo: text(row['error_info']),
  ttft: real(row['ttft']),
  source: text(row['source']),
  environment: text(row['environment']),
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
  lastUpdatedAt: Number(row['last_updated_at']),
  lastUpdatedBy: String(row['last_updated_by']),
  partial: isTrue(row['partial']),
});
const toTrace = (row: Row): Trace => ({ ...toEntry(row), threadId: text(row['thread_id']) });
const toFigures = (row: Row): SpanFigures => ({
  traceId: String(row['trace_id']),
  type: text(row['type']),
  provider: text(row['provider']),
  usage: text(row['usage']),
  cost: real(row['cost']),
});
const toSpan = (row: Row): Span => ({
  ...toEntry(row),
  ...toFigures(row),
  parentSpanId: text(row['parent_span_id']),
  model: text(row['model']),
});

const entryRow = (entry: TraceEntry): Row => ({
  project_id: entry.projectId,
  id: entry.id,
  name: entry.name ?? null,
  start_time: entry.startTime,
  end_time: entry.endTime ?? null,
  input: entry.input ?? null,
  output: entry.output ?? null,
  metadata: entry.metadata ?? null,
  tags: entry.tags === undefined ? null : JSON.stringify(entry.tags),
  error_info: entry.errorInfo ?? null,
  ttft: entry.ttft ?? null,
  source: entry.source ?? null,
  environment: entry.environment ?? null,
  created_at: entry.createdAt,
  created_by: entry.createdBy,
  last_updated_at: entry.lastUpdatedAt,
  last_updated_by: entry.lastUpdatedBy,
  partial: entry.partial,
});
const traceRow = (trace: Trace): Row => ({ ...entryRow(trace), thread_id: trace.threadId ?? null });
const spanRow = (span: Span): Row => ({
  ...entryRow(span),
  trace_id: span.traceId,
  parent_span_id: span.parentSpanId ?? null,
  type: span.type ?? null,
  model: span.model ?? null,
  provider: span.provider ?? null,
  usage: span.usage ?? null,
  cost: span.cost ?? null,
});

const entryColumns = [
  'project_id',
  'id',
  'name',
  'start_time',
  'end_time',
  'input',
  'output',
  'metadata',
  'tags',
  'error_info',
  'ttft',
  'source',
  'environment',
  'created_at',
  'created_by',
  'last_updated_at',
  'last_updated_by',
  'partial',
];
const figureColumns = ['trace_id', 'type', 'provider', 'usage', 'cost'];

/** One of the two tables. */
interface Shelf<T extends TraceEntry> {
  readonly table: 'traces' | 'spans';
  readonly columns: readonly string[];
  readonly read: (row: Row) => T;
  readonly write: (entry: T) => Row;
}
const traceShelf: Shelf<Trace> = {
  table: 'traces',
  columns: [...entryColumns, 'thread_id'],
  read: toTrace,
  write: traceRow,
};
const spanShelf: Shelf<Span> = {
  table: 'spans',
  columns: [...entryColumns, ...figureColumns, 'parent_span_id', 'model'],
  read: toSpan,
  write: spanRow,
};

/** Rows of one insert; bodies may be long, and an engine bounds what a statement brings. */
const rowsAtOnce = 100;

const change = <T extends TraceEntry>(
  connection: Connection,
  { table, columns, read, write }: Shelf<T>,
  projectId: string,
  ids: readonly string[],
  decide: Decide<T>,
): Promise<void> =>
  inTransaction(
    connection,
    async ({ db }) => {
      // In one order for everybody, so that two batches with the same ids wait for each other instead of locking each other out.
      const wanted = [...new Set(ids)].sort();
      const rows = (await db(table)
        .select(...columns)
        .where({ project_id: projectId })
        .whereIn('id', wanted)
        .orderBy('id')
        .forUpdate()) as readonly Row[]; // the columns named
      const stored = new Map(rows.map(read).map((entry) => [entry.id, entry]));
      const fresh: Row[] = [];
      for (const id of wanted) {
        const before = stored.get(id);
        const decided = decide(id, before);
        if (decided === undefined || decided === before) continue;
        if (before === undefined) fresh.push(write(decided));
        else await db(table).where({ project_id: projectId, id }).update(write(decided));
      }
      // One that came in between takes the key: the transaction is then repeated and finds it.
      for (let from = 0; from < fresh.length; from += rowsAtOnce)
        await db(table).insert(fresh.slice(from, from + rowsAtOnce));
    },
    { overtaken: true },
  );

const find = async <T extends TraceEntry>(
  db: Knex,
  { table, columns, read }: Shelf<T>,
  workspaceId: string,
  id: string,
): Promise<T | undefined> => {
  if (!isId(id)) return undefined;
  const row = (await db(`${table} as t`)
    .join('projects as p', 'p.id', 't.project_id')
    .select(...columns.map((column) => `t.${column}`))
    .where({ 't.id': id, 'p.workspace_id': workspaceId })
    .whereNull('p.deleted_at')
    .orderBy('t.last_updated_at', 'desc')
    .first()) as Row | undefined; // the columns named
  return row === undefined ? undefined : read(row);
};

const list = async <T extends TraceEntry>(
  db: Knex,
  { table, columns, read }: Shelf<T>,
  { projectId, beforeId, traceId, limit }: SpanListing,
): Promise<readonly T[]> => {
  const query = db(table)
    .select(...columns)
    .where({ project_id: projectId, ...(traceId === undefined ? {} : { trace_id: traceId }) })
    .orderBy('id', 'desc')
    .limit(limit);
  if (beforeId !== undefined) query.where('id', '<', beforeId);
  return ((await query) as readonly Row[]).map(read); // the columns named
};

export const traceStore = (connection: Connection): TraceStore => {
  const { db } = connection;
  return {
    changeTraces: (projectId, ids, decide) =>
      change(connection, traceShelf, projectId, ids, decide),
    changeSpans: (projectId, ids, decide) => change(connection, spanShelf, projectId, ids, decide),
    findTrace: (workspaceId, id) => find(db, traceShelf, workspaceId, id),
    findSpan: (workspaceId, id) => find(db, spanShelf, workspaceId, id),
    listTraces: (listing: TraceListing) => list(db, traceShelf, listing),
    listSpans: (listing) => list(db, spanShelf, listing),
    async listSpanFigures(projectId, traceIds) {
      const rows = (await db('spans')
        .select(...figureColumns)
        .where({ project_id: projectId })
        .whereIn('trace_id', [...traceIds])
        .orderBy('id')) as readonly Row[]; // the columns named
      return rows.map(toFigures);
    },
    removeTraces: (workspaceId, ids) =>
      inTransaction(connection, async (inside) => {
        const found = (await inside
          .db('traces as t')
          .join('projects as p', 'p.id', 't.project_id')
          .select('t.project_id', 't.id')
          .where('p.workspace_id', workspaceId)
          .whereIn('t.id', [...new Set(ids)].filter(isId).sort())
          .orderBy(['t.project_id', 't.id'])) as readonly Row[]; // the columns named
        for (const projectId of new Set(found.map((row) => String(row['project_id'])))) {
          const gone = found
            .filter((row) => row['project_id'] === projectId)
            .map((row) => String(row['id']));
          await inside
            .db('spans')
            .where({ project_id: projectId })
            .whereIn('trace_id', gone)
            .delete();
          await inside.db('traces').where({ project_id: projectId }).whereIn('id', gone).delete();
        }
      }),
  };
};
