import type { SavedQuery } from '../model/saved-queries.js';
import { once, reads, type Methods } from './methods.js';

/** Most saved queries of a workspace; one more is refused with `conflict`. */
export const mostSavedQueries = 10_000;

/** Queries of charts, by workspace. */
export interface SavedQueryStore {
  /** Rejects with `conflict` when the id is taken, and when the workspace has too many. */
  insert(query: SavedQuery): Promise<void>;
  find(workspaceId: string, id: string): Promise<SavedQuery | undefined>;
}

export const savedQueryMethods: Methods<SavedQueryStore> = { insert: once, find: reads };
