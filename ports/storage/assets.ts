import type { Asset, VersionFile } from '../model/assets.js';
import { once, reads, sets, notifies, type Methods } from './methods.js';

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

  /** Stores an asset whose bytes are there; its key must have been noted. Bytes of a replaced asset are queued for removal. Files of another artifact version are never replaced. */
  insert(asset: Asset, keeping: Keeping): Promise<Kept>;
  /** Stores remote assets of one experiment, all or none; those that are there already, in the same artifact version or in none, are left as they are. */
  insertRemote(experimentId: string, assets: readonly Asset[]): Promise<RemoteKept>;
  /** Every read misses it from then on; its bytes and those of its parts are queued for removal. Says whether it was there; a file of an artifact version goes with its version only. */
  remove(experimentId: string, assetId: string): Promise<boolean>;
  /** Adds tags at the end, without repeating one, or takes them away. Says whether the asset was there. */
  changeTags(
    experimentId: string,
    assetId: string,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<boolean>;
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
  insert: notifies('assets', once),
  insertRemote: notifies('assets', once),
  remove: notifies('assets', once),
  changeTags: notifies('assets', sets),
};
