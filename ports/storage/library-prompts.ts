import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { Touch } from '../model/authorship.js';
import type { LibraryPrompt, LibraryPromptVersion } from '../model/library-prompts.js';
import { once, reads, sets, type Methods } from './methods.js';

export type NewPrompt = Omit<LibraryPrompt, 'versionCount'>;
export type NewPromptVersion = Omit<LibraryPromptVersion, 'number' | 'environments'>;
export type PromptChange = Touch & Partial<Pick<LibraryPrompt, 'name' | 'description' | 'tags'>>;

export interface PromptListing {
  readonly workspaceId: string;
  readonly projectId?: string;
  /** A part of its name, in any case. */
  readonly name?: string;
  /**
   * By `id`, `name`, `description`, `created_by`, `last_updated_by`, `template_structure` (texts), `tags` (list), `version_count` (number),
   * `created_at`, `last_updated_at` (instants).
   */
  readonly filters: readonly FieldFilter[];
  /** By the same fields; the greatest id first where this does not decide. */
  readonly orders: readonly FieldOrder[];
  readonly offset: number;
  readonly limit: number;
}

export interface PromptVersionListing {
  readonly workspaceId: string;
  readonly promptId: string;
  /** What stands in its template or in what is said of the change, in any case. */
  readonly search?: string;
  /**
   * By `id`, `commit`, `version_number` (as `v3`), `template`, `change_description`, `type`, `created_by` (texts), `tags` (list), `metadata` with a path
   * (JSON), `created_at` (instant).
   */
  readonly filters: readonly FieldFilter[];
  /** By the same fields; the newest first where this does not decide. */
  readonly orders: readonly FieldOrder[];
  readonly offset: number;
  readonly limit: number;
}

interface Listed<T> {
  readonly total: number;
  readonly content: readonly T[];
}

/** Prompts of workspaces with their versions. */
export interface LibraryPromptStore {
  /** Rejects with `conflict` when the workspace has that id, or the project (the workspace, for one without a project) that name. */
  insert(prompt: NewPrompt): Promise<void>;
  find(workspaceId: string, id: string): Promise<LibraryPrompt | undefined>;
  /** Those that are there. */
  findMany(workspaceId: string, ids: readonly string[]): Promise<readonly LibraryPrompt[]>;
  /** In a project, or among those of the workspace alone. */
  findByName(
    workspaceId: string,
    projectId: string | undefined,
    name: string,
  ): Promise<LibraryPrompt | undefined>;
  /** Of that name anywhere in the workspace: the workspace's own first, then the newest. */
  findAnywhere(workspaceId: string, name: string): Promise<LibraryPrompt | undefined>;
  list(listing: PromptListing): Promise<Listed<LibraryPrompt>>;
  /** Only what is given changes. Rejects with `conflict` when the name is taken. Says whether it was there. */
  update(workspaceId: string, id: string, change: PromptChange): Promise<boolean>;
  /** Removes them with their versions. Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
  /** Makes the next version. `undefined` where the prompt is not there. Rejects with `conflict` when it has that commit, or the workspace that id. */
  addVersion(version: NewPromptVersion): Promise<LibraryPromptVersion | undefined>;
  /** By their ids, of any prompt of the workspace. */
  findVersions(
    workspaceId: string,
    ids: readonly string[],
  ): Promise<readonly LibraryPromptVersion[]>;
  /** With several of these, the one for which all of them hold; with none, the newest. */
  findVersion(
    workspaceId: string,
    promptId: string,
    by: {
      readonly commit?: string;
      readonly number?: number;
      readonly environment?: string;
    },
  ): Promise<LibraryPromptVersion | undefined>;
  /** Of any prompt of the workspace, in the order of their ids. */
  findByCommits(
    workspaceId: string,
    commits: readonly string[],
  ): Promise<readonly LibraryPromptVersion[]>;
  /** The newest one of each prompt. */
  findNewest(
    workspaceId: string,
    promptIds: readonly string[],
  ): Promise<ReadonlyMap<string, LibraryPromptVersion>>;
  listVersions(listing: PromptVersionListing): Promise<Listed<LibraryPromptVersion>>;
  /** Gives tags to versions; with `merge`, beside those that they have. Those that are not there are passed over. */
  tagVersions(
    workspaceId: string,
    ids: readonly string[],
    tags: readonly string[],
    merge: boolean,
  ): Promise<void>;
  /** The environments that a version is for from now on; those of other versions of the prompt move here. Says whether it was there. */
  setEnvironments(
    workspaceId: string,
    versionId: string,
    environments: readonly string[],
  ): Promise<boolean>;
}

export const libraryPromptMethods: Methods<LibraryPromptStore> = {
  insert: once,
  find: reads,
  findMany: reads,
  findByName: reads,
  findAnywhere: reads,
  list: reads,
  update: sets,
  remove: sets,
  addVersion: once,
  findVersions: reads,
  findVersion: reads,
  findByCommits: reads,
  findNewest: reads,
  listVersions: reads,
  tagVersions: sets,
  setEnvironments: sets,
};
