import type { SavedView, SavedViewType } from '../model/saved-views.js';
import { once, reads, sets, type Methods } from './methods.js';

export type NewSavedView = Omit<
  SavedView,
  'workspaceId' | 'projectPublic' | 'ownerName' | 'version' | 'updatedAt'
>;
export type ListedView = Omit<SavedView, 'content'>;
export type SavedViewChange = Partial<Pick<SavedView, 'name' | 'shared' | 'content'>> & {
  readonly updatedAt: number;
};

export interface SavedViewListing {
  readonly projectId: string;
  readonly type: SavedViewType;
  /** Whose own views are listed beside the shared ones. */
  readonly userId: string;
  readonly limit: number;
}

/** Views that people save of a project. Those of a deleted project are never found or listed. */
export interface SavedViewStore {
  /** Its version is 1. */
  insert(view: NewSavedView): Promise<void>;
  find(id: string): Promise<SavedView | undefined>;
  /** Shared ones and the user's own, by name and then id. */
  list(listing: SavedViewListing): Promise<readonly ListedView[]>;
  /** All there are of a project, whosever. */
  count(projectId: string): Promise<number>;
  /** Only what is given changes, and only where the view still has this version. Says whether it had. */
  update(id: string, version: number, change: SavedViewChange): Promise<boolean>;
  /** It is nobody's default any more. Says whether it was there. */
  remove(id: string): Promise<boolean>;
  /** Makes a view the default of its project and type, for one user or for everybody; with `undefined`, there is none. */
  setDefault(
    place: Pick<SavedView, 'projectId' | 'type'>,
    userId: string | undefined,
    viewId: string | undefined,
  ): Promise<void>;
  /** Ids of what everybody and this user see first; of views that the user may not see, none. */
  findDefaults(
    place: Pick<SavedView, 'projectId' | 'type'>,
    userId: string,
  ): Promise<{ readonly everybody: string | undefined; readonly own: string | undefined }>;
}

export const savedViewMethods: Methods<SavedViewStore> = {
  insert: once,
  find: reads,
  list: reads,
  count: reads,
  update: once,
  remove: once,
  setDefault: sets,
  findDefaults: reads,
};
