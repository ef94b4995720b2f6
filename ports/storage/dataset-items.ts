import type { FieldFilter } from '../field-query.js';
import type { Touch } from '../model/authorship.js';
import type { DatasetColumn, DatasetItem, DatasetVersion } from '../model/datasets.js';
import type { PageRequest } from '../page.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Into which version a change goes. */
export type VersionTarget =
  /** The newest one, made where there is none. */
  | { readonly into: 'newest' }
  /** The one of a group of requests, made where there is none: also when they come at once. */
  | { readonly into: 'group'; readonly groupId: string }
  /** A new one. With `base`, only while the version of that id is the newest, or, for `undefined`, while there is none. */
  | { readonly into: 'fresh'; readonly base?: { readonly id: string | undefined } };

/** What a version says of itself; what is left out is taken over from the version before. */
export interface VersionSettings {
  readonly tags?: readonly string[];
  readonly changeDescription?: string;
  /** JSON texts; null takes them away. */
  readonly metadata?: string | null;
  readonly evaluators?: string | null;
  readonly executionPolicy?: string | null;
}

/** What becomes of items. */
export interface ItemDecision {
  /** As they are from this version on. */
  readonly put: readonly DatasetItem[];
  readonly removed: readonly string[];
  readonly columns: readonly DatasetColumn[];
}

export interface ItemChange {
  readonly workspaceId: string;
  readonly datasetId: string;
  readonly target: VersionTarget;
  /** The items that may change. */
  readonly ids: readonly string[];
  /** Of a version that has to be made. */
  readonly versionId: string;
  readonly settings?: VersionSettings;
  readonly touch: Touch;
  /** Decides with the items as they are in that version; may be asked again. */
  decide(stored: ReadonlyMap<string, DatasetItem>): ItemDecision;
}

export interface ItemListing {
  readonly workspaceId: string;
  readonly datasetId: string;
  /** The number of a version; the newest one where left out. */
  readonly version?: number;
  /**
   * By `id`, `source`, `trace_id`, `span_id`, `created_by`, `last_updated_by`, `full_data` (texts), `data` with a key (JSON), `tags` (list),
   * `created_at`, `last_updated_at` (instants).
   */
  readonly filters: readonly FieldFilter[];
  /** Only those whose id comes before this one. */
  readonly beforeId?: string;
  readonly offset?: number;
  readonly limit: number;
  /**
   * How many bytes the data of all items may have together; any number when left out. The list ends before the one that is too much, never before
   * the first. With an offset it is refused: what lies behind is counted by it.
   */
  readonly mostBytes?: number;
}

/** How two versions differ, by the number of items. */
export interface VersionDifference {
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  readonly unchanged: number;
}

/** Items of datasets and their versions. A version costs what changed in it, and stays as it was when later ones are made. */
export interface DatasetItemStore {
  /**
   * Changes items in one version, all or none; nobody changes the dataset in between. No version is made where nothing changes, unless a new one
   * is asked for. Answers the version, the newest one where none was made; `undefined` where the dataset is not there. Rejects with `conflict`
   * for a stale base, and for a tag that the dataset has already.
   */
  change(change: ItemChange): Promise<DatasetVersion | undefined>;
  /** Items as the newest version of their datasets has them, of any dataset of the workspace; of one that several datasets have, as a copy keeps its ids, the one that was changed last comes last. */
  findMany(workspaceId: string, ids: readonly string[]): Promise<readonly DatasetItem[]>;
  /** What is said of items, by their ids, of any dataset of the workspace; those of which nothing is said are left out. Of one that several datasets have, the one that was changed last says it. */
  findDescriptions(
    workspaceId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
  /** These items of a dataset as a version has them; those that it does not have, and all where no version is named, as they were last. Rejects with `invalid` where their data is too much together. */
  findAsOf(
    workspaceId: string,
    datasetId: string,
    ids: readonly string[],
    version: number | undefined,
  ): Promise<readonly DatasetItem[]>;
  /** Of a version, the greatest id first. Rejects with `invalid` where the data behind an offset is too much for `mostBytes`. */
  list(listing: ItemListing): Promise<readonly DatasetItem[]>;
  count(listing: Omit<ItemListing, 'limit' | 'mostBytes'>): Promise<number>;
  /** Every member that the data of an item has ever had, by name. */
  listColumns(workspaceId: string, datasetId: string): Promise<readonly DatasetColumn[]>;
  findVersion(
    workspaceId: string,
    datasetId: string,
    by:
      | { readonly id: string }
      | { readonly number: number }
      | { readonly hash: string }
      | { readonly tag: string }
      | 'newest',
  ): Promise<DatasetVersion | undefined>;
  /** By their ids, of any dataset of the workspace. */
  findVersions(workspaceId: string, ids: readonly string[]): Promise<readonly DatasetVersion[]>;
  /** The newest one of each dataset. */
  findNewest(
    workspaceId: string,
    datasetIds: readonly string[],
  ): Promise<ReadonlyMap<string, DatasetVersion>>;
  /** The newest first. */
  listVersions(
    workspaceId: string,
    datasetId: string,
    page: PageRequest,
  ): Promise<{ readonly total: number; readonly content: readonly DatasetVersion[] }>;
  /** Makes a new version with the items of an older one. `undefined` where that is not there. */
  restore(restoring: {
    readonly workspaceId: string;
    readonly datasetId: string;
    readonly number: number;
    readonly versionId: string;
    readonly changeDescription: string;
    readonly touch: Touch;
  }): Promise<DatasetVersion | undefined>;
  compare(
    workspaceId: string,
    datasetId: string,
    from: number,
    to: number,
  ): Promise<VersionDifference>;
  describeVersion(
    workspaceId: string,
    datasetId: string,
    number: number,
    change: Touch & { readonly changeDescription?: string },
  ): Promise<void>;
  /** Rejects with `conflict` for a tag that another version has. */
  tagVersion(
    workspaceId: string,
    datasetId: string,
    number: number,
    tags: readonly string[],
  ): Promise<void>;
  untagVersion(workspaceId: string, datasetId: string, number: number, tag: string): Promise<void>;
}

export const datasetItemMethods: Methods<DatasetItemStore> = {
  change: once,
  findMany: reads,
  findDescriptions: reads,
  findAsOf: reads,
  list: reads,
  count: reads,
  listColumns: reads,
  findVersion: reads,
  findVersions: reads,
  findNewest: reads,
  listVersions: reads,
  restore: once,
  compare: reads,
  describeVersion: sets,
  tagVersion: once,
  untagVersion: sets,
};
