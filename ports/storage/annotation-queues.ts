import type { FieldFilter, FieldOrder } from '../field-query.js';
import type {
  AnnotationQueue,
  FoundQueue,
  ItemLock,
  QueueItem,
  QueueScope,
} from '../model/annotation-queues.js';
import type { Touch } from '../model/authorship.js';
import { once, reads, sets, type Methods } from './methods.js';

/** What tells a queue: its id, and the project that it belongs to. */
export type QueueKey = Pick<AnnotationQueue, 'projectId' | 'id'>;

export type QueueChange = Touch &
  Partial<
    Pick<
      AnnotationQueue,
      | 'name'
      | 'description'
      | 'instructions'
      | 'commentsEnabled'
      | 'definitionNames'
      | 'annotatorsPerItem'
      | 'lockTimeoutSeconds'
      | 'automation'
      | 'annotatorView'
    >
  >;

/** What queues are sorted by. */
export const queueOrders = [
  'id',
  'project_id',
  'name',
  'description',
  'instructions',
  'created_at',
  'created_by',
  'last_updated_at',
  'last_updated_by',
] as const;

export interface QueueListing {
  readonly workspaceId: string;
  readonly projectId?: string;
  /** A part of the name, in any case. */
  readonly name?: string;
  /** By the fields of `queueOrders`, `scope` (texts; `created_at` and `last_updated_at` instants) and `feedback_definition_names` (list). */
  readonly filters: readonly FieldFilter[];
  /** By fields of `queueOrders`; between equals, and without any, the greatest id first. */
  readonly orders: readonly FieldOrder[];
  readonly offset: number;
  readonly limit: number;
}

/** How far people have come with a queue; only scores under its names, about its items, count. */
export interface QueueProgress {
  /** Each name's mean. */
  readonly scores: readonly { readonly name: string; readonly value: number }[];
  /** How many items each user has scored. */
  readonly reviewers: readonly { readonly user: string; readonly items: number }[];
}

/** What came of an attempt to lock an item. */
export type LockOutcome =
  | { readonly acquired: true; /** Ms, by the database's clock. */ readonly expiresAt: number }
  | { readonly acquired: false };

/** Queues of traces and threads that people score, by workspace. Queues of a deleted project are not found. */
export interface AnnotationQueueStore {
  /** Stores all or none. Rejects with `conflict` for an id that the workspace has. */
  insert(queues: readonly AnnotationQueue[]): Promise<void>;
  find(workspaceId: string, id: string): Promise<FoundQueue | undefined>;
  findMany(workspaceId: string, ids: readonly string[]): Promise<readonly FoundQueue[]>;
  list(
    listing: QueueListing,
  ): Promise<{ readonly total: number; readonly content: readonly FoundQueue[] }>;
  /** Decides what changes with the queue as it is; nobody changes it in between. Says whether it was there. */
  change(
    workspaceId: string,
    id: string,
    decide: (stored: AnnotationQueue) => QueueChange,
  ): Promise<boolean>;
  /** Removes queues with their items and locks; those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
  /** One of these names of scores that some queue of the workspace asks for. */
  findNameInUse(workspaceId: string, names: readonly string[]): Promise<string | undefined>;
  progress(queues: readonly FoundQueue[]): Promise<ReadonlyMap<string, QueueProgress>>;

  /** Adds items on somebody's behalf, also those that were taken out before; those that are there stay as they are. */
  addItems(queue: QueueKey, itemIds: readonly string[], at: number): Promise<void>;
  /** Adds items that were never in the queue, while it holds fewer than it may. */
  addMatching(queue: QueueKey, itemIds: readonly string[], at: number): Promise<void>;
  /** Takes items out, and away from whoever looks at them. */
  removeItems(queue: QueueKey, itemIds: readonly string[]): Promise<void>;
  /** Those of these items that are in the queue, in the order of their ids. */
  findItems(queue: QueueKey, itemIds: readonly string[]): Promise<readonly QueueItem[]>;
  /** The queues that each of these traces or threads is in, in the order of their ids. */
  listQueuesOf(
    projectId: string,
    itemIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly { readonly id: string; readonly name: string }[]>>;
  /** Queues of a project to which automation adds items of a scope, in the order of their ids; of more than 100 the first ones. */
  listAutomated(projectId: string, scope: QueueScope): Promise<readonly AnnotationQueue[]>;

  /**
   * Locks an item for somebody, or extends the lock, while fewer than `annotatorsPerItem` others hold one or have scored the item since it came to
   * the queue: also when many ask at once. The queue is as it was found. `undefined` where it does not have the item.
   */
  lock(queue: AnnotationQueue, itemId: string, user: string): Promise<LockOutcome | undefined>;
  /** Locks that have not expired, in the order of items and users; as many as fit a reply. */
  listLocks(queue: QueueKey): Promise<readonly ItemLock[]>;
  /** Ends somebody's locks of items, in whichever queues of the project. */
  release(projectId: string, itemIds: readonly string[], user: string): Promise<void>;
}

export const annotationQueueMethods: Methods<AnnotationQueueStore> = {
  insert: once,
  find: reads,
  findMany: reads,
  list: reads,
  change: once,
  remove: sets,
  findNameInUse: reads,
  progress: reads,
  addItems: sets,
  addMatching: sets,
  removeItems: sets,
  findItems: reads,
  listQueuesOf: reads,
  listAutomated: reads,
  lock: once,
  listLocks: reads,
  release: sets,
};
