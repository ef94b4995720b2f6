import type { FieldOrder } from '../field-query.js';
import type { Project, ProjectKind } from '../model/projects.js';
import type { Page, PageRequest } from '../page.js';
import { changesExperiments, once, reads, sets, type Methods } from './methods.js';

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

/** Something of the workspace that a project's experiments have made. */
export interface ProjectProduct {
  readonly kind: 'artifact' | 'model';
  readonly id: string;
  readonly name: string;
  /** Experiments of other projects have made versions of it as well. */
  readonly shared: boolean;
}

/** Some projects of a workspace. */
export interface ProjectListing extends PageRequest {
  readonly workspaceId: string;
  /** A part of the name, in any case. */
  readonly name?: string | undefined;
  /** By fields of `projectFields`; without any, and between equals, by id from the greatest. */
  readonly orders: readonly FieldOrder[];
}
/** What projects are sorted by. */
export const projectFields = [
  'id',
  'name',
  'description',
  'created_at',
  'last_updated_at',
  'created_by',
  'last_updated_by',
  'last_updated_trace_at',
] as const;
/** A project and when its newest trace was changed, in microseconds. */
export type TracedProject = Project & { readonly lastTraceAt: number | undefined };

export interface ProjectStore {
  /** Rejects with `conflict` when the workspace has a project of that name, names being told apart by case, and with `absent` when the workspace is gone. */
  insert(project: NewProject): Promise<void>;
  findById(id: string): Promise<Project | undefined>;
  findByName(workspaceId: string, name: string): Promise<Project | undefined>;
  /** The one whose name is the same but for capitals and outer blanks; of several the oldest. */
  findByFoldedName(workspaceId: string, name: string): Promise<Project | undefined>;
  page(listing: ProjectListing): Promise<Page<TracedProject>>;
  /** When the newest trace of each of these projects was changed, in microseconds; those without a trace are left out. */
  listTraceTimes(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Those not deleted, in the order of their names. */
  listByWorkspace(workspaceId: string): Promise<readonly Project[]>;
  /** Of a project with 20,000 experiments or more they may be those of a while ago, and are counted anew when they are asked for. */
  figures(projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectFigures>>;
  /** Only what is given changes. Rejects with `conflict` when the new name is taken. Says whether the project was found. */
  update(id: string, change: ProjectChange): Promise<boolean>;
  /** Inside a transaction: keeps everybody from placing an experiment in the project, moving or deleting it until the transaction ends. Says whether it is there. */
  lock(id: string): Promise<boolean>;
  /**
   * From then on every read misses it and its name is free. Says whether it was there. Experiments that are in it then, or turn up in it, go with
   * it; with `keepsExperiments` they are moved out later: to the project that has its name by then, else the project comes back.
   */
  markDeleted(
    id: string,
    at: number,
    options?: { readonly keepsExperiments?: boolean },
  ): Promise<boolean>;
  /** Gives the project and its experiments to another workspace. Rejects with `conflict` when the name is taken there, and with `absent` when that workspace is gone. */
  moveToWorkspace(id: string, workspaceId: string, at: number): Promise<boolean>;
  /** Artifacts and registered models of its workspace with a version that an experiment at home in the project has made, by kind and id; up to a limit of each. */
  listProducts(id: string, limit: number): Promise<readonly ProjectProduct[]>;
  readNotes(id: string): Promise<string>;
  writeNotes(id: string, notes: string): Promise<void>;
  insertShareCode(id: string, code: string, at: number): Promise<void>;
  removeShareCode(id: string, code: string): Promise<boolean>;
  /** In the order they were made. */
  /** The project that a code shares, unless it was deleted. */
  findByShareCode(code: string): Promise<Project | undefined>;
  listShareCodes(id: string): Promise<readonly string[]>;
  /** JSON text of one panel instance's store, `undefined` when nothing was saved. */
  readInstanceStore(id: string, instanceId: string): Promise<string | undefined>;
  writeInstanceStore(id: string, instanceId: string, content: string): Promise<void>;
}

export const projectMethods: Methods<ProjectStore> = {
  findByShareCode: reads,
  insert: once,
  findById: reads,
  findByName: reads,
  findByFoldedName: reads,
  page: reads,
  listTraceTimes: reads,
  listByWorkspace: reads,
  figures: reads,
  update: changesExperiments(sets),
  lock: once,
  markDeleted: changesExperiments(once),
  moveToWorkspace: changesExperiments(once),
  listProducts: reads,
  readNotes: reads,
  writeNotes: sets,
  insertShareCode: once,
  removeShareCode: once,
  listShareCodes: reads,
  readInstanceStore: reads,
  writeInstanceStore: sets,
};
