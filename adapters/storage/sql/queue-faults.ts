import type { Knex } from 'knex';
import { workEach, type QueueWork } from '#ports/queues';
import {
  queueNames,
  type QueueFault,
  type QueueFaultStore,
  type QueueName,
  type QueueState,
} from '#ports/storage/queue-faults';
import { inTransaction, wholeOrNothing, type Connection } from './connection.js';

interface FaultRow {
  readonly queue: QueueName;
  readonly item: string;
  readonly attempts: unknown;
  readonly first_at: unknown;
  readonly next_at: unknown;
  readonly parked_at: unknown;
  readonly reason: string;
}

const toFault = (row: FaultRow): QueueFault => ({
  queue: row.queue,
  item: row.item,
  attempts: Number(row.attempts),
  firstAt: Number(row.first_at),
  retryAt: Number(row.next_at),
  parkedAt: wholeOrNothing(row.parked_at),
  reason: row.reason,
});

/** Attempts after which an item is parked, and pauses before the next one, in ms. */
const [mostAttempts, firstPauseMs, longestPauseMs] = [12, 10_000, 4 * 3_600_000];
const pauseAfter = (attempts: number): number =>
  Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
const itemsAtOnce = 1000;

/** For `modify`: leaves out items of a queue that are parked or not due yet. `item` is an expression of the item's text. */
export const withoutHeld =
  ({ db }: Pick<Connection, 'db'>, queue: QueueName, item: string, now: number) =>
  (query: Knex.QueryBuilder): void => {
    query.whereNotExists(
      db('queue_faults as held')
        .select('held.item')
        .where('held.queue', queue)
        .whereRaw(`held.item = ${item}`)
        .where((any) => any.whereNotNull('held.parked_at').orWhere('held.next_at', '>', now)),
    );
  };

/** Where the items of each queue are, and since when. */
const queues: Readonly<
  Record<
    QueueName,
    {
      readonly table: string;
      readonly at: string;
      readonly of?: (query: Knex.QueryBuilder, now: number) => void;
    }
  >
> = {
  compaction: { table: 'compactions', at: 'at' },
  'pending-points': { table: 'pending_points', at: 'at' },
  'value-refresh': { table: 'stale_values', at: 'at' },
  'output-packing': {
    table: 'output_packings',
    at: 'due_at',
    of: (query, now) => {
      query.where('due_at', '<=', now);
    },
  },
  'experiment-removal': {
    table: 'experiments',
    at: 'deleted_at',
    of: (query) => {
      query.whereNotNull('deleted_at');
    },
  },
  'project-removal': {
    table: 'projects',
    at: 'deleted_at',
    of: (query) => {
      query.whereNotNull('deleted_at');
    },
  },
  'artifact-version-removal': {
    table: 'artifact_versions',
    at: 'deleted_at',
    of: (query) => {
      query.whereNotNull('deleted_at');
    },
  },
  'artifact-removal': {
    table: 'artifacts',
    at: 'deleted_at',
    of: (query) => {
      query.whereNotNull('deleted_at');
    },
  },
  'registry-removal': { table: 'registry_removals', at: 'at' },
  'record-removal': { table: 'record_removals', at: 'at' },
  'project-move': { table: 'moved_projects', at: 'at' },
  'stray-experiments': {
    table: 'projects',
    at: 'deleted_at',
    of: (query) => {
      query.where('keeps_experiments', true).whereNotNull('deleted_at');
    },
  },
  'blob-removal': { table: 'blob_removals', at: 'at' },
  'blob-abort': { table: 'blob_aborts', at: 'at' },
  'upload-expiry': {
    table: 'direct_uploads',
    at: 'expires_at',
    of: (query, now) => {
      query.where('expires_at', '<', now);
    },
  },
  'lapsed-experiments': {
    table: 'queue_faults',
    at: 'first_at',
    of: (query) => {
      query.where('queue', 'lapsed-experiments');
    },
  },
};

const readState = async (
  { db, clock }: Connection,
  queue: QueueName,
): Promise<Pick<QueueState, 'waiting' | 'oldestAt'>> => {
  const { table, at, of } = queues[queue];
  const [row] = (await db(table)
    .modify((query) => {
      of?.(query, clock.now());
    })
    .count({ n: '*' })
    .min({ oldest: at })) as readonly { readonly n: unknown; readonly oldest: unknown }[]; // one row of two columns
  return { waiting: Number(row?.n ?? 0), oldestAt: wholeOrNothing(row?.oldest) };
};

export const queueFaultStore = (connection: Connection): QueueFaultStore => {
  const { db, dialect } = connection;
  const among = (queue: QueueName, items: readonly string[]) =>
    db('queue_faults')
      .where({ queue })
      .modify(dialect.among('item', 'text', items));
  return {
    note: (queue, item, reason, at) =>
      inTransaction(connection, async ({ db: inside }) => {
        const before = await inside('queue_faults')
          .select('attempts', 'first_at')
          .where({ queue, item })
          .forUpdate()
          .first<Pick<FaultRow, 'attempts' | 'first_at'> | undefined>();
        const attempts = Number(before?.attempts ?? 0) + 1;
        const row = {
          queue,
          item,
          attempts,
          first_at: Number(before?.first_at ?? at),
          next_at: at + pauseAfter(attempts),
          parked_at: attempts >= mostAttempts ? at : null,
          reason,
        };
        await inside('queue_faults')
          .insert(row)
          .onConflict(['queue', 'item'])
          .merge(['attempts', 'next_at', 'parked_at', 'reason']);
        return toFault(row);
      }),
    async listFailing(queue, items) {
      return items.length === 0
        ? []
        : ((await among(queue, items).select('item')) as readonly { readonly item: string }[]).map(
            (row) => row.item,
          ); // the column named
    },
    async clear(queue, items) {
      for (let at = 0; at < items.length; at += itemsAtOnce)
        await among(queue, items.slice(at, at + itemsAtOnce)).delete();
    },
    async list({ queue, offset, limit }) {
      const query = db('queue_faults')
        .select('queue', 'item', 'attempts', 'first_at', 'next_at', 'parked_at', 'reason')
        .orderByRaw('case when parked_at is null then 1 else 0 end')
        .orderBy(['first_at', 'queue', 'item'])
        .offset(offset)
        .limit(limit);
      if (queue !== undefined) query.where({ queue });
      return ((await query) as readonly FaultRow[]).map(toFault); // the columns named above
    },
    async retry(queue, item, at) {
      const some = db('queue_faults').where({ queue });
      return (item === undefined ? some.whereNotNull('parked_at') : some.where({ item })).update({
        attempts: 0,
        next_at: at,
        parked_at: null,
      });
    },
    async states() {
      const rows = (await db('queue_faults')
        .groupBy('queue')
        .select('queue')
        .count({ n: '*' })
        .count({ parked: 'parked_at' })) as unknown as readonly {
        readonly queue: QueueName;
        readonly n: unknown;
        readonly parked: unknown;
      }[]; // the columns just named
      const counts = new Map(rows.map((row) => [row.queue, row]));
      return Promise.all(
        queueNames.map(async (queue): Promise<QueueState> => ({
          queue,
          ...(await readState(connection, queue)),
          failing: Number(counts.get(queue)?.n ?? 0),
          parked: Number(counts.get(queue)?.parked ?? 0),
        })),
      );
    },
    async forget(dueBefore) {
      return db('queue_faults').whereNull('parked_at').where('next_at', '<', dueBefore).delete();
    },
  };
};

/** Works through items of a queue, setting those aside that fail. Answers how many were done. */
export const workThrough = <T>(connection: Connection, work: QueueWork<T>): Promise<number> =>
  workEach(
    { faults: queueFaultStore(connection), clock: connection.clock, log: connection.log },
    work,
  );

export const pageRows = 100;

/** Works through a queue, of which `page` gives the next `pageRows` items that are not held back, until none is left or the signal aborts. Answers how many were done. */
export const drain = async <T>(
  connection: Connection,
  { page, ...work }: Omit<QueueWork<T>, 'items'> & { readonly page: () => Promise<readonly T[]> },
): Promise<number> => {
  for (let done = 0; ;) {
    const items = work.signal.aborted ? [] : await page();
    done += await workThrough(connection, { ...work, items });
    if (items.length < pageRows) return done;
  }
};
