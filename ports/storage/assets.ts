import type {
  Asset,
  BucketUpload,
  DirectPart,
  DirectUpload,
  VersionFile,
} from '../model/assets.js';
import { once, reads, sets, type Methods } from './methods.js';

export interface AssetListing {
  readonly experimentId: string;
  /** Only this type. */
  readonly type?: string;
  readonly fileName?: string;
  readonly groupingName?: string;
  /** Only what was stored after this row. */
  readonly afterRow?: string;
  readonly limit: number;
}

export interface NameListing {
  readonly experimentIds: readonly string[];
  /** Part of a file name, in any case. */
  readonly phrase: string;
  /** Most names. */
  readonly limit: number;
}

/** A file name, and the experiments that have an asset of it, in the order of their ids. */
export interface AssetName {
  readonly fileName: string;
  readonly experimentIds: readonly string[];
}

export interface Keeping {
  /** Takes the place of the newest asset of the same file name, type, grouping and artifact version, and of one of the same id. */
  readonly replacing: boolean;
  /** Whether the asset's id was chosen by the client; else a replaced asset passes its id on. */
  readonly idGiven: boolean;
  /** Refuses one more when the experiment holds `most` assets of these types. */
  readonly limit?: { readonly types: readonly string[]; readonly most: number };
}

/** Bytes that an asset says it has. */
export interface KeptBlob {
  readonly rowId: string;
  readonly blobKey: string;
  readonly experimentId: string;
  readonly assetId: string;
  readonly size: number;
}

/**
 * What became of an asset: `present` says that its id is taken, `full` that the limit is reached, `gone` that its experiment or upload is,
 * `closed` that its artifact version takes no more files, `versionGone` that its workspace has no such version.
 */
export type Kept =
  | { readonly outcome: 'kept'; readonly id: string }
  | { readonly outcome: 'present' | 'full' | 'gone' | 'closed' | 'versionGone' };
/** The same of remote assets; `present` says that an id stands for something else already. */
export type RemoteKept = 'kept' | 'present' | 'gone' | 'closed' | 'versionGone';

export interface AssetStore {
  /** Deleted ones are not found. */
  find(experimentId: string, assetId: string): Promise<Asset | undefined>;
  findInVersion(artifactVersionId: string, assetId: string): Promise<Asset | undefined>;
  findByRow(rowId: string): Promise<Asset | undefined>;
  /** Assets of that id in any experiment, oldest first. */
  listById(assetId: string, limit: number): Promise<readonly Asset[]>;
  /** Assets of an experiment in the order of storing, without files of artifact versions and parts of other assets. */
  list(listing: AssetListing): Promise<readonly Asset[]>;
  /** File names in these experiments that contain a phrase, each once and by code points, without files of artifact versions and parts of other assets. */
  listNames(listing: NameListing): Promise<readonly AssetName[]>;
  /** Files of an artifact version in the order of storing, after `afterRow`. */
  listOfVersion(
    artifactVersionId: string,
    afterRow: string | undefined,
    limit: number,
  ): Promise<readonly VersionFile[]>;
  /** At most 1,000 parts of an asset, in the order of storing. */
  listPartsOf(experimentId: string, assetId: string): Promise<readonly Asset[]>;
  /** Models that have at least one element, at most 10,000, in the order of their names; the id of a name never changes. */
  listModels(
    experimentId: string,
  ): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** The model of that id, as `listModels` tells it. */
  findModel(
    modelId: string,
  ): Promise<{ readonly experimentId: string; readonly name: string } | undefined>;

  /** Says that bytes are about to be written under this key, so that a sweep finds them should the writer die. */
  noteUpload(blobKey: string, at: number): Promise<void>;
  /** Takes that back, once the bytes are gone. */
  forgetUpload(blobKey: string): Promise<void>;
  /** Stores an asset whose bytes are there; its key must have been noted. Bytes of a replaced asset are queued for removal. Files of another artifact version are never replaced. */
  insert(asset: Asset, keeping: Keeping): Promise<Kept>;
  /** Stores remote assets of one experiment, all or none; those that are there already, in the same artifact version or in none, are left as they are. */
  insertRemote(experimentId: string, assets: readonly Asset[]): Promise<RemoteKept>;
  /** Every read misses it from then on; its bytes and those of its parts are queued for removal. Says whether it was there; a file of an artifact version goes with its version only. */
  remove(experimentId: string, assetId: string): Promise<boolean>;
  /** Removes up to `limit` assets of a deleted experiment, save files of artifact versions. Answers how many. May be repeated. */
  purge(experimentId: string, limit: number, at: number): Promise<number>;
  /** Removes up to `limit` files of an artifact version. Answers how many. May be repeated. */
  purgeVersion(artifactVersionId: string, limit: number, at: number): Promise<number>;
  /** Adds tags at the end, without repeating one, or takes them away. Says whether the asset was there. */
  changeTags(
    experimentId: string,
    assetId: string,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<boolean>;

  insertDirect(upload: DirectUpload): Promise<void>;
  findDirect(id: string): Promise<DirectUpload | undefined>;
  /** Records a part whose key was noted; a repeated number replaces it. Says whether the upload was there and open. */
  keepPart(uploadId: string, part: DirectPart): Promise<boolean>;
  /** In the order of their numbers. */
  listParts(uploadId: string): Promise<readonly DirectPart[]>;
  /** Says what a complete upload became, so that completing it again answers the same; bytes of its parts are queued for removal. */
  finishDirect(id: string, keptAs: string, at: number): Promise<void>;
  /** Forgets an upload; bytes of its parts are queued for removal, and its upload of the bucket for being dropped unless it became an asset. Says whether it was there. */
  removeDirect(id: string, at: number): Promise<boolean>;

  /** Queues the bytes of uploads and direct uploads that began or ended before these times and were never finished. */
  expireUploads(
    before: { readonly uploads: number; readonly direct: number },
    at: number,
    limit: number,
  ): Promise<number>;
  /** Keys whose bytes are to be removed, oldest first; not those that a registered version still keeps. */
  listRemovals(limit: number): Promise<readonly string[]>;
  forgetRemovals(keys: readonly string[]): Promise<void>;
  /** Uploads of the bucket that were forgotten before they became an asset, the oldest first; they are still to be dropped there. */
  listAborts(limit: number): Promise<readonly BucketUpload[]>;
  forgetAborts(keys: readonly string[]): Promise<void>;
  /** Which of these keys, at most 1,000, belong to an asset, a file that a registered version keeps, an upload that is under way or bytes that wait for removal. */
  listKnown(blobKeys: readonly string[]): Promise<readonly string[]>;
  /** Up to `limit` assets that have bytes, in the order of storing, after that row; for audits. */
  listKept(afterRow: string | undefined, limit: number): Promise<readonly KeptBlob[]>;
  /** The same of the files that registered versions keep, each once; their assets may be gone. */
  listRegistered(afterRow: string | undefined, limit: number): Promise<readonly KeptBlob[]>;

  /** The secret by which links are signed: `offered` the first time, and ever after what was kept then. */
  keepLinkSecret(offered: string, at: number): Promise<string>;
}

export const assetMethods: Methods<AssetStore> = {
  listNames: reads,
  find: reads,
  findInVersion: reads,
  findByRow: reads,
  listById: reads,
  list: reads,
  listOfVersion: reads,
  listPartsOf: reads,
  listModels: reads,
  findModel: reads,
  noteUpload: once,
  forgetUpload: once,
  insert: once,
  insertRemote: once,
  remove: once,
  purge: once,
  purgeVersion: once,
  changeTags: sets,
  insertDirect: once,
  findDirect: reads,
  keepPart: once,
  listParts: reads,
  finishDirect: once,
  removeDirect: once,
  expireUploads: once,
  listRemovals: reads,
  forgetRemovals: sets,
  listAborts: reads,
  forgetAborts: sets,
  listKnown: reads,
  listKept: reads,
  listRegistered: reads,
  keepLinkSecret: sets,
};
