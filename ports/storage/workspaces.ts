import type { Workspace } from '../model/workspaces.js';

export interface WorkspaceStore {
  /** Rejects with `conflict` when the name is taken; names are told apart by case. */
  insert(workspace: Workspace): Promise<void>;
  findById(id: string): Promise<Workspace | undefined>;
  findByName(name: string): Promise<Workspace | undefined>;
  /** In the order of their names. */
  listByIds(ids: readonly string[]): Promise<readonly Workspace[]>;
  /** Gives what is given of a workspace; answers whether it exists. Rejects with `conflict` when the name is taken. */
  update(id: string, change: { readonly name?: string; readonly ownerId?: string; readonly experimentsLimit?: number | undefined; readonly storageLimit?: number | undefined }): Promise<boolean>;
  /** How many experiments it holds, and how many bytes their assets have; deleted ones do not count. */
  figures(id: string): Promise<{ readonly experiments: number; readonly bytes: number }>;
  /** Takes away a workspace that holds no project, with its members; answers whether it did. */
  removeEmpty(id: string): Promise<boolean>;
  /** In the order of their names, from after a name on, with how many members each has; `search` is a part of a name, in any case. */
  page(page: { readonly search?: string; readonly after?: string; readonly limit: number }): Promise<readonly (Workspace & { readonly members: number })[]>;
  /** Every workspace, in the order of their names: for administrators. */
  listAll(): Promise<readonly Workspace[]>;
}
