// Delivers events to their receivers: in order for one (receiver, subject), with growing pauses after failures, parked in the end.
import type { Clock } from '#ports/clock';
import type { DomainEvent, Subscribers } from '#ports/events';
import type { Log } from '#ports/log';
import type { Cursor, EventStore } from '#ports/storage/events';

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
  await events.writeCursor(receiver.name, subject, cursor);
  return { cursor, seen, more: cursor.delivered === seen && waiting.length === eventsAtOnce };
};

/** When a subject is to be looked at again: parked receivers wait for an administrator. */
const dueAgain = (standings: readonly Standing[], now: number): number | undefined => {
  if (standings.some(({ more }) => more)) return now;
  const behind = standings.filter(({ cursor, seen }) => cursor.delivered < seen && !cursor.parked);
  if (behind.length > 0) return Math.min(...behind.map(({ cursor }) => cursor.retryAt ?? now));
  return standings.some(({ cursor }) => cursor.parked) ? Number.MAX_SAFE_INTEGER : undefined;
};

const work = async (needs: DispatchNeeds, subject: string): Promise<number> => {
  const { events, receivers, clock, holder } = needs;
  if (!(await events.claim(subject, holder, claimMs))) return 0;
  const read = readOnce(needs, subject);
  const first = await read(0);
  const standings: Standing[] = [];
  for (const receiver of receivers) standings.push(await deliver(needs, receiver, subject, read));
  const through = standings.length === 0 ? (first.at(-1)?.number ?? 0) : Math.min(...standings.map(({ cursor }) => cursor.delivered));
  if (through > 0 && first.length > 0) await events.removeThrough(subject, through);
  await events.release(subject, holder, dueAgain(standings, clock.now()) ?? (first.length === eventsAtOnce ? clock.now() : undefined));
  return first.length;
};

/** Works through the subjects that are due; answers how many events it looked at. */
export const dispatchDue = async (needs: DispatchNeeds, signal: AbortSignal): Promise<number> => {
  let seen = 0;
  for (const subject of await needs.events.listDue(needs.clock.now(), subjectsAtOnce)) {
    if (signal.aborted) return seen;
    seen += await work(needs, subject);
  }
  return seen;
};
