import type { Blueprint, ConfigValue, PlacedBlueprint } from '../model/agent-configs.js';
import type { PageRequest } from '../page.js';
import { once, reads, sets, type Methods } from './methods.js';

/** A value with the version of a prompt that its commit stood for when it was written, where it moves on with that prompt. */
export interface NewConfigValue extends ConfigValue {
  readonly follows: { readonly promptId: string; readonly number: number } | undefined;
}
export interface NewBlueprint extends Omit<PlacedBlueprint, 'number' | 'environments'> {
  /** Each key once. */
  readonly values: readonly NewConfigValue[];
}
/** A blueprint that the store fills in itself. */
export type EmptyBlueprint = Omit<NewBlueprint, 'values' | 'type'>;

/** A version of a prompt that takes the place of older ones. */
export interface FollowedVersion {
  readonly workspaceId: string;
  readonly promptId: string;
  readonly number: number;
  readonly commit: string;
}

/** Most keys of a configuration, and bytes of their values together; what would go beyond is refused with `unprocessable`. */
export const mostConfigKeys = 1000;
export const mostConfigBytes = 4 * 1024 * 1024;
/** Most environments of a project; one more is refused with `conflict`. */
export const mostConfigEnvironments = 1000;

/** Configurations of agents: of each project one, whose versions are numbered one after the other. */
export interface AgentConfigStore {
  /**
   * Makes the configuration of a project with its first version, to which this environment points. Rejects with `conflict` when the project has one,
   * or the workspace a blueprint of that id.
   */
  create(configId: string, first: NewBlueprint, environment: string): Promise<Blueprint>;
  /**
   * Adds the next version, or a mask. `undefined` where the project has no configuration. Rejects with `conflict` when the workspace has a
   * blueprint of that id.
   */
  add(blueprint: NewBlueprint): Promise<Blueprint | undefined>;
  /** Adds a version without these keys. `undefined` where the newest one has none of them, and where there is no configuration. */
  removeKeys(keys: readonly string[], next: EmptyBlueprint): Promise<Blueprint | undefined>;
  /** Adds a version in which values that follow the prompt have the commit of this version. `undefined` where none has an older one. */
  follow(version: FollowedVersion, next: EmptyBlueprint): Promise<Blueprint | undefined>;
  /** Projects of the workspace whose newest version has a value that follows the prompt and is older, by id, after one of them. */
  listFollowers(
    version: FollowedVersion,
    afterProjectId: string | undefined,
    limit: number,
  ): Promise<readonly string[]>;
  exists(projectId: string): Promise<boolean>;
  /** A blueprint or mask of any project of a workspace that is not deleted. */
  find(workspaceId: string, id: string): Promise<PlacedBlueprint | undefined>;
  /** In a project: by id (masks too), by number, by an environment that uses it now, or the newest. */
  findIn(
    projectId: string,
    by:
      | { readonly id: string }
      | { readonly number: number }
      | { readonly environment: string }
      | 'newest',
  ): Promise<Blueprint | undefined>;
  /** What each of these set itself, by their ids, in the order in which it was given. Rejects with `invalid` where it is too much for one reply. */
  listDeltas(
    projectId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly ConfigValue[]>>;
  /** All values of the version of a number, in the order in which they were set. */
  listValues(projectId: string, number: number): Promise<readonly ConfigValue[]>;
  /** Versions, the newest first, without masks. */
  page(
    projectId: string,
    page: PageRequest,
  ): Promise<{ readonly total: number; readonly content: readonly Blueprint[] }>;
  /**
   * Points environments, each once, at versions, all of them or none. `false` where there is no configuration, or one of the versions is not in it.
   * What an environment pointed at before is kept as ended.
   */
  setEnvironments(
    projectId: string,
    environments: readonly { readonly name: string; readonly blueprintId: string }[],
    by: { readonly at: number; readonly userName: string },
  ): Promise<boolean>;
  /** Ends what an environment points at; one that is not there is passed over. `at` is in microseconds. */
  endEnvironment(projectId: string, name: string, at: number): Promise<void>;
}

export const agentConfigMethods: Methods<AgentConfigStore> = {
  create: once,
  add: once,
  removeKeys: once,
  follow: once,
  listFollowers: reads,
  exists: reads,
  find: reads,
  findIn: reads,
  listDeltas: reads,
  listValues: reads,
  page: reads,
  setEnvironments: sets,
  endEnvironment: sets,
};
