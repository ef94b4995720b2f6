import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

export const queueScopes = ['trace', 'thread'] as const;
export type QueueScope = (typeof queueScopes)[number];

export const scoreOperators = ['>', '<', '='] as const;
/** What the mean of an item's scores of a name must be. */
export interface ScoreCondition {
  readonly scoreName: string;
  readonly operator: (typeof scoreOperators)[number];
  readonly value: number;
}

/** What adds items by itself when they are scored. */
export interface QueueAutomation {
  readonly enabled: boolean;
  /** An item is added for which every condition of one group holds. */
  readonly groups: readonly (readonly ScoreCondition[])[];
  /** As many items as the queue may hold for automation to add more; people may. */
  readonly mostItems?: number;
}

/** Traces or threads of a project that people look through and score. */
export interface AnnotationQueue extends Authorship {
  readonly workspaceId: string;
  /** Made by the client; another workspace may have the same one. */
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly instructions: string | undefined;
  readonly scope: QueueScope;
  readonly commentsEnabled: boolean;
  /** Names of the scores that people give here. */
  readonly definitionNames: readonly string[];
  readonly annotatorsPerItem: number;
  readonly lockTimeoutSeconds: number;
  readonly automation: QueueAutomation | undefined;
  /** JSON text. */
  readonly annotatorView: string | undefined;
}
/** One as it is found: with the name of its project and the number of its items. */
export interface FoundQueue extends AnnotationQueue {
  readonly projectName: string;
  readonly itemsCount: number;
}
export const annotationQueue = kind<FoundQueue>()('annotationQueue');

export const itemSources = ['manual', 'automated'] as const;
export interface QueueItem {
  readonly id: string;
  readonly source: (typeof itemSources)[number];
}

/** Who looks at an item at the moment. */
export interface ItemLock {
  readonly itemId: string;
  readonly lockedBy: string;
  /** Ms, by the database's clock. */
  readonly expiresAt: number;
}
