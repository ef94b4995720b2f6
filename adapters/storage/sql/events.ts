import type { DomainEvent } from '#ports/events';
import type { EventStore, NewEvent } from '#ports/storage/events';
import { inTransaction, isTrue, keyOf, wholeOrNothing, type Connection } from './connection.js';

interface EventRow {
  readonly subject_key: string;
  readonly id: string;
  readonly number: unknown;
  readonly name: string;
  readonly at: unknown;
  readonly detail: string;
}
interface SubjectRow {
  readonly subject_key: string;
  readonly held_until: unknown;
  readonly due_at: unknown;
}
interface CursorRow {
  readonly receiver: string;
  readonly subject_key: string;
  readonly delivered: unknown;
  readonly attempts: unknown;
  readonly retry_at: unknown;
  readonly parked: unknown;
}

/** When a subject that is given back is due: also at what came while it was held. */
const dueAgain = ({ due_at, held_until }: SubjectRow, asked: number | undefined): number | null => {
  const meanwhile =
    due_at === null || Number(due_at) === Number(held_until) ? undefined : Number(due_at);
  return (
    (asked === undefined || meanwhile === undefined
      ? (asked ?? meanwhile)
      : Math.min(asked, meanwhile)) ?? null
  );
};

const eventColumns = ['subject_key', 'id', 'number', 'name', 'at', 'detail'] as const;
const toEvent = (row: EventRow, subject: string): DomainEvent => ({
  id: row.id,
  subject,
  number: Number(row.number),
  name: row.name,
  at: Number(row.at),
  detail: JSON.parse(row.detail) as Record<string, unknown>,
}); // written by `append`

/** Number and event in one statement, where an engine takes them so: the subject's row is changed first, and no other transaction can fill a gap. */
const appendAtOnce = async (
  { db, dialect }: Connection,
  { id, subject, name, at, detail }: NewEvent,
): Promise<void> => {
  const key = keyOf(subject);
  await dialect.run(
    db,
    `with s as (insert into event_subjects (subject_key, subject, last_number, due_at, held_until) values (?, ?, 1, ?, 0)
${dialect.onConflict(['subject_key'], [`last_number = ${dialect.stored('event_subjects', 'last_number')} + 1`, `due_at = ${dialect.incoming('due_at')}`])} returning last_number)
insert into events (subject_key, number, id, name, at, detail) select ?, s.last_number, ?, ?, ?, ? from s`,
    [key, subject, at, key, id, name, at, JSON.stringify(detail)],
  );
};

export const eventStore = (connection: Connection): EventStore => {
  const { db, dialect } = connection;
  return {
    append: (event) =>
      inTransaction(connection, async (within) => {
        if (dialect.pipelined !== undefined) {
          await appendAtOnce(within, event);
          return;
        }
        const { db: inside } = within;
        const { id, subject, name, at, detail } = event;
        const key = keyOf(subject);
        // The number is taken by changing the subject's row, so no other transaction can fill a gap before it. An insert first would share
        // the row between those who find it there, and lock them out of changing it.
        const count = () =>
          inside('event_subjects')
            .where({ subject_key: key })
            .update({ last_number: inside.raw('last_number + 1'), due_at: at });
        if ((await count()) === 0) {
          await inside('event_subjects')
            .insert({ subject_key: key, subject, last_number: 0, held_until: 0 })
            .onConflict('subject_key')
            .ignore();
          await count();
        }
        const row = await inside('event_subjects')
          .where({ subject_key: key })
          .select('last_number')
          .first<{ readonly last_number: unknown }>();
        await inside('events').insert({
          subject_key: key,
          number: Number(row.last_number),
          id,
          name,
          at,
          detail: JSON.stringify(detail),
        });
      }),
    async listDue(now, limit) {
      const rows = (await db('event_subjects')
        .where('due_at', '<=', now)
        .where('held_until', '<', db.raw(dialect.nowMs))
        .orderBy(['due_at', 'subject_key'])
        .limit(limit)
        .select('subject')) as readonly { readonly subject: string }[]; // the column named
      return rows.map((row) => row.subject);
    },
    // Held, it is due when the hold ends: a time other than that one was set in the meantime, by an event or a resumption.
    async claim(subjects, holder, ms) {
      const until = db.raw(`${dialect.nowMs} + ?`, [ms]);
      const byKey = new Map(subjects.map((subject) => [keyOf(subject), subject]));
      const among = () => db('event_subjects').whereIn('subject_key', [...byKey.keys()]);
      if (
        byKey.size === 0 ||
        (await among()
          .where('held_until', '<', db.raw(dialect.nowMs))
          .update({ holder, held_until: until, due_at: until })) === 0
      )
        return [];
      const held = new Set(
        (
          (await among()
            .where({ holder })
            .where('held_until', '>=', db.raw(dialect.nowMs))
            .select('subject_key')) as readonly { readonly subject_key: string }[]
        ).map((row) => row.subject_key),
      ); // the column named
      return [...byKey].flatMap(([key, subject]) => (held.has(key) ? [subject] : []));
    },
    recordAttempts: (holder, settled) =>
      inTransaction(connection, async ({ db: inside }) => {
        const byKey = new Map(settled.map((one) => [keyOf(one.subject), one]));
        const held =
          byKey.size === 0
            ? []
            : ((await inside('event_subjects')
                .whereIn('subject_key', [...byKey.keys()])
                .where({ holder })
                .orderBy('subject_key')
                .select('subject_key', 'held_until', 'due_at')
                .forUpdate()) as readonly SubjectRow[]); // the columns named
        const ours = held.flatMap((row) => {
          const one = byKey.get(row.subject_key);
          return one === undefined ? [] : [{ ...one, row, key: row.subject_key }];
        });
        if (ours.length === 0) return;
        const keys = ours.map(({ key }) => key);
        await inside('events')
          .where((any) => {
            for (const { key, through } of ours)
              void any.orWhere((one) =>
                one.where('subject_key', key).where('number', '<=', through),
              );
          })
          .delete();
        const left = new Set(
          // Not the distinct ones among the events, for which a planner that knows nothing of the table yet reads all of it.
          (
            (await inside('event_subjects as s')
              .whereIn('s.subject_key', keys)
              .whereExists(
                inside('events as e').select('e.number').whereRaw('e.subject_key = s.subject_key'),
              )
              .select('s.subject_key')) as readonly { readonly subject_key: string }[]
          ).map((row) => row.subject_key),
        ); // the column named
        const stand = ours
          .filter(({ key }) => left.has(key))
          .flatMap(({ key, cursors }) =>
            [...cursors].map(([receiver, { delivered, attempts, retryAt, parked }]) => ({
              receiver,
              subject_key: key,
              delivered,
              attempts,
              retry_at: retryAt ?? null,
              parked,
            })),
          );
        const empty = keys.filter((key) => !left.has(key));
        if (empty.length > 0) await inside('event_cursors').whereIn('subject_key', empty).delete();
        if (stand.length > 0)
          await inside('event_cursors')
            .insert(stand)
            .onConflict(['receiver', 'subject_key'])
            .merge(['delivered', 'attempts', 'retry_at', 'parked']);
        const dues = new Map(ours.map(({ key, row, dueAt }) => [key, dueAgain(row, dueAt)]));
        for (const due of new Set(dues.values()))
          await inside('event_subjects')
            .whereIn(
              'subject_key',
              keys.filter((key) => dues.get(key) === due),
            )
            .update({ holder: null, held_until: 0, due_at: due });
      }),
    async listAfter(subject, number, limit) {
      const rows = (await db('events')
        .where({ subject_key: keyOf(subject) })
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .select(...eventColumns)) as readonly EventRow[]; // the columns named
      return rows.map((row) => toEvent(row, subject));
    },
    async listFirst(subjects, each) {
      if (subjects.length === 0) return [];
      const byKey = new Map(subjects.map((subject) => [keyOf(subject), subject]));
      // One select for each, since a subject may have any number of them behind its first ones.
      const one = `(select ${eventColumns.join(', ')} from events where subject_key = ? order by number limit ?)`;
      const rows = (await dialect.run(
        db,
        [...byKey].map(() => one).join(' union all '),
        [...byKey.keys()].flatMap((key) => [key, each]),
      )) as readonly EventRow[]; // the columns named
      return rows
        .map((row) => toEvent(row, byKey.get(row.subject_key) ?? ''))
        .sort((a, b) => a.number - b.number);
    },
    async listCursors(subjects) {
      const byKey = new Map(subjects.map((subject) => [keyOf(subject), subject]));
      const rows =
        byKey.size === 0
          ? []
          : ((await db('event_cursors')
              .whereIn('subject_key', [...byKey.keys()])
              .select(
                'receiver',
                'subject_key',
                'delivered',
                'attempts',
                'retry_at',
                'parked',
              )) as readonly CursorRow[]); // the columns named
      return rows.map((row) => ({
        receiver: row.receiver,
        subject: byKey.get(row.subject_key) ?? '',
        delivered: Number(row.delivered),
        attempts: Number(row.attempts),
        retryAt: wholeOrNothing(row.retry_at),
        parked: isTrue(row.parked),
      }));
    },
    async resumeParked(receiver) {
      const keys = (
        (await db('event_cursors')
          .where({ receiver, parked: true })
          .select('subject_key')) as readonly { readonly subject_key: string }[]
      ).map((row) => row.subject_key); // the column named
      for (const subject_key of keys) {
        await db('event_cursors')
          .where({ receiver, subject_key })
          .update({ parked: false, attempts: 0, retry_at: null });
        await db('event_subjects').where({ subject_key }).update({ due_at: 0 });
      }
      return keys.length;
    },
    async counts() {
      const [[events], [parked]] = await Promise.all([
        db('events').count({ n: '*' }),
        db('event_cursors').where({ parked: true }).count({ n: '*' }),
      ]);
      return { events: Number(events?.n ?? 0), parked: Number(parked?.n ?? 0) };
    },
  };
};
