import { once, reads, type Methods } from './methods.js';

/** What programs and people do, of which only the count is kept. */
export const usageKinds = ['sdk', 'ui'] as const;
export type UsageKind = (typeof usageKinds)[number];

/** What a user has stored in a project, also by experiments that were deleted since: what was used stays used. */
export interface Stored {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly experiments: number;
  readonly runningMs: number;
  readonly bytes: number;
  /** When the newest of them was made. */
  readonly lastAt: number;
}

/** What began on one day, counted in days since the Unix epoch. */
export interface StoredDaily {
  readonly day: number;
  readonly workspaceId: string;
  readonly userId: string;
  readonly experiments: number;
  readonly runningMs: number;
  /** Running time times the number of GPUs. */
  readonly gpuMs: number;
  readonly bytes: number;
}

/** One use of the product. */
export interface Use {
  readonly userId: string;
  /** Where it was used, where that is known. */
  readonly workspaceId: string | undefined;
  readonly kind: UsageKind;
  /** In ms; it says the day. */
  readonly at: number;
}

export interface UseCount {
  readonly userId: string;
  readonly workspaceId: string | undefined;
  readonly kind: UsageKind;
  readonly count: number;
  readonly lastAt: number;
}

/** What the experiments at home in a project hold. Deleted ones hold nothing. */
export interface ProjectUsage {
  readonly runs: number;
  /** Those of them that are archived. */
  readonly archivedRuns: number;
  readonly series: number;
  readonly points: number;
  readonly assets: number;
  readonly assetBytes: number;
  /** Of output, HTML, code and other texts. */
  readonly textBytes: number;
}

export interface UsageStore {
  /** One more of a kind. */
  count(use: Use): Promise<void>;
  /** How often, and when last, by user, workspace and kind. */
  listCounts(): Promise<readonly UseCount[]>;
  /** How much there is in the whole installation: users, experiments that are not deleted, and the bytes of their files. */
  figures(): Promise<{
    readonly users: number;
    readonly experiments: number;
    readonly bytes: number;
  }>;
  ofProject(projectId: string): Promise<ProjectUsage>;
  /** Of the experiments that were made before a time. Those whose rows are gone count by the UTC day they were made, as of its first moment. */
  listStored(before: number): Promise<readonly Stored[]>;
  /** Of those made from one time on and before another, by day; those whose rows are gone as above. */
  listDaily(from: number, before: number): Promise<readonly StoredDaily[]>;
}

export const usageMethods: Methods<UsageStore> = {
  figures: reads,
  ofProject: reads,
  count: once,
  listCounts: reads,
  listStored: reads,
  listDaily: reads,
};
