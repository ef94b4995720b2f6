import type { WorkspaceConfiguration } from '../model/workspace-configuration.js';
import { reads, sets, type Methods } from './methods.js';

/** One configuration a workspace. */
export interface WorkspaceConfigurationStore {
  find(workspaceId: string): Promise<WorkspaceConfiguration | undefined>;
  /** Replaces the whole of it. */
  put(workspaceId: string, configuration: WorkspaceConfiguration): Promise<void>;
  /** Says whether there was one. */
  remove(workspaceId: string): Promise<boolean>;
}

export const workspaceConfigurationMethods: Methods<WorkspaceConfigurationStore> = {
  find: reads,
  put: sets,
  remove: sets,
};
