import { kind } from '../api/kind.js';

/** What a view shows: the table of runs, or panels of charts. */
export const savedViewTypes = ['runs', 'panels', 'traces'] as const;
export type SavedViewType = (typeof savedViewTypes)[number];

/** What somebody chose to look at in a project: columns, filters, sorting, panels. */
export interface SavedView {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  /** Whether the project is public, so that others may read shared views of it. */
  readonly projectPublic: boolean;
  readonly type: SavedViewType;
  readonly name: string;
  /** For everybody who may read the project; its owner's alone without it. */
  readonly shared: boolean;
  readonly ownerId: string;
  /** Empty where the account is gone. */
  readonly ownerName: string;
  /** JSON text of an object, as the page wrote it. */
  readonly content: string;
  /** From 1 on; one more with every change. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}
export const savedView = kind<SavedView>()('savedView');
