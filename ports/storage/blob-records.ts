import { once, reads, sets, type Methods } from './methods.js';

/** Bytes that an asset says it has. */
export interface KeptBlob {
  readonly rowId: string;
  readonly blobKey: string;
  readonly experimentId: string;
  readonly assetId: string;
  readonly size: number;
}

/** Which bytes rows need, and which are to be removed. */
export interface BlobRecordStore {
  /** Removes up to `limit` assets of a deleted experiment, save files of artifact versions. Answers how many. May be repeated. */
  purge(experimentId: string, limit: number, at: number): Promise<number>;
  /** Removes up to `limit` files of an artifact version. Answers how many. May be repeated. */
  purgeVersion(artifactVersionId: string, limit: number, at: number): Promise<number>;
  /** Keys whose bytes are to be removed, oldest first; not those that a registered version still keeps. */
  listRemovals(limit: number): Promise<readonly string[]>;
  forgetRemovals(keys: readonly string[]): Promise<void>;
  /** Which of these keys, at most 1,000, belong to an asset, a file that a registered version keeps, an upload that is under way or bytes that wait for removal. */
  listKnown(blobKeys: readonly string[]): Promise<readonly string[]>;
  /** Up to `limit` assets that have bytes, in the order of storing, after that row; for audits. */
  listKept(afterRow: string | undefined, limit: number): Promise<readonly KeptBlob[]>;
  /** The same of the files that registered versions keep, each once; their assets may be gone. */
  listRegistered(afterRow: string | undefined, limit: number): Promise<readonly KeptBlob[]>;
}

export const blobRecordMethods: Methods<BlobRecordStore> = {
  purge: once,
  purgeVersion: once,
  listRemovals: reads,
  forgetRemovals: sets,
  listKnown: reads,
  listKept: reads,
  listRegistered: reads,
};
