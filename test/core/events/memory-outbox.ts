import type { DomainEvent } from '#ports/events';
import type { Cursor, EventStore } from '#ports/storage/events';

interface Subject {
  last: number;
  dueAt: number | undefined;
  holder: string | undefined;
  events: DomainEvent[];
  readonly cursors: Map<string, Cursor>;
}

const fresh: Cursor = { delivered: 0, attempts: 0, retryAt: undefined, parked: false };

/** An outbox that lives in this process. */
export const memoryOutbox = (): EventStore => {
  const subjects = new Map<string, Subject>();
  const of = (name: string): Subject => {
    const known = subjects.get(name) ?? {
      last: 0,
      dueAt: undefined,
      holder: undefined,
      events: [],
      cursors: new Map(),
    };
    subjects.set(name, known);
    return known;
  };
  const earliest = (...times: readonly (number | undefined)[]) => {
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  };
  return {
    async append({ subject: name, ...event }) {
      const subject = of(name);
      subject.events.push({ ...event, subject: name, number: ++subject.last });
      subject.dueAt = event.at;
    },
    async listDue(now, limit) {
      const due = [...subjects].flatMap(([name, { dueAt, holder }]) =>
        dueAt === undefined || dueAt > now || holder !== undefined ? [] : [{ name, dueAt }],
      );
      return due
        .sort((a, b) => a.dueAt - b.dueAt)
        .slice(0, limit)
        .map(({ name }) => name);
    },
    claim: async (names, holder) =>
      names.filter((name) => {
        const subject = of(name);
        if (subject.holder !== undefined) return false;
        subject.holder = holder;
        subject.dueAt = undefined;
        return true;
      }),
    async recordAttempts(holder, settled) {
      for (const { subject: name, cursors, through, dueAt } of settled) {
        const subject = of(name);
        if (subject.holder !== holder) continue;
        for (const [receiver, cursor] of cursors) subject.cursors.set(receiver, cursor);
        subject.events = subject.events.filter((event) => event.number > through);
        if (subject.events.length === 0) subject.cursors.clear();
        subject.holder = undefined;
        subject.dueAt = earliest(subject.dueAt, dueAt);
      }
    },
    listAfter: async (name, number, limit) =>
      of(name)
        .events.filter((event) => event.number > number)
        .slice(0, limit),
    listFirst: async (names, each) => names.flatMap((name) => of(name).events.slice(0, each)),
    listCursors: async (names) =>
      names.flatMap((subject) =>
        [...of(subject).cursors].map(([receiver, cursor]) => ({ ...cursor, receiver, subject })),
      ),
    async resumeParked(receiver) {
      const parked = [...subjects.values()].filter(
        ({ cursors }) => cursors.get(receiver)?.parked === true,
      );
      for (const subject of parked) {
        subject.cursors.set(receiver, {
          ...fresh,
          delivered: subject.cursors.get(receiver)?.delivered ?? 0,
        });
        subject.dueAt = 0;
      }
      return parked.length;
    },
    async counts() {
      const all = [...subjects.values()];
      return {
        events: all.flatMap(({ events }) => events).length,
        parked: all.flatMap(({ cursors }) => [...cursors.values()]).filter(({ parked }) => parked)
          .length,
      };
    },
  };
};
