import type { Knex } from 'knex';
import type { Delivery, DeliveryState } from '#ports/model/channels';
import type { Attempt, DeliveryStore, NewDelivery, Queue } from '#ports/storage/deliveries';
import { mostListed } from '#ports/page';
import type { ColumnValues } from '#ports/sql-dialect';
import { inTransaction, keyOf, orNothing, wholeOrNothing, type Connection } from './connection.js';
import { countUpTo } from './counting.js';
import { isId } from './ids.js';

interface DeliveryRow {
  readonly channel_id: string;
  readonly subject_id: string;
  readonly number: unknown;
  readonly id: string;
  readonly workspace_id: string;
  readonly event_id: string;
  readonly trigger_name: string;
  readonly content: string;
  readonly created_at: unknown;
  readonly state: DeliveryState;
  readonly attempts: unknown;
  readonly tried_at: unknown;
  readonly retry_at: unknown;
  readonly status: unknown;
  readonly duration_ms: unknown;
  readonly reply: string | null;
  readonly error: string | null;
  readonly repeats: string | null;
}
const columns = [
  'channel_id',
  'subject_id',
  'number',
  'id',
  'workspace_id',
  'event_id',
  'trigger_name',
  'content',
  'created_at',
  'state',
  'attempts',
  'tried_at',
  'retry_at',
  'status',
  'duration_ms',
  'reply',
  'error',
  'repeats',
] as const;

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  channelId: row.channel_id,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  number: Number(row.number),
  eventId: row.event_id,
  trigger: row.trigger_name,
  content: row.content,
  createdAt: Number(row.created_at),
  state: row.state,
  attempts: Number(row.attempts),
  triedAt: wholeOrNothing(row.tried_at),
  retryAt: wholeOrNothing(row.retry_at),
  status: wholeOrNothing(row.status),
  durationMs: wholeOrNothing(row.duration_ms),
  reply: orNothing(row.reply),
  error: orNothing(row.error),
  repeats: orNothing(row.repeats),
});

interface QueueName {
  readonly channel_id: string;
  readonly subject_id: string;
}
const toQueue = (row: QueueName): Queue => ({
  channelId: row.channel_id,
  subjectId: row.subject_id,
});
const nameOf = ({ channelId, subjectId }: Queue): string => `${channelId} ${subjectId}`;

/** In the order in which each came first. */
const groupsOf = <T>(
  all: readonly T[],
  by: (one: T) => string,
): ReadonlyMap<string, readonly [T, ...T[]]> => {
  const groups = new Map<string, [T, ...T[]]>();
  for (const one of all) {
    const group = groups.get(by(one));
    if (group === undefined) groups.set(by(one), [one]);
    else group.push(one);
  }
  return groups;
};

/** These queues and no others, for `modify`. */
const amongQueues =
  (queues: readonly Queue[]) =>
  (query: Knex.QueryBuilder): void => {
    const byChannel = groupsOf(queues, ({ channelId }) => channelId);
    void query.where((any) => {
      for (const [channel, some] of byChannel)
        void any.orWhere((one) =>
          one.where('channel_id', channel).whereIn(
            'subject_id',
            some.map(({ subjectId }) => subjectId),
          ),
        );
    });
  };

/** What makes a delivery the same as another. */
const onceKey = ({ id, channelId, eventId, repeats }: NewDelivery): string =>
  repeats === undefined ? keyOf(channelId, eventId) : keyOf(id);

/** Those that were not added before. */
const notThere = async (
  { db, dialect }: Connection,
  given: readonly NewDelivery[],
): Promise<readonly NewDelivery[]> => {
  const byKey = new Map(given.map((one) => [onceKey(one), one]));
  const found =
    byKey.size === 0
      ? []
      : ((await db('deliveries')
          .modify(dialect.among('once_key', 'text', [...byKey.keys()]))
          .select('once_key')) as readonly { readonly once_key: string }[]); // the column named
  for (const row of found) byKey.delete(row.once_key);
  return [...byKey.values()];
};

/**
 * Takes the next numbers of each queue, as many as come to it, by changing its row, so that what comes later also stands later. What is due keeps its
 * time: the first in the queue may wait for another attempt. Answers the last number before them. All who lock several queues do so in one order.
 */
const takeNumbers = async (
  { db, dialect }: Connection,
  coming: readonly (readonly [NewDelivery, ...NewDelivery[]])[],
): Promise<ReadonlyMap<string, number>> => {
  const queues = coming
    .map(([first, ...more]) => ({ ...first, count: 1 + more.length }))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const [table, number, due] = ['delivery_queues', 'last_number', 'due_at'] as const;
  await dialect.insertColumns(
    db,
    table,
    [
      { name: 'channel_id', kind: 'id', values: queues.map(({ channelId }) => channelId) },
      { name: 'subject_id', kind: 'id', values: queues.map(({ subjectId }) => subjectId) },
      { name: number, kind: 'whole', values: queues.map(({ count }) => count) },
      { name: due, kind: 'whole', values: queues.map(({ createdAt }) => createdAt) },
      { name: 'held_until', kind: 'whole', values: queues.map(() => 0) },
    ],
    dialect.onConflict(
      ['channel_id', 'subject_id'],
      [
        `${number} = ${dialect.stored(table, number)} + ${dialect.incoming(number)}`,
        `${due} = coalesce(${dialect.stored(table, due)}, ${dialect.incoming(due)})`,
      ],
    ),
  );
  const rows = (await db(table)
    .modify(amongQueues(queues))
    .select('channel_id', 'subject_id', number)) as readonly (QueueName & {
    readonly last_number: unknown;
  })[]; // the columns named
  const last = new Map(rows.map((row) => [nameOf(toQueue(row)), Number(row.last_number)]));
  return new Map(
    queues.map((queue) => [nameOf(queue), (last.get(nameOf(queue)) ?? 0) - queue.count]),
  );
};

const insertedAtOnce = 200;
const insertDeliveries = async (
  { db, dialect }: Connection,
  rows: readonly (NewDelivery & { readonly number: number })[],
): Promise<void> => {
  for (let at = 0; at < rows.length; at += insertedAtOnce) {
    const some = rows.slice(at, at + insertedAtOnce);
    const column = (
      name: (typeof columns)[number] | 'once_key',
      kind: ColumnValues['kind'],
      value: (one: (typeof some)[number]) => unknown,
    ): ColumnValues => ({ name, kind, values: some.map(value) });
    await dialect.insertColumns(db, 'deliveries', [
      column('channel_id', 'id', (one) => one.channelId),
      column('subject_id', 'id', (one) => one.subjectId),
      column('number', 'whole', (one) => one.number),
      column('id', 'id', (one) => one.id),
      column('workspace_id', 'id', (one) => one.workspaceId),
      column('event_id', 'id', (one) => one.eventId),
      column('once_key', 'text', onceKey),
      column('trigger_name', 'text', (one) => one.trigger),
      column('content', 'text', (one) => one.content),
      column('created_at', 'whole', (one) => one.createdAt),
      column('state', 'text', () => 'WAITING'),
      column('attempts', 'whole', () => 0),
      column('repeats', 'id', (one) => one.repeats ?? null),
    ]);
  }
};

/** What attempts have in common that differ in nothing but when and how long. */
const outcomeOf = ({ state, attempts, retryAt, status, reply, error }: Attempt): string =>
  JSON.stringify([state, attempts, retryAt, status, reply, error]);

/** One statement for all of them: most attempts go alike. What differs are whole numbers that were made here. */
const noteAlike = async (db: Knex, alike: readonly [Attempt, ...Attempt[]]): Promise<void> => {
  const [{ state, attempts, retryAt, status, reply, error }] = alike;
  const each = (value: (one: Attempt) => number) =>
    db.raw(
      `case id ${alike.map((one) => `when ? then ${Math.trunc(value(one))}`).join(' ')} end`,
      alike.map(({ id }) => id),
    );
  await db('deliveries')
    .where({ state: 'WAITING' })
    .whereIn('channel_id', [...new Set(alike.map(({ channelId }) => channelId))])
    .whereIn(
      'id',
      alike.map(({ id }) => id),
    )
    .update({
      state,
      attempts,
      retry_at: retryAt ?? null,
      status: status ?? null,
      reply: reply ?? null,
      error: error ?? null,
      tried_at: each(({ triedAt }) => triedAt),
      duration_ms: each(({ durationMs }) => durationMs),
    });
};

/** Removes channels of models that are gone, once nothing waits for them. */
const removeEnded = async (db: Knex): Promise<void> => {
  const ended = (await db('channels')
    .where({ ends: true })
    .whereNotExists(
      db('deliveries')
        .select('number')
        .whereRaw('deliveries.channel_id = channels.id')
        .where({ state: 'WAITING' }),
    )
    .limit(1000)
    .select('id')) as readonly { readonly id: string }[]; // the column named
  if (ended.length > 0)
    await db('channels')
      .whereIn(
        'id',
        ended.map(({ id }) => id),
      )
      .where({ ends: true })
      .delete();
};

/** Removes what was left by channels that are gone, some of one queue at a time. Answers how many deliveries went. */
const removeOrphans = async (db: Knex, limit: number): Promise<number> => {
  const queue = await db('delivery_queues as q')
    .leftJoin('channels as c', 'c.id', 'q.channel_id')
    .whereNull('c.id')
    .orderBy(['q.channel_id', 'q.subject_id'])
    .select('q.channel_id', 'q.subject_id')
    .first<QueueName | undefined>();
  if (queue === undefined) return 0;
  const rows = (await db('deliveries')
    .where(queue)
    .orderBy('number')
    .limit(limit)
    .select('number')) as readonly { readonly number: unknown }[]; // the column named
  if (rows.length > 0)
    await db('deliveries')
      .where(queue)
      .where('number', '<=', Number(rows.at(-1)?.number))
      .delete();
  if (rows.length < limit) await db('delivery_queues').where(queue).delete();
  return Math.max(1, rows.length);
};

export const deliveryStore = (connection: Connection): DeliveryStore => {
  const { db, dialect } = connection;
  const toDeliveries = (rows: unknown): readonly Delivery[] =>
    (rows as readonly DeliveryRow[]).map(toDelivery); // the columns named above
  /** Queues of channels that are switched on. */
  const due = (now: number) =>
    db('delivery_queues as q')
      .join('channels as c', 'c.id', 'q.channel_id')
      .where('c.enabled', true)
      .where('q.due_at', '<=', now)
      .where('q.held_until', '<', db.raw(dialect.nowMs));
  const free = (query: Knex.QueryBuilder, holder: string) =>
    query.where((open) => open.where('held_until', '<', db.raw(dialect.nowMs)).orWhere({ holder }));
  return {
    enqueue: (given) =>
      inTransaction(connection, async (inside) => {
        const fresh = await notThere(inside, given);
        if (fresh.length === 0) return 0;
        const queues = [...groupsOf(fresh, nameOf).values()];
        const before = await takeNumbers(inside, queues);
        await insertDeliveries(
          inside,
          queues.flatMap((queue) =>
            queue.map((one, place) => ({
              ...one,
              number: (before.get(nameOf(one)) ?? 0) + place + 1,
            })),
          ),
        );
        return fresh.length;
      }),
    async listDueChannels(now, limit) {
      const rows = (await due(now)
        .groupBy('q.channel_id')
        .min({ first: 'q.due_at' })
        .select('q.channel_id')
        .orderBy([{ column: 'first' }, { column: 'q.channel_id' }])
        .limit(limit)) as unknown as readonly QueueName[]; // the columns named
      return rows.map((row) => row.channel_id);
    },
    async listDueQueues(channelIds, now, each) {
      if (channelIds.length === 0) return [];
      const ranked = due(now)
        .whereIn('q.channel_id', [...channelIds])
        .select('q.channel_id', 'q.subject_id', 'q.due_at')
        .rowNumber('place', (over) => {
          over.partitionBy('q.channel_id').orderBy(['q.due_at', 'q.subject_id']);
        })
        .as('ranked');
      const rows = (await db(ranked as unknown as string)
        .where('place', '<=', each)
        .orderBy(['channel_id', 'place'])
        .select('channel_id', 'subject_id')) as readonly QueueName[]; // a query stands wherever the name of a table does; the columns named
      return rows.map(toQueue);
    },
    claim: (queues, holder, ms) =>
      inTransaction(connection, async ({ db: inside }) => {
        if (queues.length === 0) return [];
        const rows = (await free(inside('delivery_queues').modify(amongQueues(queues)), holder)
          .orderBy(['channel_id', 'subject_id'])
          .select('channel_id', 'subject_id')
          .forUpdate()) as readonly QueueName[]; // the columns named
        const held = rows.map(toQueue);
        if (held.length > 0)
          await inside('delivery_queues')
            .modify(amongQueues(held))
            .update({ holder, held_until: inside.raw(`${dialect.nowMs} + ?`, [ms]) });
        return held;
      }),
    async listWaiting(queues, each) {
      if (queues.length === 0) return [];
      const ranked = db('deliveries')
        .where({ state: 'WAITING' })
        .modify(amongQueues(queues))
        .select(...columns)
        .rowNumber('place', (over) => {
          over.partitionBy(['channel_id', 'subject_id']).orderBy('number');
        })
        .as('ranked');
      return toDeliveries(
        await db(ranked as unknown as string)
          .where('place', '<=', each)
          .orderBy(['channel_id', 'subject_id', 'number'])
          .select(...columns),
      ); // as above
    },
    recordAttempts: (holder, attempts, given) =>
      inTransaction(connection, async ({ db: inside }) => {
        for (const alike of groupsOf(attempts, outcomeOf).values()) await noteAlike(inside, alike);
        if (given.length === 0) return;
        const queues = (some: readonly Queue[]) =>
          inside('delivery_queues').where({ holder }).modify(amongQueues(some));
        // Locked before it is asked what waits: what is enqueued meanwhile either shows, or makes its queue due itself.
        const held = (await queues(given)
          .orderBy(['channel_id', 'subject_id'])
          .select('channel_id', 'subject_id')
          .forUpdate()) as readonly QueueName[]; // the columns named
        const ours = new Set(held.map((row) => nameOf(toQueue(row))));
        const open = given.filter((queue) => ours.has(nameOf(queue)) && queue.dueAt === undefined);
        const rows =
          open.length === 0
            ? []
            : ((await inside('deliveries')
                .where({ state: 'WAITING' })
                .modify(amongQueues(open))
                .distinct('channel_id', 'subject_id')) as readonly QueueName[]); // the columns named
        const [waiting, names] = [
          rows.map(toQueue),
          new Set(rows.map((row) => nameOf(toQueue(row)))),
        ];
        const idle = open.filter((queue) => !names.has(nameOf(queue)));
        const unheld = { holder: null, held_until: 0 };
        if (idle.length > 0) await queues(idle).update({ ...unheld, due_at: null });
        if (waiting.length > 0)
          await queues(waiting).update({ ...unheld, due_at: inside.raw('coalesce(due_at, 0)') });
        const later = given
          .flatMap(({ channelId, subjectId, dueAt }) =>
            dueAt === undefined ? [] : [{ channelId, subjectId, dueAt }],
          )
          .filter((queue) => ours.has(nameOf(queue)));
        const times = later
          .map(({ dueAt }) => `when channel_id = ? and subject_id = ? then ${Math.trunc(dueAt)}`)
          .join(' '); // whole numbers that were made here
        if (later.length > 0)
          await queues(later).update({
            ...unheld,
            due_at: inside.raw(
              `case ${times} end`,
              later.flatMap(({ channelId, subjectId }) => [channelId, subjectId]),
            ),
          });
      }),
    async countDelivered(channelId, since) {
      const [row] = await db('deliveries')
        .where({ channel_id: channelId, state: 'DELIVERED' })
        .where('tried_at', '>=', since)
        .count({ n: '*' });
      return Number(row?.n ?? 0);
    },
    async find(id) {
      return isId(id)
        ? toDeliveries(
            await db('deliveries')
              .where({ id })
              .limit(1)
              .select(...columns),
          )[0]
        : undefined;
    },
    async search({ workspaceId, channelId, subjectId, state, offset, limit }) {
      const among = () =>
        db('deliveries').where({
          workspace_id: workspaceId,
          ...(channelId === undefined ? {} : { channel_id: channelId }),
          ...(subjectId === undefined ? {} : { subject_id: subjectId }),
          ...(state === undefined ? {} : { state }),
        });
      if (offset >= mostListed) return { total: mostListed, deliveries: [] };
      const [total, rows] = await Promise.all([
        countUpTo(db, among(), mostListed),
        among()
          .orderBy([
            { column: 'created_at', order: 'desc' },
            { column: 'id', order: 'desc' },
          ])
          .offset(offset)
          .limit(limit)
          .select(...columns),
      ]);
      return { total, deliveries: toDeliveries(rows) };
    },
    async forget(before, limit) {
      await removeEnded(db);
      const rows = (await db('deliveries')
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(limit)
        .select('id')) as readonly { readonly id: string }[]; // the column named
      if (rows.length > 0)
        await db('deliveries')
          .modify(
            dialect.among(
              'id',
              'id',
              rows.map(({ id }) => id),
            ),
          )
          .where('created_at', '<', before)
          .delete();
      return rows.length > 0 ? rows.length : removeOrphans(db, limit);
    },
    async counts() {
      const [row] = await db('deliveries').where({ state: 'WAITING' }).count({ n: '*' });
      return { waiting: Number(row?.n ?? 0) };
    },
  };
};
