import type { Delivery, DeliveryState } from '../model/channels.js';
import { once, reads, type Methods } from './methods.js';

export interface NewDelivery {
  readonly id: string;
  readonly channelId: string;
  readonly workspaceId: string;
  readonly subjectId: string;
  readonly eventId: string;
  readonly trigger: string;
  readonly content: string;
  readonly createdAt: number;
  readonly repeats?: string;
}

export interface Attempt {
  /** Of the delivery. */
  readonly id: string;
  readonly channelId: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly triedAt: number;
  readonly retryAt: number | undefined;
  readonly status: number | undefined;
  readonly durationMs: number;
  readonly reply: string | undefined;
  readonly error: string | undefined;
}

export interface DeliverySearch {
  readonly workspaceId: string;
  readonly channelId?: string;
  /** The model, or the workspace itself, that they are about. */
  readonly subjectId?: string;
  readonly state?: DeliveryState;
  readonly offset: number;
  readonly limit: number;
}

/** What waits for one channel about one subject. */
export interface Queue {
  readonly channelId: string;
  readonly subjectId: string;
}
/** A queue that is given back. */
export interface GivenQueue extends Queue {
  readonly dueAt: number | undefined;
}

/**
 * What waits to be told and what was, in queues of one channel and subject each. A queue is worked on by one holder at a time, in order;
 * a channel that is switched off has no queue that is due.
 */
export interface DeliveryStore {
  /**
   * Adds deliveries, each at the end of its queue, in the order given; within a transaction they stand and fall with it. Answers how many were
   * added: the same event is added to a channel once, unless it repeats another delivery.
   */
  enqueue(deliveries: readonly NewDelivery[]): Promise<number>;
  /** Channels with queues that are due at `now` and that nobody works on, the longest waiting first. */
  listDueChannels(now: number, limit: number): Promise<readonly string[]>;
  /** Such queues of these channels, up to a limit for each, the longest waiting of each first. */
  listDueQueues(
    channelIds: readonly string[],
    now: number,
    each: number,
  ): Promise<readonly Queue[]>;
  /** Takes or keeps queues for `ms` on the database's clock; one of several takers gets each. Answers those that this holder has. */
  claim(queues: readonly Queue[], holder: string, ms: number): Promise<readonly Queue[]>;
  /** What waits in these queues, up to a limit for each, in the order of each. */
  listWaiting(queues: readonly Queue[], each: number): Promise<readonly Delivery[]>;
  /**
   * Notes how attempts went, of those deliveries that were still waiting, and gives queues back, all of it or nothing: each to be due at its time; without
   * one, at once when something waits and never when nothing does.
   */
  recordAttempts(
    holder: string,
    attempts: readonly Attempt[],
    given: readonly GivenQueue[],
  ): Promise<void>;
  /** How many of a channel have arrived since a time. */
  countDelivered(channelId: string, since: number): Promise<number>;
  find(id: string): Promise<Delivery | undefined>;
  /** Newest first, with how many there are in all, at most `mostListed`; older ones than these are found by what they are about. */
  search(
    of: DeliverySearch,
  ): Promise<{ readonly total: number; readonly deliveries: readonly Delivery[] }>;
  /** Removes up to `limit` deliveries made before a time, or left by channels that are gone, and channels of models that are gone. Answers how many. */
  forget(before: number, limit: number): Promise<number>;
  counts(): Promise<{ readonly waiting: number }>;
}

export const deliveryMethods: Methods<DeliveryStore> = {
  enqueue: once,
  listDueChannels: reads,
  listDueQueues: reads,
  claim: once,
  listWaiting: reads,
  recordAttempts: once,
  countDelivered: reads,
  find: reads,
  search: reads,
  forget: once,
  counts: reads,
};
