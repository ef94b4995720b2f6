import type { Asset } from '../model/assets.js';
import type { HistoryEntry, ModelVersion, VersionFile } from '../model/registry.js';
import type { NewEvent } from './events.js';
import { once, reads, sets, notifies, type Methods } from './methods.js';

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

/** What goes with a new version that becomes one of its model's, which was opened in the same transaction together with the experiment. */
export interface Registering {
  /** The version that is the model's highest then. */
  readonly latestId: string;
  /** What changes of the model: only what is given. */
  readonly description?: string | undefined;
  readonly public?: boolean | undefined;
  readonly history: HistoryEntry;
  /** What others are told of a version with so many files. */
  readonly event: (files: number) => NewEvent;
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

/** Deleted versions, and versions of deleted models, are never found or listed. */
export interface ModelVersionStore {
  /** Says which version is the highest, `undefined` for none, and raises or lowers the number of versions. */
  countVersions(id: string, by: 1 | -1, latestId: string | undefined): Promise<void>;
  /**
   * Stores a version and keeps the files that the experiment's model has now, so that no later change or removal of them touches it. Files that were made
   * by then and are stored later join it where the model had none of their name: clients register while they still send.
   * With `registering`, the model counts it and is changed at its time, and its history and the event are kept too. Answers how many files;
   * with 0, nothing is stored. Rejects with `conflict` when the model has that version.
   */
  insertVersion(version: NewVersion, registering?: Registering): Promise<number>;
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
}

export const modelVersionMethods: Methods<ModelVersionStore> = {
  countVersions: once,
  insertVersion: notifies('model', once),
  findVersion: reads,
  listVersions: reads,
  updateVersion: notifies('model', sets),
  readSettings: reads,
  markVersionDeleted: once,
  listFiles: reads,
  findKept: reads,
  listRecords: reads,
  appendHistory: once,
  listHistory: reads,
};
