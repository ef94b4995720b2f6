import type { Asset } from '../model/assets.js';
import type { HistoryEntry, ModelVersion, RegistryModel, VersionFile } from '../model/registry.js';
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

export interface NewVersion extends Omit<ModelVersion, 'files' | 'userName' | 'updatedAt'> {
  readonly userId: string;
}

export interface VersionChange {
  readonly comment?: string;
  readonly tags?: readonly string[];
  readonly status?: string;
  /** JSON text. */
  readonly metadata?: string;
  /** JSON text. */
  readonly statusConfiguration?: string;
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

/** Where a version is registered that was made from a model of an experiment. */
export interface RegistryRecord {
  readonly experimentModelName: string;
  readonly modelId: string;
  readonly modelName: string;
  readonly versionId: string;
  readonly version: string;
  readonly createdAt: number;
}

/** A kept file and where it belongs. */
export interface KeptFile {
  readonly asset: Asset;
  readonly workspaceId: string;
  /** Whether its model is public. */
  readonly public: boolean;
}

export interface FileListing {
  readonly modelId: string;
  readonly versionIds: readonly string[];
  /** Only what was stored after this row of an asset; for one version. */
  readonly afterRow?: string;
  readonly limit: number;
}

/** Models and their versions. Deleted ones, and versions of deleted models, are not found by anything. */
export interface RegistryStore {
  /** Rejects with `conflict` when the workspace has a model of that normal name. */
  insertModel(model: NewModel): Promise<void>;
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
  /** Says which version is the highest, `undefined` for none, and raises or lowers the number of versions. */
  countVersions(id: string, by: 1 | -1, latestId: string | undefined): Promise<void>;
  readNotes(id: string): Promise<string>;
  writeNotes(id: string, notes: string): Promise<void>;
  /** From then on every read misses it and its versions, and its name is free. Says whether it was there. */
  markModelDeleted(id: string, at: number): Promise<boolean>;

  /**
   * Stores a version and keeps the files that the experiment's model has now, so that no later change or removal of them touches it.
   * Answers how many files; with 0, nothing is stored. Rejects with `conflict` when the model has that version.
   */
  insertVersion(version: NewVersion): Promise<number>;
  findVersion(id: string): Promise<ModelVersion | undefined>;
  /** In the order they were made. */
  listVersions(modelId: string): Promise<readonly ModelVersion[]>;
  /** Only what is given changes. Says whether it was found. */
  updateVersion(id: string, change: VersionChange): Promise<boolean>;
  /** JSON texts that were last written, `undefined` for none. */
  readSettings(id: string): Promise<{
    readonly metadata: string | undefined;
    readonly statusConfiguration: string | undefined;
  }>;
  /** From then on every read misses it, and its number is free. Says whether it was there. */
  markVersionDeleted(id: string, at: number): Promise<boolean>;
  /** Files by version id and order of storing. */
  listFiles(listing: FileListing): Promise<readonly VersionFile[]>;
  /** Files that versions keep of an asset of this experiment, named by its id or by its row; the newest first. */
  findKept(experimentKey: string, asset: string): Promise<readonly KeptFile[]>;
  /** Versions made from models of an experiment, in the order they were made. */
  listRecords(experimentId: string): Promise<readonly RegistryRecord[]>;

  appendHistory(entry: HistoryEntry): Promise<void>;
  /** Newest first. */
  listHistory(modelId: string, versionId: string, limit: number): Promise<readonly HistoryEntry[]>;
  /** Takes the one download that a user has in each window of the database's clock. Answers 0, or how many ms it is until the next. */
  takeDownload(userId: string, windowMs: number): Promise<number>;
}

export const registryMethods: Methods<RegistryStore> = {
  insertModel: once,
  findModel: reads,
  findModelByName: reads,
  lockModel: once,
  listModels: reads,
  countModels: reads,
  updateModel: sets,
  moveToWorkspace: once,
  countVersions: once,
  readNotes: reads,
  writeNotes: sets,
  markModelDeleted: once,
  insertVersion: once,
  findVersion: reads,
  listVersions: reads,
  updateVersion: sets,
  readSettings: reads,
  markVersionDeleted: once,
  listFiles: reads,
  findKept: reads,
  listRecords: reads,
  appendHistory: once,
  listHistory: reads,
  takeDownload: once,
};
