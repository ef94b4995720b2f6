// One look at the database for all listeners of a process, a few times a second, and only while somebody listens.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Listening, Live, LiveMessage } from '#ports/live';
import type { HeardChange } from '#ports/model/changes';
import { rememberedMs, type ChangeStore } from '#ports/storage/changes';
import type { LiveSettings } from './settings.js';

/** A time may be seen this much later than it was given, in ms: so far back each look begins again. */
const overlapMs = 3000;
/** Changes read by one look, or by one listener that comes back; who missed more reads everything again. */
const atOnce = 5000;
/** Changes that wait for one listener: as many, and it reads everything again. */
const mostWaiting = 2000;

export interface HubNeeds {
  readonly changes: Pick<ChangeStore, 'list'>;
  /** The database's time. */
  readonly now: () => Promise<number>;
  readonly clock: Clock;
  readonly settings: Pick<
    LiveSettings,
    'ORRERY_LISTENERS_PER_PROCESS' | 'ORRERY_LISTENERS_PER_USER'
  >;
}

export interface Hub extends Live {
  /** Reads what changed and tells the listeners. Does nothing while nobody listens, or while a look is under way. */
  look(): Promise<void>;
  count(): number;
  /** Ends every listener; those who come later are ended at once. */
  end(): void;
}

interface Listener {
  readonly asks: Listening;
  readonly endsAt: number;
  readonly waiting: Map<string, HeardChange>;
  /** Whether it missed more than is known. */
  lost: boolean;
  ended: boolean;
  /** Time of the newest event that it was told. */
  at: number;
  wake: () => void;
}

const noWake = (): void => undefined;
const keyOf = ({ kind, subjectId, projectId }: HeardChange): string =>
  `${kind} ${subjectId} ${projectId}`;

const concerns = ({ asks }: Listener, change: HeardChange): boolean =>
  change.projectId === asks.projectId &&
  (asks.runs === undefined || asks.runs.has(change.experimentKey)) &&
  (change.kind !== 'model' || asks.models);

const deliver = (listener: Listener, change: HeardChange): void => {
  if (listener.ended || listener.lost || !concerns(listener, change)) return;
  const key = keyOf(change);
  listener.waiting.delete(key); // at its new place in the order
  listener.waiting.set(key, change);
  if (listener.waiting.size > mostWaiting) lose(listener);
  listener.wake();
};
const lose = (listener: Listener): void => {
  listener.waiting.clear();
  listener.lost = true;
  listener.wake();
};

const readId = (text: string): number => {
  if (!/^\d{1,15}$/.test(text))
    throw new Failure('invalid', 'Last-Event-ID must be the id of an event of this stream');
  return Number(text);
};

/** What waits for a listener, in its order; an id never goes back, so that who comes back with it misses nothing. */
const take = (listener: Listener): readonly LiveMessage[] => {
  const idAt = (at: number): string => {
    listener.at = Math.max(listener.at, at);
    return String(listener.at);
  };
  const resync: readonly LiveMessage[] = listener.lost ? [{ is: 'resync', id: idAt(0) }] : [];
  listener.lost = false;
  const waiting = [...listener.waiting.values()].sort((a, b) => a.at - b.at);
  listener.waiting.clear();
  return [
    ...resync,
    ...waiting.map((change) => ({ is: 'change', id: idAt(change.at), change }) as const),
  ];
};

export const createHub = ({ changes, now, clock, settings }: HubNeeds): Hub => {
  const listeners = new Set<Listener>();
  /** When each change was last told of, within the overlap. */
  const told = new Map<string, number>();
  let cursor: number | undefined;
  let [looking, ended] = [false, false];

  const end = (listener: Listener): void => {
    listener.ended = true;
    listeners.delete(listener);
    listener.waiting.clear();
    listener.wake();
  };
  const requireRoom = (userId: string): void => {
    const { ORRERY_LISTENERS_PER_PROCESS: most, ORRERY_LISTENERS_PER_USER: own } = settings;
    const mine = [...listeners].filter(({ asks }) => asks.userId === userId).length;
    if (mine >= own)
      throw new Failure('throttled', `a user may listen ${own} times at once`, { retryAfter: 30 });
    if (listeners.size >= most)
      throw new Failure('throttled', `this server has ${most} listeners, as many as it may`, {
        retryAfter: 30,
      });
  };
  /** What a listener missed while it was away. */
  const catchUp = async (listener: Listener, after: number, present: number): Promise<void> => {
    if (after < present - rememberedMs + overlapMs || after > present + overlapMs) {
      lose(listener);
      return;
    }
    const missed = await changes.list({
      after: after - overlapMs,
      projectIds: [listener.asks.projectId],
      limit: atOnce,
    });
    if (missed.length >= atOnce) lose(listener);
    else for (const change of missed) deliver(listener, change);
  };
  async function* events(
    listener: Listener,
    after: number | undefined,
  ): AsyncIterable<readonly LiveMessage[]> {
    try {
      const present = await now();
      listener.at = after !== undefined && after <= present ? after : present;
      if (after !== undefined) await catchUp(listener, after, present);
      if (after === undefined || listener.lost) listener.at = present;
      yield [{ is: 'ready', id: String(listener.at) }];
      for (;;) {
        const some = take(listener);
        if (some.length > 0) yield some;
        if (listener.ended || listener.asks.forMs === 0) return;
        if (listener.waiting.size === 0 && !listener.lost)
          await new Promise<void>((wake) => {
            listener.wake = wake;
          });
        listener.wake = noWake;
      }
    } finally {
      end(listener);
    }
  }

  const lookOnce = async (): Promise<void> => {
    const present = await now();
    const after = (cursor ?? present) - overlapMs;
    const projectIds = [...new Set([...listeners].map(({ asks }) => asks.projectId))];
    const found = await changes.list({ after, projectIds, limit: atOnce });
    if (found.length >= atOnce) {
      for (const listener of listeners) lose(listener);
      cursor = present;
      return;
    }
    for (const change of found) {
      const key = keyOf(change);
      if (told.get(key) === change.at) continue;
      told.set(key, change.at);
      for (const listener of listeners) deliver(listener, change);
    }
    for (const [key, at] of told) if (at <= after) told.delete(key);
    cursor = present;
  };
  return {
    async listen(asks) {
      const after = asks.after === undefined ? undefined : readId(asks.after);
      requireRoom(asks.userId);
      const endsAt = asks.forMs === undefined ? Infinity : clock.now() + asks.forMs;
      const listener: Listener = {
        asks,
        endsAt,
        waiting: new Map(),
        lost: false,
        ended: false,
        at: 0,
        wake: noWake,
      };
      // From now on, so that nothing is missed between what it catches up on and what it hears.
      listeners.add(listener);
      if (asks.signal.aborted || ended) end(listener);
      asks.signal.addEventListener('abort', () => {
        end(listener);
      });
      return events(listener, after);
    },
    async look() {
      for (const listener of listeners) if (listener.endsAt <= clock.now()) end(listener);
      if (listeners.size === 0) {
        cursor = undefined;
        told.clear();
      }
      if (looking || listeners.size === 0) return;
      looking = true;
      try {
        await lookOnce();
      } finally {
        looking = false;
      }
    },
    count: () => listeners.size,
    end() {
      ended = true;
      for (const listener of listeners) end(listener);
    },
  };
};
