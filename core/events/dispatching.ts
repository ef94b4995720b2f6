// Delivers events to their receivers: in order for one (receiver, subject), with growing pauses after failures, parked in the end.
import type { Clock } from '#ports/clock';
import type { DomainEvent, Subscribers } from '#ports/events';
import type { Log } from '#ports/log';
import type { Cursor, EventStore, Settled } from '#ports/storage/events';

export interface Receiver {
  readonly name: string;
  readonly on: Subscribers;
}

export interface DispatchNeeds {
  readonly events: EventStore;
  readonly receivers: readonly Receiver[];
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
}

const claimMs = 60_000;
/** Subjects that are held together: what came of them is stored in one transaction, and what takes longer is left to the next round. */
const [heldAtOnce, heldMs] = [10, 20_000];
const eventsAtOnce = 100;
const subjectsAtOnce = 50;
/** Attempts after which a delivery is parked: about a day with the pauses below. */
const mostAttempts = 12;

/** Pause before the next attempt, in ms: doubling from one second, at most four hours. */
export const pauseAfter = (attempts: number): number => Math.min(1000 * 2 ** (attempts - 1), 4 * 3_600_000);

const handlersOf = ({ on }: Receiver, event: DomainEvent) => [on[event.name], on['*']].filter((handle) => handle !== undefined);

/** Where a receiver stands after a round. */
interface Standing {
  readonly cursor: Cursor;
  /** Number of the last event that was looked at for it. */
  readonly seen: number;
  /** Whether more may follow than was looked at. */
  readonly more: boolean;
}

/** Events of one subject after a number, read once however many receivers stand there. */
type Reading = (number: number) => Promise<readonly DomainEvent[]>;

const readOnce = ({ events }: DispatchNeeds, subject: string): Reading => {
  const pages = new Map<number, Promise<readonly DomainEvent[]>>();
  return (number) => {
    const page = pages.get(number) ?? events.listAfter(subject, number, eventsAtOnce);
    pages.set(number, page);
    return page;
  };
};

/** Brings one receiver as far as it goes. */
const deliver = async ({ events, clock, log }: DispatchNeeds, receiver: Receiver, subject: string, read: Reading): Promise<Standing> => {
  let cursor = await events.readCursor(receiver.name, subject);
  const waiting = await read(cursor.delivered);
  const seen = waiting.at(-1)?.number ?? cursor.delivered;
  if (cursor.parked || (cursor.retryAt !== undefined && cursor.retryAt > clock.now())) return { cursor, seen, more: false };
  for (const event of waiting) {
    try {
      for (const handle of handlersOf(receiver, event)) await handle(event);
      cursor = { delivered: event.number, attempts: 0, retryAt: undefined, parked: false };
    } catch (error) {
      const attempts = cursor.attempts + 1;
      cursor = { ...cursor, attempts, retryAt: clock.now() + pauseAfter(attempts), parked: attempts >= mostAttempts };
      log.warn(cursor.parked ? 'a delivery is parked' : 'a delivery failed and will be tried again', { receiver: receiver.name, event: event.name, eventId: event.id, attempts, error });
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

/** Works on one subject; answers what came of it, and how many events it looked at. */
const work = async (needs: DispatchNeeds, subject: string): Promise<{ readonly settled: Settled; readonly seen: number }> => {
  const { receivers, clock } = needs;
  const read = readOnce(needs, subject);
  const first = await read(0);
  const standings = new Map<string, Standing>();
  for (const receiver of receivers) standings.set(receiver.name, await deliver(needs, receiver, subject, read));
  const all = [...standings.values()];
  const through = all.length === 0 ? (first.at(-1)?.number ?? 0) : Math.min(...all.map(({ cursor }) => cursor.delivered));
  const dueAt = dueAgain(all, clock.now()) ?? (first.length === eventsAtOnce ? clock.now() : undefined);
  return { settled: { subject, cursors: new Map([...standings].map(([name, { cursor }]) => [name, cursor])), through, dueAt }, seen: first.length };
};

/** Works on subjects that are held together. One that cannot be worked on keeps its claim until that lapses, and none of the others. */
const workTogether = async (needs: DispatchNeeds, subjects: readonly string[], signal: AbortSignal): Promise<number> => {
  const { events, clock, holder } = needs;
  const until = clock.now() + heldMs;
  const settled: Settled[] = [];
  let seen = 0;
  try {
    for (const subject of subjects) {
      if (signal.aborted || clock.now() > until) { settled.push({ subject, cursors: new Map(), through: 0, dueAt: clock.now() }); continue; }
      const done = await work(needs, subject);
      settled.push(done.settled);
      seen += done.seen;
    }
  } finally {
    await events.settle(holder, settled);
  }
  return seen;
};

/** Works through the subjects that are due; answers how many events it looked at. */
export const dispatchDue = async (needs: DispatchNeeds, signal: AbortSignal): Promise<number> => {
  const due = await needs.events.listDue(needs.clock.now(), subjectsAtOnce);
  let seen = 0;
  for (let i = 0; i < due.length && !signal.aborted; i += heldAtOnce) seen += await workTogether(needs, await needs.events.claim(due.slice(i, i + heldAtOnce), needs.holder, claimMs), signal);
  return seen;
};
