import type { Knex } from 'knex';
import type { Delivery, DeliveryState } from '#ports/model/channels';
import type { DeliveryStore } from '#ports/storage/deliveries';
import { inTransaction, keyOf, orNothing, wholeOrNothing, type Connection } from './connection.js';
import { isId } from './ids.js';

interface DeliveryRow {
  readonly channel_id: string; readonly subject_id: string; readonly number: unknown; readonly id: string; readonly workspace_id: string; readonly event_id: string; readonly trigger_name: string; readonly content: string; readonly created_at: unknown;
  readonly state: DeliveryState; readonly attempts: unknown; readonly tried_at: unknown; readonly retry_at: unknown; readonly status: unknown; readonly duration_ms: unknown; readonly reply: string | null; readonly error: string | null; readonly repeats: string | null;
}
const columns = ['channel_id', 'subject_id', 'number', 'id', 'workspace_id', 'event_id', 'trigger_name', 'content', 'created_at', 'state', 'attempts', 'tried_at', 'retry_at', 'status', 'duration_ms', 'reply', 'error', 'repeats'] as const;

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id, channelId: row.channel_id, workspaceId: row.workspace_id, subjectId: row.subject_id, number: Number(row.number), eventId: row.event_id, trigger: row.trigger_name, content: row.content, createdAt: Number(row.created_at), state: row.state,
  attempts: Number(row.attempts), triedAt: wholeOrNothing(row.tried_at), retryAt: wholeOrNothing(row.retry_at), status: wholeOrNothing(row.status), durationMs: wholeOrNothing(row.duration_ms), reply: orNothing(row.reply), error: orNothing(row.error),
  repeats: orNothing(row.repeats),
});

interface QueueName { readonly channel_id: string; readonly subject_id: string }

/** Removes channels of models that are gone, once nothing waits for them. */
const removeEnded = async (db: Knex): Promise<void> => {
  const ended = await db('channels').where({ ends: true }).whereNotExists(db('deliveries').select('number').whereRaw('deliveries.channel_id = channels.id').where({ state: 'WAITING' })).limit(1000).select('id') as readonly { readonly id: string }[]; // the column named
  if (ended.length > 0) await db('channels').whereIn('id', ended.map(({ id }) => id)).where({ ends: true }).delete();
};

/** Removes what was left by channels that are gone, some of one queue at a time. Answers how many deliveries went. */
const removeOrphans = async (db: Knex, limit: number): Promise<number> => {
  const queue = await db('delivery_queues as q').leftJoin('channels as c', 'c.id', 'q.channel_id').whereNull('c.id').orderBy(['q.channel_id', 'q.subject_id']).select('q.channel_id', 'q.subject_id').first<QueueName | undefined>();
  if (queue === undefined) return 0;
  const rows = await db('deliveries').where(queue).orderBy('number').limit(limit).select('number') as readonly { readonly number: unknown }[]; // the column named
  if (rows.length > 0) await db('deliveries').where(queue).where('number', '<=', Number(rows.at(-1)?.number)).delete();
  if (rows.length < limit) await db('delivery_queues').where(queue).delete();
  return Math.max(1, rows.length);
};

export const deliveryStore = (connection: Connection): DeliveryStore => {
  const { db, dialect } = connection;
  const toDeliveries = (rows: unknown): readonly Delivery[] => (rows as readonly DeliveryRow[]).map(toDelivery); // the columns named above
  /** Queues of channels that are switched on. */
  const due = (now: number) => db('delivery_queues as q').join('channels as c', 'c.id', 'q.channel_id').where('c.enabled', true).where('q.due_at', '<=', now).where('q.held_until', '<', db.raw(dialect.nowMs));
  const free = (query: Knex.QueryBuilder, holder: string) => query.where((open) => open.where('held_until', '<', db.raw(dialect.nowMs)).orWhere({ holder }));
  return {
    enqueue: ({ id, channelId, workspaceId, subjectId, eventId, trigger, content, createdAt, repeats }) => inTransaction(connection, async ({ db: inside }) => {
      const queue = { channel_id: channelId, subject_id: subjectId };
      // The number is taken by changing the queue's row, so that what comes later also stands later. What is due keeps its time: the first in the queue may wait for another attempt.
      const count = () => inside('delivery_queues').where(queue).update({ last_number: inside.raw('last_number + 1'), due_at: inside.raw('coalesce(due_at, ?)', [createdAt]) });
      if ((await count()) === 0) {
        await inside('delivery_queues').insert({ ...queue, last_number: 0, held_until: 0 }).onConflict(['channel_id', 'subject_id']).ignore();
        await count();
      }
      const once_key = repeats === undefined ? keyOf(channelId, eventId) : keyOf(id);
      if ((await inside('deliveries').where({ once_key }).select('id').first()) !== undefined) return false;
      const row = await inside('delivery_queues').where(queue).select('last_number').first<{ readonly last_number: unknown }>();
      await inside('deliveries').insert({
        ...queue, number: Number(row.last_number), id, workspace_id: workspaceId, event_id: eventId, once_key, trigger_name: trigger, content, created_at: createdAt, state: 'WAITING', attempts: 0, repeats: repeats ?? null,
      });
      return true;
    }),
    async listDueChannels(now, limit) {
      const rows = await due(now).groupBy('q.channel_id').min({ first: 'q.due_at' }).select('q.channel_id').orderBy([{ column: 'first' }, { column: 'q.channel_id' }]).limit(limit) as unknown as readonly QueueName[]; // the columns named
      return rows.map((row) => row.channel_id);
    },
    async listDueQueues(channelId, now, limit) {
      const rows = await due(now).where('q.channel_id', channelId).orderBy(['q.due_at', 'q.subject_id']).limit(limit).select('q.subject_id') as readonly QueueName[]; // the column named
      return rows.map((row) => row.subject_id);
    },
    async claim(channelId, subjectId, holder, ms) {
      const taken = await free(db('delivery_queues').where({ channel_id: channelId, subject_id: subjectId }), holder).update({ holder, held_until: db.raw(`${dialect.nowMs} + ?`, [ms]) });
      return Number(taken) > 0;
    },
    release: (channelId, subjectId, holder, dueAt) => inTransaction(connection, async ({ db: inside }) => {
      const queue = { channel_id: channelId, subject_id: subjectId };
      const row = await inside('delivery_queues').where({ ...queue, holder }).select('due_at').forUpdate().first<{ readonly due_at: unknown } | undefined>();
      if (row === undefined) return;
      const waits = dueAt ?? ((await inside('deliveries').where({ ...queue, state: 'WAITING' }).select('number').first()) === undefined ? null : Number(row.due_at ?? 0));
      await inside('delivery_queues').where({ ...queue, holder }).update({ holder: null, held_until: 0, due_at: waits });
    }),
    async listWaiting(channelId, subjectId, limit) {
      return toDeliveries(await db('deliveries').where({ channel_id: channelId, subject_id: subjectId, state: 'WAITING' }).orderBy('number').limit(limit).select(...columns));
    },
    async record({ channelId, subjectId, number }, { state, attempts, triedAt, retryAt, status, durationMs, reply, error }) {
      const changed = await db('deliveries').where({ channel_id: channelId, subject_id: subjectId, number, state: 'WAITING' })
        .update({ state, attempts, tried_at: triedAt, retry_at: retryAt ?? null, status: status ?? null, duration_ms: durationMs, reply: reply ?? null, error: error ?? null });
      return changed > 0;
    },
    async countDelivered(channelId, since) {
      const [row] = await db('deliveries').where({ channel_id: channelId, state: 'DELIVERED' }).where('tried_at', '>=', since).count({ n: '*' });
      return Number(row?.n ?? 0);
    },
    async find(id) {
      return isId(id) ? toDeliveries(await db('deliveries').where({ id }).limit(1).select(...columns))[0] : undefined;
    },
    async search({ workspaceId, channelId, subjectId, state, offset, limit }) {
      const among = () => db('deliveries').where({ workspace_id: workspaceId, ...(channelId === undefined ? {} : { channel_id: channelId }), ...(subjectId === undefined ? {} : { subject_id: subjectId }), ...(state === undefined ? {} : { state }) });
      const [[counted], rows] = await Promise.all([among().count({ n: '*' }), among().orderBy([{ column: 'created_at', order: 'desc' }, { column: 'id', order: 'desc' }]).offset(offset).limit(limit).select(...columns)]);
      return { total: Number(counted?.n ?? 0), deliveries: toDeliveries(rows) };
    },
    async forget(before, limit) {
      await removeEnded(db);
      const rows = await db('deliveries').where('created_at', '<', before).orderBy('created_at').limit(limit).select('id') as readonly { readonly id: string }[]; // the column named
      if (rows.length > 0) await db('deliveries').modify(dialect.among('id', 'id', rows.map(({ id }) => id))).where('created_at', '<', before).delete();
      return rows.length > 0 ? rows.length : removeOrphans(db, limit);
    },
    async counts() {
      const [row] = await db('deliveries').where({ state: 'WAITING' }).count({ n: '*' });
      return { waiting: Number(row?.n ?? 0) };
    },
  };
};
