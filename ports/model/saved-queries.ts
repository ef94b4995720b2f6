import { kind } from '../api/kind.js';

/** A query that a chart names by its id. Nothing changes it. */
export interface SavedQuery {
  readonly workspaceId: string;
  readonly id: string;
  /** `undefined` for one over the whole workspace. */
  readonly projectId: string | undefined;
  readonly sql: string;
  /** Microseconds. */
  readonly createdAt: number;
  readonly createdBy: string;
}
export const savedQuery = kind<SavedQuery>()('savedQuery');
