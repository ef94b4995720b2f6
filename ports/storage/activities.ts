import { reads, type Methods } from './methods.js';

/** Something that was made in a project. */
export interface Activity {
  readonly type: 'experiment' | 'dataset_version' | 'test_suite_version' | 'optimization';
  readonly id: string;
  /** Its own, or its dataset's where it has none. */
  readonly name: string | undefined;
  /** The dataset that it is about. */
  readonly datasetId: string | undefined;
  /** In microseconds. */
  readonly createdAt: number;
  readonly createdBy: string;
}

/** What was made in projects: evaluations, versions of datasets and optimizations. */
export interface ActivityStore {
  /** The newest first, by id. */
  list(listing: {
    readonly workspaceId: string;
    readonly projectId: string;
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly total: number; readonly content: readonly Activity[] }>;
}

export const activityMethods: Methods<ActivityStore> = { list: reads };
