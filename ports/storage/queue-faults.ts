import { once, reads, sets, type Methods } from './methods.js';

/** Queues that jobs work through item by item. Events and deliveries to webhooks park by themselves. */
export const queueNames = [
  'compaction',
  'pending-points',
  'value-refresh',
  'output-packing',
  'experiment-removal',
  'project-removal',
  'artifact-version-removal',
  'artifact-removal',
  'registry-removal',
  'record-removal',
  'project-move',
  'stray-experiments',
  'blob-removal',
  'blob-abort',
  'upload-expiry',
  'lapsed-experiments',
] as const;
export type QueueName = (typeof queueNames)[number];

/** An item of a queue on which work failed. */
export interface QueueFault {
  readonly queue: QueueName;
  readonly item: string;
  readonly attempts: number;
  readonly firstAt: number;
  /** When it is tried again; of no meaning once it is parked. */
  readonly retryAt: number;
  /** Since when it waits for an administrator. */
  readonly parkedAt: number | undefined;
  /** Why the last attempt failed, in one line. */
  readonly reason: string;
}

/** How a queue stands. */
export interface QueueState {
  readonly queue: QueueName;
  readonly waiting: number;
  /** When its oldest item was queued, parked ones included. */
  readonly oldestAt: number | undefined;
  readonly failing: number;
  readonly parked: number;
}

export interface QueueFaultStore {
  /**
   * Notes that work on an item failed. It is held back for a while that doubles with each attempt, from ten seconds to four hours, and parked
   * after twelve attempts. Whatever lists the items of a queue leaves out those that are held back. Answers the item as it is now.
   */
  note(queue: QueueName, item: string, reason: string, at: number): Promise<QueueFault>;
  /** Those of these items on which work has failed before. */
  listFailing(queue: QueueName, items: readonly string[]): Promise<readonly string[]>;
  /** Forgets that work on items failed. */
  clear(queue: QueueName, items: readonly string[]): Promise<void>;
  /** Items that fail, parked ones first and then the longest failing, of one queue where one is named. */
  list(listing: {
    readonly queue?: QueueName;
    readonly offset: number;
    readonly limit: number;
  }): Promise<readonly QueueFault[]>;
  /** Lets an item be tried at once, with its attempts counted from zero; without one, every parked item of the queue. Answers how many. */
  retry(queue: QueueName, item: string | undefined, at: number): Promise<number>;
  /** Every queue, in the order of `queueNames`. */
  states(): Promise<readonly QueueState[]>;
  /** Forgets items that were due before and did not fail again: they are no longer in their queue. Answers how many. */
  forget(dueBefore: number): Promise<number>;
}

export const queueFaultMethods: Methods<QueueFaultStore> = {
  note: once,
  listFailing: reads,
  clear: sets,
  list: reads,
  retry: once,
  states: reads,
  forget: once,
};
