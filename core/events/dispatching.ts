// Delivers events to their receivers: in order for one (receiver, subject), with growing pauses after failures, parked in the end.
import type { Clock } from '#ports/clock';
import type { DomainEvent } from '#ports/events';
import type { Log } from '#ports/log';
import type { Cursor, EventStore, Settled } from '#ports/storage/events';

/** What a receiver does about events, by their names; `*` is every event. */
export type EventHandlers = Readonly<
  Record<string, ((event: DomainEvent) => Promise<void>) | undefined>
>;

export interface Receiver {
  readonly name: string;
  readonly on: EventHandlers;
  /** Does about many events what `on` does about each, all of it or nothing; the events of one subject are in their order. */
  readonly together?: (events: readonly DomainEvent[]) => Promise<void>;
}

export interface DispatchNeeds {
  readonly events: EventStore;
  readonly receivers: readonly Receiver[];
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
  /** Waits a moment while there are requests to be answered first. */
  readonly giveWay: () => Promise<void>;
}

const claimMs = 60_000;
/** Subjects that are held together: what came of them is stored in one transaction, and what takes longer is left to the next round. */
const [heldAtOnce, heldMs] = [25, 20_000];
const eventsAtOnce = 100;
const subjectsAtOnce = 50;
/** Attempts after which a delivery is parked: about a day with the pauses below. */
const mostAttempts = 12;

/** Pause before the next attempt, in ms: doubling from one second, at most four hours. */
export const pauseAfter = (attempts: number): number =>
  Math.min(1000 * 2 ** (attempts - 1), 4 * 3_600_000);

const handlersOf = ({ on }: Receiver, event: DomainEvent) =>
  [on[event.name], on['*']].filter((handle) => handle !== undefined);

/** Where a receiver stands after a round. */
interface Standing {
  readonly cursor: Cursor;
  /** Number of the last event that was looked at for it. */
  readonly seen: number;
  /** Whether more may follow than was looked at. */
  readonly more: boolean;
}

/** What is held of one subject: its first events, where receivers stand, and what those have who took theirs together. */
interface Held {
  readonly subject: string;
  readonly first: readonly DomainEvent[];
  readonly cursors: ReadonlyMap<string, Cursor>;
  readonly standings: Map<string, Standing>;
}

const fresh: Cursor = { delivered: 0, attempts: 0, retryAt: undefined, parked: false };
const isHeldBack = ({ parked, retryAt }: Cursor, now: number): boolean =>
  parked || (retryAt !== undefined && retryAt > now);

/** Everything that subjects hold, read at once. */
const readHeld = async (
  { events }: DispatchNeeds,
  subjects: readonly string[],
): Promise<readonly Held[]> => {
  const [first, cursors] = [
    await events.listFirst(subjects, eventsAtOnce),
    await events.listCursors(subjects),
  ];
  return subjects.map((subject) => ({
    subject,
    first: first.filter((event) => event.subject === subject),
    cursors: new Map(
      cursors
        .filter((cursor) => cursor.subject === subject)
        .map(({ receiver, delivered, attempts, retryAt, parked }) => [
          receiver,
          { delivered, attempts, retryAt, parked },
        ]),
    ),
    standings: new Map(),
  }));
};

/** Events of one subject after a number, read once however many receivers stand there. */
type Reading = (number: number) => Promise<readonly DomainEvent[]>;

const readOnce = ({ events }: DispatchNeeds, { subject, first }: Held): Reading => {
  const pages = new Map<number, Promise<readonly DomainEvent[]>>();
  return async (number) => {
    const known = first.filter((event) => event.number > number);
    if (first.length < eventsAtOnce || known.length === first.length) return known;
    const page = pages.get(number) ?? events.listAfter(subject, number, eventsAtOnce);
    pages.set(number, page);
    return page;
  };
};

/** Hands a receiver what waits for it in all of these subjects, some at a time. What it does not take it gets again, one by one. */
const deliverTogether = async (
  { clock, log, giveWay }: DispatchNeeds,
  { name, together }: Receiver,
  held: readonly Held[],
  signal: AbortSignal,
): Promise<void> => {
  if (together === undefined) return;
  const waiting = held.flatMap(({ first, cursors, standings }) => {
    const cursor = cursors.get(name) ?? fresh;
    const after = first.filter((event) => event.number > cursor.delivered);
    return isHeldBack(cursor, clock.now()) ||
      cursor.attempts > 0 ||
      (first.length === eventsAtOnce && after.length < first.length)
      ? []
      : after.map((event) => ({ event, standings, more: first.length === eventsAtOnce }));
  });
  try {
    for (let at = 0; at < waiting.length && !signal.aborted; at += eventsAtOnce) {
      const some = waiting.slice(at, at + eventsAtOnce);
      if (at > 0) await giveWay();
      await together(some.map(({ event }) => event));
      for (const {
        event: { number },
        standings,
        more,
      } of some)
        standings.set(name, { cursor: { ...fresh, delivered: number }, seen: number, more });
    }
  } catch (error) {
    log.debug('events are handed on one by one', { receiver: name, error });
  }
};

/** Brings one receiver as far as it goes. */
const deliver = async (
  { clock, log }: DispatchNeeds,
  receiver: Receiver,
  given: Cursor,
  read: Reading,
): Promise<Standing> => {
  let cursor = given;
  const waiting = await read(cursor.delivered);
  const seen = waiting.at(-1)?.number ?? cursor.delivered;
  if (isHeldBack(cursor, clock.now())) return { cursor, seen, more: false };
  for (const event of waiting) {
    try {
      for (const handle of handlersOf(receiver, event)) await handle(event);
      cursor = { delivered: event.number, attempts: 0, retryAt: undefined, parked: false };
    } catch (error) {
      const attempts = cursor.attempts + 1;
      cursor = {
        ...cursor,
        attempts,
        retryAt: clock.now() + pauseAfter(attempts),
        parked: attempts >= mostAttempts,
      };
      log.warn(
        cursor.parked ? 'a delivery is parked' : 'a delivery failed and will be tried again',
        { receiver: receiver.name, event: event.name, eventId: event.id, attempts, error },
      );
      break;
    }
  }
  return { cursor, seen, more: cursor.delivered === seen && waiting.length === eventsAtOnce };
};

/** When a subject is to be looked at again: parked receivers wait for an administrator. */
const dueAgain = (standings: readonly Standing[], now: number): number | undefined => {
  if (standings.some(({ more }) => more)) return now;
  const behind = standings.filter(({ cursor, seen }) => cursor.delivered < seen && !cursor.parked);
  if (behind.length > 0) return Math.min(...behind.map(({ cursor }) => cursor.retryAt ?? now));
  return standings.some(({ cursor }) => cursor.parked) ? Number.MAX_SAFE_INTEGER : undefined;
};

const cursorsOf = ({ standings }: Held): Settled['cursors'] =>
  new Map([...standings].map(([name, { cursor }]) => [name, cursor]));

/** Works on one subject; answers what came of it. */
const work = async (needs: DispatchNeeds, held: Held): Promise<Settled> => {
  const { receivers, clock } = needs;
  const { subject, first, cursors, standings } = held;
  const read = readOnce(needs, held);
  for (const receiver of receivers) {
    const done = standings.get(receiver.name);
    if (done === undefined || done.seen < (first.at(-1)?.number ?? 0))
      standings.set(
        receiver.name,
        await deliver(needs, receiver, done?.cursor ?? cursors.get(receiver.name) ?? fresh, read),
      );
  }
  const all = [...standings.values()];
  const through =
    all.length === 0
      ? (first.at(-1)?.number ?? 0)
      : Math.min(...all.map(({ cursor }) => cursor.delivered));
  const dueAt =
    dueAgain(all, clock.now()) ?? (first.length === eventsAtOnce ? clock.now() : undefined);
  return { subject, cursors: cursorsOf(held), through, dueAt };
};

/** Works on subjects that are held together. One that cannot be worked on keeps its claim until that lapses, and none of those before it. */
const workTogether = async (
  needs: DispatchNeeds,
  subjects: readonly string[],
  signal: AbortSignal,
): Promise<number> => {
  const { events, receivers, clock, holder } = needs;
  const until = clock.now() + heldMs;
  const held = await readHeld(needs, subjects);
  const settled: Settled[] = [];
  let seen = 0;
  try {
    for (const receiver of receivers) await deliverTogether(needs, receiver, held, signal);
    for (const one of held) {
      if (signal.aborted || clock.now() > until) {
        settled.push({
          subject: one.subject,
          cursors: cursorsOf(one),
          through: 0,
          dueAt: clock.now(),
        });
        continue;
      }
      settled.push(await work(needs, one));
      seen += one.first.length;
    }
  } finally {
    await events.recordAttempts(holder, settled);
  }
  return seen;
};

/** Works through the subjects that are due; answers how many events it looked at. */
export const dispatchDue = async (needs: DispatchNeeds, signal: AbortSignal): Promise<number> => {
  const due = await needs.events.listDue(needs.clock.now(), subjectsAtOnce);
  let seen = 0;
  for (let i = 0; i < due.length && !signal.aborted; i += heldAtOnce) {
    await needs.giveWay();
    seen += await workTogether(
      needs,
      await needs.events.claim(due.slice(i, i + heldAtOnce), needs.holder, claimMs),
      signal,
    );
  }
  return seen;
};
