import type { Project, ProjectKind } from '../model/projects.js';

export interface NewProject {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly public: boolean;
  readonly kind: ProjectKind;
  readonly ownerId: string;
  readonly createdAt: number;
}

export interface ProjectChange {
  readonly name?: string;
  readonly description?: string;
  readonly public?: boolean;
  readonly ownerId?: string;
  readonly updatedAt: number;
}

/** Figures derived from a project's experiments; archived ones count, deleted ones and links do not. */
export interface ProjectFigures {
  readonly experiments: number;
  /** Newest activity in it, or its own last change when it has no experiment. */
  readonly lastUpdated: number;
}

export interface ProjectStore {
  /** Rejects with `conflict` when the workspace has a project of that name; names are told apart by case. */
  insert(project: NewProject): Promise<void>;
  findById(id: string): Promise<Project | undefined>;
  findByName(workspaceId: string, name: string): Promise<Project | undefined>;
  /** Those not deleted, in the order of their names. */
  listByWorkspace(workspaceId: string): Promise<readonly Project[]>;
  figures(projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectFigures>>;
  /** Only what is given changes. Rejects with `conflict` when the new name is taken. Says whether the project was found. */
  update(id: string, change: ProjectChange): Promise<boolean>;
  /** From then on every read misses it and its name is free. Says whether it was there. */
  markDeleted(id: string, at: number): Promise<boolean>;
  /** Gives the project and its experiments to another workspace. Rejects with `conflict` when the name is taken there. */
  moveToWorkspace(id: string, workspaceId: string, at: number): Promise<boolean>;
  readNotes(id: string): Promise<string>;
  writeNotes(id: string, notes: string): Promise<void>;
  insertShareCode(id: string, code: string, at: number): Promise<void>;
  removeShareCode(id: string, code: string): Promise<boolean>;
  /** In the order they were made. */
  listShareCodes(id: string): Promise<readonly string[]>;
  /** JSON text of one panel instance's store, `undefined` when nothing was saved. */
  readInstanceStore(id: string, instanceId: string): Promise<string | undefined>;
  writeInstanceStore(id: string, instanceId: string, content: string): Promise<void>;
}
