// Items of annotation queues, and who looks at them. Items change under a lock of their queue's row, which counts them.
import type { QueueItem } from '#ports/model/annotation-queues';
import type { AnnotationQueueStore, LockOutcome, QueueKey } from '#ports/storage/annotation-queues';
import { jsonIn, type Row } from './authorship.js';
import { inTransaction, isTrue, keyOf, type Connection } from './connection.js';
import { isId } from './ids.js';

const itemsAtOnce = 1000;
/** More are no reply for people. */
const mostLocks = 10_000;

const msPerSecond = 1000;

const keyRow = ({ projectId, id }: QueueKey) => ({ project_id: projectId, queue_id: id });

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

  const lockWithin = async (
    inside: Connection,
    queue: QueueKey,
    itemId: string,
    user: string,
  ): Promise<LockOutcome | undefined> => {
    const own = { ...keyRow(queue), item_id: itemId };
    const item = (await inside
      .db('annotation_queue_items')
      .select('added_at')
      .where({ ...own, removed: false })
      .forUpdate()
      .first()) as Row | undefined; // the column named
    const settings = (await inside
      .db('annotation_queues')
      .select('scope', 'definition_names', 'annotators_per_item', 'lock_timeout_seconds')
      .where({ project_id: queue.projectId, id: queue.id })
      .first()) as Row | undefined; // the columns named
    if (item === undefined || settings === undefined) return undefined;
    const locks = () => inside.db('annotation_queue_locks').where(own);
    await locks().where('expires_at', '<=', inside.db.raw(dialect.nowMs)).delete();
    const held = (await locks().select('user_key')) as readonly Row[]; // the column named
    const names = jsonIn<readonly string[]>(settings, 'definition_names') ?? [];
    const authors =
      names.length === 0
        ? []
        : ((await inside
            .db('feedback_scores')
            .distinct('author')
            .where({
              project_id: queue.projectId,
              entity_id: itemId,
              entity_kind: String(settings['scope']),
            })
            .whereIn('name', [...names])
            // What was there before the item came is no work of the queue's.
            .where('last_updated_at', '>', Number(item['added_at']))) as readonly Row[]); // the column named
    const free = Number(settings['annotators_per_item']) - authors.length;
    const key = keyOf(user);
    const holds = held.some((row) => row['user_key'] === key);
    if (free <= 0 || (!holds && held.length >= free)) return { acquired: false };
    const until = inside.db.raw(`${dialect.nowMs} + ?`, [
      Number(settings['lock_timeout_seconds']) * msPerSecond,
    ]);
    if (holds) await locks().where({ user_key: key }).update({ expires_at: until });
    else
      await inside
        .db('annotation_queue_locks')
        .insert({ ...own, user_key: key, user_name: user, expires_at: until });
    const taken = (await locks().select('expires_at').where({ user_key: key }).first()) as
      Row | undefined; // the column named
    return { acquired: true, expiresAt: Number(taken?.['expires_at']) };
  };

  return {
    addItems: (queue, itemIds, at) =>
      inTransaction(
        connection,
        async (inside) => {
          if ((await lockQueue(inside, queue)) === undefined) return;
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
          const held = await lockQueue(inside, queue);
          if (held === undefined) return;
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
