import { kindWithDefault } from '../api/kind.js';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly createdAt: number;
  /** How many experiments it may hold; no limit when left out. */
  readonly experimentsLimit?: number | undefined;
  /** How many bytes its assets may have together; no limit when left out. */
  readonly storageLimit?: number | undefined;
}
/** A workspace; left out, the default one of the caller. */
export const workspace = kindWithDefault<Workspace>()('workspace');
