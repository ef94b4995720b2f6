// The one way in which a job works through a queue: an item that fails is set aside, and the others go on.
import type { Clock } from './clock.js';
import { isFailure } from './failure.js';
import type { Log } from './log.js';
import type { QueueFaultStore, QueueName } from './storage/queue-faults.js';

export interface QueueNeeds {
  readonly faults: QueueFaultStore;
  readonly clock: Clock;
  readonly log: Log;
}

export interface QueueWork<T> {
  readonly queue: QueueName;
  /** A page of the queue, without what is held back. */
  readonly items: readonly T[];
  /** Tells the items of the queue apart, in at most 200 characters. */
  readonly idOf: (item: T) => string;
  /** Does one item. It may have been begun before. */
  readonly work: (item: T) => Promise<void>;
  /** Whether a fault is nobody's in particular, such as a bucket that is away: the run ends with it, and nothing is counted. */
  readonly isOutage?: (thrown: unknown) => boolean;
  readonly signal: AbortSignal;
}

const reasonLength = 500;

/** What an administrator is told: no statement with the values that were bound to it. */
const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, reasonLength);
  const { code } = thrown as { readonly code?: unknown }; // any error may have one
  const told = isFailure(thrown)
    ? thrown.message
    : `${typeof code === 'string' ? `${code}: ` : ''}${thrown.message.split(' - ').at(-1) ?? ''}`;
  return told.slice(0, reasonLength);
};

/** Works on items one after the other until the signal aborts. What fails is noted, held back and logged, and parked in the end. Answers how many were done. */
export const workEach = async <T>(
  { faults, clock, log }: QueueNeeds,
  { queue, items, idOf, work, isOutage = () => false, signal }: QueueWork<T>,
): Promise<number> => {
  if (items.length === 0) return 0;
  const failing = new Set(await faults.listFailing(queue, items.map(idOf)));
  const recovered: string[] = [];
  let done = 0;
  try {
    for (const item of items) {
      if (signal.aborted) break;
      try {
        await work(item);
        done++;
        if (failing.has(idOf(item))) recovered.push(idOf(item));
      } catch (thrown) {
        if (isOutage(thrown)) throw thrown;
        const { attempts, parkedAt } = await faults.note(
          queue,
          idOf(item),
          reasonOf(thrown),
          clock.now(),
        );
        log.warn(
          parkedAt === undefined
            ? 'an item of a queue failed and will be tried again'
            : 'an item of a queue is parked until an administrator retries it',
          { queue, item: idOf(item), attempts, reason: reasonOf(thrown) },
        );
      }
    }
  } finally {
    if (recovered.length > 0) await faults.clear(queue, recovered);
  }
  return done;
};

/** Works on all items at once; where that fails, on each for itself, so that one is set aside and the others are done. Answers how many were. */
export const workTogether = async <T>(
  needs: QueueNeeds,
  {
    work,
    ...queue
  }: Omit<QueueWork<T>, 'work'> & { readonly work: (items: readonly T[]) => Promise<void> },
): Promise<number> => {
  const { items, signal, idOf } = queue;
  if (items.length === 0 || signal.aborted) return 0;
  try {
    await work(items);
  } catch (thrown) {
    needs.log.debug('the items of a queue are worked on one by one', {
      queue: queue.queue,
      reason: reasonOf(thrown),
    });
    return workEach(needs, { ...queue, work: (item) => work([item]) });
  }
  const recovered = await needs.faults.listFailing(queue.queue, items.map(idOf));
  if (recovered.length > 0) await needs.faults.clear(queue.queue, recovered);
  return items.length;
};
