import type { Project } from '../model/projects.js';
import type { Workspace } from '../model/workspaces.js';
import { port } from '../port.js';
import { changesExperiments, once, reads, sets, type Methods } from './methods.js';

/** Something that is there although what it belongs to is gone. */
export interface Orphan {
  readonly kind: 'project' | 'artifact' | 'registered model' | 'experiment' | 'asset';
  readonly id: string;
  /** What it belonged to. */
  readonly ownerId: string;
}

export interface WorkspaceStore {
  /** Rejects with `conflict` when the name is taken; names are told apart by case. */
  insert(workspace: Workspace): Promise<void>;
  findById(id: string): Promise<Workspace | undefined>;
  findByName(name: string): Promise<Workspace | undefined>;
  /** In the order of their names. */
  listByIds(ids: readonly string[]): Promise<readonly Workspace[]>;
  /** Gives what is given of a workspace; answers whether it exists. Rejects with `conflict` when the name is taken. */
  update(
    id: string,
    change: {
      readonly name?: string;
      readonly ownerId?: string;
      readonly experimentsLimit?: number | undefined;
      readonly storageLimit?: number | undefined;
    },
  ): Promise<boolean>;
  /** How many experiments it holds, and how many bytes they have: assets, parts of uploads that are not complete, texts and output, and an estimate of values and metrics. Deleted ones do not count. */
  figures(id: string): Promise<{ readonly experiments: number; readonly bytes: number }>;
  /**
   * Inside a transaction: keeps every other holder of the workspace waiting until it ends, and with them whoever makes a project, an artifact or a
   * registered model there. Lock a workspace before anything in it, and several in the order of their ids. Answers it as it is now.
   */
  lock(id: string): Promise<Workspace | undefined>;
  /** Takes away a workspace that holds no project, artifact or registered model, with what is of it alone: members, invitations, panels, channels and optimizers. Answers whether it did. */
  removeEmpty(id: string): Promise<boolean>;
  /** Marks every project with its experiments, every artifact and every registered model of a workspace deleted, so that it is empty. */
  markContentsDeleted(id: string, at: number): Promise<void>;
  /** What belongs to a workspace, project or experiment that is gone; nothing, unless something went wrong. At most `limit` of each kind. */
  listOrphans(limit: number): Promise<readonly Orphan[]>;
  /** In the order of their names, from after a name on, with how many members each has; `search` is a part of a name, in any case. */
  page(page: {
    readonly search?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly (Workspace & { readonly members: number })[]>;
  /** Every workspace, in the order of their names: for administrators. */
  listAll(): Promise<readonly Workspace[]>;
}

/** Finds where something is to be made, for requests that make many. What it tells may be up to 5 s old where another process changed it. */
export interface PlaceFinder {
  findWorkspace(name: string): Promise<Workspace | undefined>;
  findWorkspaceById(id: string): Promise<Workspace | undefined>;
  findProject(workspaceId: string, name: string): Promise<Project | undefined>;
}
export const PlaceFinder = port<PlaceFinder>('place-finder');

export const workspaceMethods: Methods<WorkspaceStore> = {
  insert: once,
  findById: reads,
  findByName: reads,
  listByIds: reads,
  update: changesExperiments(sets),
  figures: reads,
  lock: once,
  removeEmpty: changesExperiments(once),
  markContentsDeleted: changesExperiments(sets),
  listOrphans: reads,
  page: reads,
  listAll: reads,
};
