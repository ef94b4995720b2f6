import type { DomainEvent } from '#ports/events';
import type { EventStore } from '#ports/storage/events';
import { inTransaction, isTrue, keyOf, wholeOrNothing, type Connection } from './connection.js';

interface EventRow { readonly id: string; readonly number: unknown; readonly name: string; readonly at: unknown; readonly detail: string }
interface SubjectRow { readonly held_until: unknown; readonly due_at: unknown }
interface CursorRow { readonly delivered: unknown; readonly attempts: unknown; readonly retry_at: unknown; readonly parked: unknown }

export const eventStore = (connection: Connection): EventStore => {
  const { db, dialect } = connection;
  return {
    append: ({ id, subject, name, at, detail }) => inTransaction(connection, async ({ db: inside }) => {
      const key = keyOf(subject);
      // The number is taken by changing the subject's row, so no other transaction can fill a gap before it. An insert first would share
      // the row between those who find it there, and lock them out of changing it.
      const count = () => inside('event_subjects').where({ subject_key: key }).update({ last_number: inside.raw('last_number + 1'), due_at: at });
      if ((await count()) === 0) {
        await inside('event_subjects').insert({ subject_key: key, subject, last_number: 0, held_until: 0 }).onConflict('subject_key').ignore();
        await count();
      }
      const row = await inside('event_subjects').where({ subject_key: key }).select('last_number').first<{ readonly last_number: unknown }>();
      await inside('events').insert({ subject_key: key, number: Number(row.last_number), id, name, at, detail: JSON.stringify(detail) });
    }),
    async listDue(now, limit) {
      const rows = await db('event_subjects').where('due_at', '<=', now).where('held_until', '<', db.raw(dialect.nowMs)).orderBy(['due_at', 'subject_key']).limit(limit).select('subject') as readonly { readonly subject: string }[]; // the column named
      return rows.map((row) => row.subject);
    },
    // Held, it is due when the hold ends: a time other than that one was set in the meantime, by an event or a resumption.
    async claim(subject, holder, ms) {
      const until = db.raw(`${dialect.nowMs} + ?`, [ms]);
      const taken = await db('event_subjects').where({ subject_key: keyOf(subject) }).where('held_until', '<', db.raw(dialect.nowMs)).update({ holder, held_until: until, due_at: until });
      return taken > 0;
    },
    release: (subject, holder, dueAt) => inTransaction(connection, async ({ db: inside }) => {
      const where = { subject_key: keyOf(subject), holder };
      const row = await inside('event_subjects').where(where).select('held_until', 'due_at').forUpdate().first<SubjectRow | undefined>();
      if (row === undefined) return;
      const meanwhile = row.due_at === null || Number(row.due_at) === Number(row.held_until) ? undefined : Number(row.due_at);
      const due = dueAt === undefined || meanwhile === undefined ? (dueAt ?? meanwhile) : Math.min(dueAt, meanwhile);
      await inside('event_subjects').where(where).update({ holder: null, held_until: 0, due_at: due ?? null });
    }),
    async listAfter(subject, number, limit) {
      const rows = await db('events').where({ subject_key: keyOf(subject) }).where('number', '>', number).orderBy('number').limit(limit).select('id', 'number', 'name', 'at', 'detail') as readonly EventRow[]; // the columns named
      return rows.map((row): DomainEvent => ({ id: row.id, subject, number: Number(row.number), name: row.name, at: Number(row.at), detail: JSON.parse(row.detail) as Record<string, unknown> })); // written by `append`
    },
    async readCursor(receiver, subject) {
      const row = await db('event_cursors').where({ receiver, subject_key: keyOf(subject) }).select('delivered', 'attempts', 'retry_at', 'parked').first<CursorRow | undefined>();
      return row === undefined ? { delivered: 0, attempts: 0, retryAt: undefined, parked: false } : { delivered: Number(row.delivered), attempts: Number(row.attempts), retryAt: wholeOrNothing(row.retry_at), parked: isTrue(row.parked) };
    },
    async writeCursor(receiver, subject, { delivered, attempts, retryAt, parked }) {
      await db('event_cursors').insert({ receiver, subject_key: keyOf(subject), delivered, attempts, retry_at: retryAt ?? null, parked }).onConflict(['receiver', 'subject_key']).merge(['delivered', 'attempts', 'retry_at', 'parked']);
    },
    removeThrough: (subject, number) => inTransaction(connection, async ({ db: inside }) => {
      const key = keyOf(subject);
      await inside('event_subjects').where({ subject_key: key }).select('last_number').forUpdate();
      await inside('events').where({ subject_key: key }).where('number', '<=', number).delete();
      if ((await inside('events').where({ subject_key: key }).select('number').first()) === undefined) await inside('event_cursors').where({ subject_key: key }).delete();
    }),
    async resumeParked(receiver) {
      const keys = (await db('event_cursors').where({ receiver, parked: true }).select('subject_key') as readonly { readonly subject_key: string }[]).map((row) => row.subject_key); // the column named
      for (const subject_key of keys) {
        await db('event_cursors').where({ receiver, subject_key }).update({ parked: false, attempts: 0, retry_at: null });
        await db('event_subjects').where({ subject_key }).update({ due_at: 0 });
      }
      return keys.length;
    },
    async counts() {
      const [[events], [parked]] = await Promise.all([db('events').count({ n: '*' }), db('event_cursors').where({ parked: true }).count({ n: '*' })]);
      return { events: Number(events?.n ?? 0), parked: Number(parked?.n ?? 0) };
    },
  };
};
