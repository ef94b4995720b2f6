// The assets of many runs side by side: what they have of one type, by name or by folder, at any step.
import type { Asset } from '../model/assets.js';
import { reads, type Methods } from './methods.js';

/** Assets of one type in some experiments, of these file names, or of names that begin with a folder and its slash; files of artifact versions and parts of other assets are left out. */
export interface AssetSelection {
  readonly experimentIds: readonly string[];
  readonly type: string;
  readonly of: { readonly fileNames: readonly string[] } | { readonly folder: string };
}

/** What an experiment has under a type and a file name. Steps are `undefined` where none of them has one. */
export interface AssetsOfName {
  readonly experimentId: string;
  readonly type: string;
  readonly fileName: string;
  readonly count: number;
  readonly firstStep: number | undefined;
  readonly lastStep: number | undefined;
}

/** Characters of metadata beyond which an asset is handed out without it. */
export const mostMetadata = 16_384;

export interface MatrixPlace {
  /** `undefined` comes before every step. */
  readonly step: number | undefined;
  readonly rowId: string;
}

/** Assets are handed out without metadata that is longer than `mostMetadata`: they are many, and each may hold a mebibyte of it. */
export interface AssetMatrixStore {
  /** Names of assets of each of these experiments, in no order; only the first `perExperiment` assets of an experiment are looked at, in the order of storing. */
  listNames(listing: {
    readonly experimentIds: readonly string[];
    /** Only this type. */
    readonly type?: string;
    readonly perExperiment: number;
  }): Promise<readonly AssetsOfName[]>;
  /** The first `limit` steps at which any of these experiments has one of them, in their order. */
  listSteps(selection: AssetSelection, limit: number): Promise<readonly number[]>;
  /** Of each experiment and file name, or of each experiment where a folder is asked for, the assets with the greatest step up to `at`, or those without a step where no other is; at most `limit`, ordered by experiment, then storing. */
  listAt(selection: AssetSelection, at: number, limit: number): Promise<readonly Asset[]>;
  /** Those behind a place, ordered by step, then storing; those without a step come first. */
  listFrom(
    selection: AssetSelection,
    after: MatrixPlace | undefined,
    limit: number,
  ): Promise<readonly Asset[]>;
}

export const assetMatrixMethods: Methods<AssetMatrixStore> = {
  listNames: reads,
  listSteps: reads,
  listAt: reads,
  listFrom: reads,
};
