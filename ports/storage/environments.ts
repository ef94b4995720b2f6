import type { Touch } from '../model/authorship.js';
import type { Environment } from '../model/environments.js';
import { once, reads, sets, type Methods } from './methods.js';

export type EnvironmentChange = Touch &
  Partial<Pick<Environment, 'name' | 'description' | 'color' | 'position'>>;

/** Environments of a workspace. */
export interface EnvironmentStore {
  /** Rejects with `conflict` when the workspace has one of that id or name. */
  insert(environment: Environment): Promise<void>;
  find(workspaceId: string, id: string): Promise<Environment | undefined>;
  /** By position, those without one last, then by id. */
  list(workspaceId: string): Promise<readonly Environment[]>;
  /** Only what is given changes. Rejects with `conflict` when the name is taken. Says whether it was there. */
  update(workspaceId: string, id: string, change: EnvironmentChange): Promise<boolean>;
  /** Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
}

export const environmentMethods: Methods<EnvironmentStore> = {
  insert: once,
  find: reads,
  list: reads,
  update: sets,
  remove: sets,
};
