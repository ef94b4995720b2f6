// Items of annotation queues, and who looks at them. Items change under a lock of their queue's row, which counts them.
import type { AnnotationQueue, QueueItem } from '#ports/model/annotation-queues';
import type { AnnotationQueueStore, LockOutcome, QueueKey } from '#ports/storage/annotation-queues';
import { jsonIn, type Row } from './authorship.js';
import { inTransaction, isTrue, keyOf, type Connection } from './connection.js';
import { fragment, joined } from './fragment.js';
import { isId } from './ids.js';

const itemsAtOnce = 1000;
/** More are no reply for people. */
const mostLocks = 10_000;

const msPerSecond = 1000;

const keyRow = ({ projectId, id }: QueueKey) => ({ project_id: projectId, queue_id: id });

/**
 * Whether all of these are there as traces or threads of the queue's project. Those that are stay until the caller's transaction ends: whoever removes
 * them waits, and finds the queue's items then. To be asked before the queue is locked, as removal locks in that order.
 */
const areThere = async (
  { db }: Connection,
  { projectId, id }: QueueKey,
  itemIds: readonly string[],
): Promise<boolean> => {
  const queue = (await db('annotation_queues')
    .select('scope')
    .where({ project_id: projectId, id })
    .first()) as Row | undefined; // the column named
  const rows = (await db(queue?.['scope'] === 'thread' ? 'trace_threads' : 'traces')
    .select('id')
    .where({ project_id: projectId })
    .whereIn('id', [...itemIds])
    .orderBy('id')
    .forShare()) as readonly Row[]; // the column named
  return rows.length === new Set(itemIds).size;
};

/** Remembers that an item may be neither trace nor thread yet. */
const doubt = async ({ db }: Connection, { projectId, id }: QueueKey): Promise<void> => {
  await db('annotation_queues').where({ project_id: projectId, id }).update({ complete: false });
};

/** The queue's row, locked; `undefined` where it is gone. */
const lockQueue = async (
  { db }: Connection,
  { projectId, id }: QueueKey,
): Promise<Row | undefined> =>
  (await db('annotation_queues')
    .select('id', 'items_count', 'automation')
    .where({ project_id: projectId, id })
    .forUpdate()
    .first()) as Row | undefined; // the columns named

const count = async ({ db }: Connection, { projectId, id }: QueueKey, more: number) => {
  if (more !== 0)
    await db('annotation_queues')
      .where({ project_id: projectId, id })
      .increment('items_count', more);
};

/** Those of these ids that the queue has or had, with whether they were taken out. */
const knownItems = async (
  { db }: Connection,
  queue: QueueKey,
  ids: readonly string[],
): Promise<ReadonlyMap<string, boolean>> => {
  const rows = (await db('annotation_queue_items')
    .select('item_id', 'removed')
    .where(keyRow(queue))
    .whereIn('item_id', [...ids])) as readonly Row[]; // the columns named
  return new Map(rows.map((row) => [String(row['item_id']), isTrue(row['removed'])]));
};

const insertItems = async (
  { db, dialect }: Connection,
  { projectId, id }: QueueKey,
  itemIds: readonly string[],
  { source, at }: { readonly source: QueueItem['source']; readonly at: number },
): Promise<void> => {
  if (itemIds.length === 0) return;
  const all = <V>(value: V) => itemIds.map(() => value);
  await dialect.insertColumns(db, 'annotation_queue_items', [
    { name: 'project_id', kind: 'id', values: all(projectId) },
    { name: 'queue_id', kind: 'id', values: all(id) },
    { name: 'item_id', kind: 'id', values: itemIds },
    { name: 'source', kind: 'text', values: all(source) },
    { name: 'removed', kind: 'flag', values: all(false) },
    { name: 'added_at', kind: 'whole', values: all(at) },
  ]);
};

/** Takes traces or threads that are gone out of every queue of their project, in the caller's transaction. */
export const leaveQueues = async (
  connection: Connection,
  projectId: string,
  itemIds: readonly string[],
): Promise<void> => {
  const { db } = connection;
  if (itemIds.length === 0) return;
  const theirs = () =>
    db('annotation_queue_items')
      .where({ project_id: projectId })
      .whereIn('item_id', [...itemIds]);
  const queues = (await theirs().distinct('queue_id')) as readonly Row[]; // the column named
  for (const id of queues.map((row) => String(row['queue_id'])).sort()) {
    const queue = { projectId, id };
    await lockQueue(connection, queue);
    const known = await knownItems(connection, queue, itemIds);
    const ids = [...known.keys()];
    for (const table of ['annotation_queue_items', 'annotation_queue_locks'])
      await db(table).where(keyRow(queue)).whereIn('item_id', ids).delete();
    await count(connection, queue, -[...known.values()].filter((removed) => !removed).length);
  }
};

/** Removes everything that a queue has, some at a time. */
export const removeItemsOf = async (connection: Connection, queue: QueueKey): Promise<void> => {
  const removeSome = (table: string, key: string): Promise<number> =>
    inTransaction(connection, async (inside) => {
      const { db } = inside;
      await lockQueue(inside, queue);
      const rows = (await db(table)
        .select(key)
        .where(keyRow(queue))
        .orderBy(key)
        .limit(itemsAtOnce)) as readonly Row[]; // the column named
      const last = rows.at(-1);
      if (last === undefined) return 0;
      const gone = db(table).where(keyRow(queue)).where(key, '<=', String(last[key]));
      if (table === 'annotation_queue_items') {
        const [live] = (await gone
          .clone()
          .where({ removed: false })
          .count({ n: '*' })) as readonly Row[]; // one row of one column
        await count(inside, queue, -Number(live?.['n'] ?? 0));
      }
      await gone.delete();
      return rows.length;
    });
  for (const table of ['annotation_queue_items', 'annotation_queue_locks'])
    while ((await removeSome(table, 'item_id')) > 0);
};

/** An attempt to lock an item that has been in its queue since a moment. */
interface Locking {
  readonly itemId: string;
  readonly addedAt: number;
  readonly userKey: string;
}

type ItemMethods = Pick<
  AnnotationQueueStore,
  | 'addItems'
  | 'addMatching'
  | 'removeItems'
  | 'findItems'
  | 'listQueuesOf'
  | 'lock'
  | 'listLocks'
  | 'release'
>;

export const queueItemStore = (connection: Connection): ItemMethods => {
  const { db, dialect } = connection;

  /** Who holds an item, and how many people have done their part with it, at the database's moment. */
  const readStanding = async (
    inside: Connection,
    queue: AnnotationQueue,
    { itemId, addedAt, userKey }: Locking,
  ): Promise<Row> => {
    const held = `from annotation_queue_locks l where l.project_id = ? and l.queue_id = ? and l.item_id = ?`;
    const own = [queue.projectId, queue.id, itemId];
    const names = queue.definitionNames;
    const authors =
      names.length === 0
        ? fragment('0')
        : // What was there before the item came is no work of the queue's.
          fragment(
            `(select count(distinct f.author) from feedback_scores f where f.project_id = ? and f.entity_id = ? and f.entity_kind = ? and ${dialect.byCodePoints('f.name')} in (${names.map(() => dialect.byCodePoints('?')).join(', ')}) and f.last_updated_at > ?)`,
            ...[queue.projectId, itemId, queue.scope, ...names, addedAt],
          );
    const { sql, bindings } = joined(
      `select ${dialect.nowMs} as now, `,
      fragment(
        `(select count(*) ${held} and l.expires_at > ${dialect.nowMs} and l.user_key <> ?) as others, `,
        ...own,
        userKey,
      ),
      fragment(
        `(select count(*) ${held} and l.expires_at > ${dialect.nowMs} and l.user_key = ?) as mine, `,
        ...own,
        userKey,
      ),
      fragment(`(select count(*) ${held} and l.expires_at <= ${dialect.nowMs}) as ended, `, ...own),
      joined(authors, ' as authors'),
    );
    const [row] = (await dialect.run(inside.db, sql, bindings)) as readonly Row[]; // the columns named
    return row ?? {};
  };

  const lockWithin = async (
    inside: Connection,
    queue: AnnotationQueue,
    itemId: string,
    user: string,
  ): Promise<LockOutcome | undefined> => {
    const own = { ...keyRow(queue), item_id: itemId };
    // Whoever locks the item waits here for the others.
    const item = (await inside
      .db('annotation_queue_items')
      .select('added_at')
      .where({ ...own, removed: false })
      .forUpdate()
      .first()) as Row | undefined; // the column named
    if (item === undefined) return undefined;
    const userKey = keyOf(user);
    const addedAt = Number(item['added_at']);
    const standing = await readStanding(inside, queue, { itemId, addedAt, userKey });
    const free = queue.annotatorsPerItem - Number(standing['authors']);
    const holds = Number(standing['mine']) > 0;
    if (free <= 0 || (!holds && Number(standing['others']) >= free)) return { acquired: false };
    const expiresAt = Math.trunc(Number(standing['now'])) + queue.lockTimeoutSeconds * msPerSecond;
    const locks = () => inside.db('annotation_queue_locks');
    if (Number(standing['ended']) > 0)
      await locks().where(own).where('expires_at', '<=', Number(standing['now'])).delete();
    await locks()
      .insert({ ...own, user_key: userKey, user_name: user, expires_at: expiresAt })
      .onConflict(['project_id', 'queue_id', 'item_id', 'user_key'])
      .merge(['expires_at']);
    return { acquired: true, expiresAt };
  };

  return {
    addItems: (queue, itemIds, at) =>
      inTransaction(
        connection,
        async (inside) => {
          const there = await areThere(inside, queue, itemIds);
          if ((await lockQueue(inside, queue)) === undefined) return;
          if (!there) await doubt(inside, queue);
          const known = await knownItems(inside, queue, itemIds);
          const fresh = itemIds.filter((id) => !known.has(id));
          const back = itemIds.filter((id) => known.get(id) === true);
          await insertItems(inside, queue, fresh, { source: 'manual', at });
          if (back.length > 0)
            await inside
              .db('annotation_queue_items')
              .where(keyRow(queue))
              .whereIn('item_id', back)
              .update({ removed: false, source: 'manual', added_at: at });
          await count(inside, queue, fresh.length + back.length);
        },
        { overtaken: true },
      ),
    addMatching: (queue, itemIds, at) =>
      inTransaction(
        connection,
        async (inside) => {
          const there = await areThere(inside, queue, itemIds);
          const held = await lockQueue(inside, queue);
          if (held === undefined) return;
          if (!there) await doubt(inside, queue);
          const { mostItems = Infinity } =
            jsonIn<{ readonly mostItems?: number }>(held, 'automation') ?? {};
          const room = Math.max(mostItems - Number(held['items_count']), 0);
          const known = await knownItems(inside, queue, itemIds);
          const fresh = itemIds.filter((id) => !known.has(id)).slice(0, room);
          await insertItems(inside, queue, fresh, { source: 'automated', at });
          await count(inside, queue, fresh.length);
        },
        { overtaken: true },
      ),
    removeItems: (queue, itemIds) =>
      inTransaction(connection, async (inside) => {
        if ((await lockQueue(inside, queue)) === undefined) return;
        const wanted = itemIds.filter(isId);
        const known = await knownItems(inside, queue, wanted);
        const gone = [...known].filter(([, removed]) => !removed).map(([id]) => id);
        if (gone.length === 0) return;
        await inside
          .db('annotation_queue_items')
          .where(keyRow(queue))
          .whereIn('item_id', gone)
          .update({ removed: true });
        await inside
          .db('annotation_queue_locks')
          .where(keyRow(queue))
          .whereIn('item_id', gone)
          .delete();
        await count(inside, queue, -gone.length);
      }),
    async findItems(queue, itemIds) {
      const wanted = itemIds.filter(isId);
      if (wanted.length === 0) return [];
      const rows = (await db('annotation_queue_items')
        .select('item_id', 'source')
        .where({ ...keyRow(queue), removed: false })
        .whereIn('item_id', wanted)
        .orderBy('item_id')) as readonly Row[]; // the columns named
      return rows.map((row) => ({
        id: String(row['item_id']),
        source: String(row['source']) as QueueItem['source'], // as it was written
      }));
    },
    async listQueuesOf(projectId, itemIds) {
      const wanted = itemIds.filter(isId);
      if (wanted.length === 0) return new Map();
      const rows = (await db('annotation_queue_items as i')
        .join('annotation_queues as q', (on) =>
          on.on('q.project_id', 'i.project_id').andOn('q.id', 'i.queue_id'),
        )
        .select('i.item_id', 'q.id', 'q.name')
        .where({ 'i.project_id': projectId, 'i.removed': false })
        .whereIn('i.item_id', wanted)
        .orderBy(['i.item_id', 'q.id'])) as readonly Row[]; // the columns named
      const found = new Map<string, { readonly id: string; readonly name: string }[]>();
      for (const row of rows) {
        const itemId = String(row['item_id']);
        const before = found.get(itemId) ?? [];
        found.set(itemId, [...before, { id: String(row['id']), name: String(row['name']) }]);
      }
      return found;
    },
    async lock(queue, itemId, user) {
      if (!isId(itemId)) return undefined;
      return inTransaction(connection, (inside) => lockWithin(inside, queue, itemId, user), {
        overtaken: true,
      });
    },
    async listLocks(queue) {
      const rows = (await db('annotation_queue_locks')
        .select('item_id', 'user_name', 'expires_at')
        .where(keyRow(queue))
        .where('expires_at', '>', db.raw(dialect.nowMs))
        .orderBy(['item_id', 'user_name'])
        .limit(mostLocks)) as readonly Row[]; // the columns named
      return rows.map((row) => ({
        itemId: String(row['item_id']),
        lockedBy: String(row['user_name']),
        expiresAt: Number(row['expires_at']),
      }));
    },
    async release(projectId, itemIds, user) {
      const wanted = itemIds.filter(isId);
      if (wanted.length > 0)
        await db('annotation_queue_locks')
          .where({ project_id: projectId, user_key: keyOf(user) })
          .whereIn('item_id', wanted)
          .delete();
    },
  };
};
