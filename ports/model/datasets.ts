import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';
import type { Project } from './projects.js';

export const datasetTypes = ['dataset', 'evaluation_suite'] as const;
export type DatasetType = (typeof datasetTypes)[number];
export const visibilities = ['private', 'public'] as const;
export type Visibility = (typeof visibilities)[number];

/** A named collection of items, of which every change makes a version or goes into one. */
export interface Dataset extends Authorship {
  readonly workspaceId: string;
  /** Made by the client; another workspace may have the same one. */
  readonly id: string;
  /** `undefined` for one that is the workspace's. */
  readonly projectId: string | undefined;
  readonly name: string;
  readonly type: DatasetType;
  readonly visibility: Visibility;
  readonly tags: readonly string[] | undefined;
  readonly description: string | undefined;
  /** Number of its newest version; 0 while it has none. */
  readonly newest: number;
}
export const dataset = kind<Dataset>()('dataset');
/** A dataset whose items another one takes over. */
export const copiedDataset = kind<Dataset>()('copiedDataset');

export interface DatasetVersion extends Authorship {
  readonly datasetId: string;
  readonly id: string;
  /** From 1 on, without gaps. */
  readonly number: number;
  /** By which clients ask for its items; unique in the dataset. */
  readonly hash: string;
  /** Besides `latest`, which the newest one always has. */
  readonly tags: readonly string[];
  readonly newest: boolean;
  readonly itemsTotal: number;
  /** Compared with the version before; a change in place adds what it did by itself, so that an item that came and went counts as both. */
  readonly itemsAdded: number;
  readonly itemsModified: number;
  readonly itemsDeleted: number;
  readonly changeDescription: string | undefined;
  /** JSON texts. */
  readonly metadata: string | undefined;
  readonly evaluators: string | undefined;
  readonly executionPolicy: string | undefined;
}

/** Its id is the same in every version. `data`, `evaluators` and `executionPolicy` hold JSON text. */
export interface DatasetItem extends Authorship {
  readonly datasetId: string;
  readonly id: string;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly source: string;
  readonly data: string;
  readonly description: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly evaluators: string | undefined;
  readonly executionPolicy: string | undefined;
}
/** An item as the newest version of its dataset has it, and where that lies. */
export interface PlacedItem extends DatasetItem {
  readonly dataset: Dataset;
  readonly project: Project | undefined;
}
export const datasetItem = kind<PlacedItem>()('datasetItem');

/** A member of the data of some item. */
export interface DatasetColumn {
  readonly name: string;
  readonly type: 'string' | 'number' | 'object' | 'boolean' | 'array' | 'null';
}
