import type { ModelVersion, RegistryModel } from '../model/registry.js';
import { once, reads, sets, type Methods } from './methods.js';

export interface NewModel {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** By which it is found and told apart in its workspace. */
  readonly normalName: string;
  readonly description: string | undefined;
  readonly public: boolean;
  readonly userId: string;
  readonly createdAt: number;
}

export interface ModelChange {
  /** The name and its normal form go together. */
  readonly naming?: { readonly name: string; readonly normalName: string };
  readonly description?: string;
  readonly public?: boolean;
  readonly updatedAt: number;
}

/** What a list shows of a model and of its highest version, with that version's tags and metadata as JSON text: no more, since lists are long. */
export interface ListedModel {
  readonly model: Omit<RegistryModel, 'workspaceId' | 'workspaceName'>;
  readonly latest:
    | (Omit<ModelVersion, 'modelId' | 'experimentId' | 'status' | 'files' | 'tags'> & {
        readonly tags: string;
        readonly metadata: string | undefined;
      })
    | undefined;
}

/** Models and their versions. Deleted ones, and versions of deleted models, are not found by anything. */
export interface RegistryStore {
  /** Rejects with `conflict` when the workspace has a model of that normal name. */
  insertModel(model: NewModel): Promise<void>;
  /**
   * The model of that normal name in the workspace, made from this when there is none; without one to make, `undefined` then. In a transaction
   * it is held to its end, and so is an experiment that is named, as a version is to be registered from it. Rejects with `absent` when the
   * workspace is gone.
   */
  openModel(
    named: Pick<NewModel, 'workspaceId' | 'normalName'>,
    fresh: NewModel | undefined,
    experimentId?: string,
  ): Promise<RegistryModel | undefined>;
  findModel(id: string): Promise<RegistryModel | undefined>;
  findModelByName(workspaceId: string, normalName: string): Promise<RegistryModel | undefined>;
  /** Says whether it is there; within a transaction, all that changes a model or its versions begins with this, and so takes turns. */
  lockModel(id: string): Promise<boolean>;
  /** Models in the order they were made, after `afterId`. */
  listModels(
    workspaceId: string,
    afterId: string | undefined,
    limit: number,
  ): Promise<readonly ListedModel[]>;
  countModels(workspaceId: string): Promise<number>;
  /** Only what is given changes. Rejects with `conflict` when the new name is taken. Says whether it was found. */
  updateModel(id: string, change: ModelChange): Promise<boolean>;
  /** Gives it under a name to another workspace, with its versions and requests. Says whether it was found. Rejects with `conflict` when the name is taken there. */
  moveToWorkspace(
    id: string,
    to: {
      readonly workspaceId: string;
      readonly name: string;
      readonly normalName: string;
      readonly at: number;
    },
  ): Promise<boolean>;
  readNotes(id: string): Promise<string>;
  writeNotes(id: string, notes: string): Promise<void>;
  /** From then on every read misses it and its versions, and its name is free. Says whether it was there. */
  markModelDeleted(id: string, at: number): Promise<boolean>;

  /** Takes the one download that a user has in each window of the database's clock. Answers 0, or how many ms it is until the next. */
  takeDownload(userId: string, windowMs: number): Promise<number>;
}

export const registryMethods: Methods<RegistryStore> = {
  insertModel: once,
  openModel: once,
  findModel: reads,
  findModelByName: reads,
  lockModel: once,
  listModels: reads,
  countModels: reads,
  updateModel: sets,
  moveToWorkspace: once,
  readNotes: reads,
  writeNotes: sets,
  markModelDeleted: once,
  takeDownload: once,
};
