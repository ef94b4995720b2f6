import type { Workspace } from '../model/workspaces.js';

export interface WorkspaceStore {
  /** Rejects with `conflict` when the name is taken; names are told apart by case. */
  insert(workspace: Workspace): Promise<void>;
  findById(id: string): Promise<Workspace | undefined>;
  findByName(name: string): Promise<Workspace | undefined>;
  /** In the order of their names. */
  listByIds(ids: readonly string[]): Promise<readonly Workspace[]>;
  /** Every workspace, in the order of their names: for administrators. */
  listAll(): Promise<readonly Workspace[]>;
}
