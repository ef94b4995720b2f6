import type { Knex } from 'knex';
import type { Delivery, DeliveryState } from '#ports/model/channels';
import type { DeliveryStore, NewDelivery } from '#ports/storage/deliveries';
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

/** What makes a delivery the same as another. */
const onceKey = ({ id, channelId, eventId, repeats }: NewDelivery): string => (repeats === undefined ? keyOf(channelId, eventId) : keyOf(id));

/** Those that were not added before. */
const notThere = async (db: Knex, given: readonly NewDelivery[]): Promise<readonly NewDelivery[]> => {
  const found = given.length === 0 ? [] : await db('deliveries').whereIn('once_key', given.map(onceKey)).select('once_key') as readonly { readonly once_key: string }[]; // the column named
  const there = new Set(found.map((row) => row.once_key));
  return given.filter((one) => !there.has(onceKey(one)));
};

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
    enqueue: (given) => inTransaction(connection, async ({ db: inside }) => {
      const fresh = await notThere(inside, given);
      const [{ subjectId, createdAt } = { subjectId: '', createdAt: 0 }] = fresh;
      if (fresh.length === 0) return 0;
      const channels = [...new Set(fresh.map(({ channelId }) => channelId))].sort();
      const queues = () => inside('delivery_queues').where({ subject_id: subjectId }).whereIn('channel_id', channels);
      // The number is taken by changing the queue's row, so that what comes later also stands later. What is due keeps its time: the first in the queue may wait for another attempt.
      const count = () => queues().update({ last_number: inside.raw('last_number + 1'), due_at: inside.raw('coalesce(due_at, ?)', [createdAt]) });
      const known = new Set((await queues().select('channel_id') as readonly QueueName[]).map((row) => row.channel_id)); // the column named
      const missing = channels.filter((id) => !known.has(id));
      if (missing.length > 0) await inside('delivery_queues').insert(missing.map((channel_id) => ({ channel_id, subject_id: subjectId, last_number: 0, held_until: 0 }))).onConflict(['channel_id', 'subject_id']).ignore();
      await count();
      const numbers = new Map((await queues().select('channel_id', 'last_number') as readonly (QueueName & { readonly last_number: unknown })[]).map((row) => [row.channel_id, Number(row.last_number)])); // the columns named
      await inside('deliveries').insert(fresh.map((one) => ({
        channel_id: one.channelId, subject_id: subjectId, number: numbers.get(one.channelId) ?? 0, id: one.id, workspace_id: one.workspaceId, event_id: one.eventId, once_key: onceKey(one), trigger_name: one.trigger, content: one.content, created_at: one.createdAt,
        state: 'WAITING', attempts: 0, repeats: one.repeats ?? null,
      })));
      return fresh.length;
    }),
    async listDueChannels(now, limit) {
      const rows = await due(now).groupBy('q.channel_id').min({ first: 'q.due_at' }).select('q.channel_id').orderBy([{ column: 'first' }, { column: 'q.channel_id' }]).limit(limit) as unknown as readonly QueueName[]; // the columns named
      return rows.map((row) => row.channel_id);
    },
    async listDueQueues(channelId, now, limit) {
      const rows = await due(now).where('q.channel_id', channelId).orderBy(['q.due_at', 'q.subject_id']).limit(limit).select('q.subject_id') as readonly QueueName[]; // the column named
      return rows.map((row) => row.subject_id);
    },
    async claim(channelId, subjectIds, holder, ms) {
      if (subjectIds.length === 0) return [];
      const queues = () => db('delivery_queues').where({ channel_id: channelId }).whereIn('subject_id', [...subjectIds]);
      await free(queues(), holder).update({ holder, held_until: db.raw(`${dialect.nowMs} + ?`, [ms]) });
      const rows = await queues().where({ holder }).where('held_until', '>=', db.raw(dialect.nowMs)).orderBy('subject_id').select('subject_id') as readonly QueueName[]; // the column named
      return rows.map((row) => row.subject_id);
    },
    async listFirst(channelId, subjectIds) {
      if (subjectIds.length === 0) return [];
      const first = db('deliveries').where({ channel_id: channelId, state: 'WAITING' }).whereIn('subject_id', [...subjectIds]).groupBy('subject_id').select({ first_of: 'subject_id' }).min({ first_number: 'number' }).as('f');
      return toDeliveries(await db('deliveries as d').join(first, (on) => { on.on('f.first_of', 'd.subject_id').andOn('f.first_number', 'd.number'); }).where('d.channel_id', channelId).orderBy('d.subject_id').select(columns.map((column) => `d.${column}`)));
    },
    async listWaiting(channelId, subjectId, after, limit) {
      return toDeliveries(await db('deliveries').where({ channel_id: channelId, subject_id: subjectId, state: 'WAITING' }).where('number', '>', after).orderBy('number').limit(limit).select(...columns));
    },
    settle: (channelId, holder, attempts, given) => inTransaction(connection, async ({ db: inside }) => {
      for (const { subjectId, number, state, attempts: tries, triedAt, retryAt, status, durationMs, reply, error } of attempts)
        await inside('deliveries').where({ channel_id: channelId, subject_id: subjectId, number, state: 'WAITING' }).update({ state, attempts: tries, tried_at: triedAt, retry_at: retryAt ?? null, status: status ?? null, duration_ms: durationMs, reply: reply ?? null, error: error ?? null });
      if (given.length === 0) return;
      const queues = (subjects: readonly string[]) => inside('delivery_queues').where({ channel_id: channelId, holder }).whereIn('subject_id', [...subjects]);
      // Locked before it is asked what waits: what is enqueued meanwhile either shows, or makes its queue due itself.
      const held = await queues(given.map(({ subjectId }) => subjectId)).orderBy('subject_id').select('subject_id').forUpdate() as readonly QueueName[]; // the column named
      const ours = new Set(held.map((row) => row.subject_id));
      const open = given.filter(({ subjectId, dueAt }) => ours.has(subjectId) && dueAt === undefined).map(({ subjectId }) => subjectId);
      const rows = open.length === 0 ? [] : await inside('deliveries').where({ channel_id: channelId, state: 'WAITING' }).whereIn('subject_id', open).distinct('subject_id') as readonly QueueName[]; // the column named
      const waiting = new Set(rows.map((row) => row.subject_id));
      const idle = open.filter((subjectId) => !waiting.has(subjectId));
      const unheld = { holder: null, held_until: 0 };
      if (idle.length > 0) await queues(idle).update({ ...unheld, due_at: null });
      if (waiting.size > 0) await queues([...waiting]).update({ ...unheld, due_at: inside.raw('coalesce(due_at, 0)') });
      for (const { subjectId, dueAt } of given) if (ours.has(subjectId) && dueAt !== undefined) await queues([subjectId]).update({ ...unheld, due_at: dueAt });
    }),
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
