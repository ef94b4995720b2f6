import type { Delivery, DeliveryState } from '../model/channels.js';

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
  readonly subjectId: string;
  readonly number: number;
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

/**
 * What waits to be told and what was, in queues of one channel and subject each. A queue is worked on by one holder at a time, in order;
 * a channel that is switched off has no queue that is due.
 */
export interface DeliveryStore {
  /**
   * Adds deliveries of one subject, one for each channel, at the end of its queue; within a transaction they stand and fall with it. Answers how many
   * were added: the same event is added to a channel once, unless it repeats another delivery.
   */
  enqueue(deliveries: readonly NewDelivery[]): Promise<number>;
  /** Channels with queues that are due at `now` and that nobody works on, the longest waiting first. */
  listDueChannels(now: number, limit: number): Promise<readonly string[]>;
  /** Subjects of such queues of one channel, the longest waiting first. */
  listDueQueues(channelId: string, now: number, limit: number): Promise<readonly string[]>;
  /** Takes or keeps queues of a channel for `ms` on the database's clock; one of several takers gets each. Answers those that this holder has. */
  claim(channelId: string, subjectIds: readonly string[], holder: string, ms: number): Promise<readonly string[]>;
  /** The first that waits in each of these queues. */
  listFirst(channelId: string, subjectIds: readonly string[]): Promise<readonly Delivery[]>;
  /** What waits in a queue after a number, in order. */
  listWaiting(channelId: string, subjectId: string, after: number, limit: number): Promise<readonly Delivery[]>;
  /**
   * Notes how attempts went, of those that were still waiting, and gives queues back, all of it or nothing: each to be due at its time; without
   * one, at once when something waits and never when nothing does.
   */
  settle(channelId: string, holder: string, attempts: readonly Attempt[], given: readonly { readonly subjectId: string; readonly dueAt: number | undefined }[]): Promise<void>;
  /** How many of a channel have arrived since a time. */
  countDelivered(channelId: string, since: number): Promise<number>;
  find(id: string): Promise<Delivery | undefined>;
  /** Newest first, with how many there are in all. */
  search(of: DeliverySearch): Promise<{ readonly total: number; readonly deliveries: readonly Delivery[] }>;
  /** Removes up to `limit` deliveries made before a time, or left by channels that are gone, and channels of models that are gone. Answers how many. */
  forget(before: number, limit: number): Promise<number>;
  counts(): Promise<{ readonly waiting: number }>;
}
