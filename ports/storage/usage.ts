/** What programs and people do, of which only the count is kept. */
export const usageKinds = ['sdk', 'ui'] as const;
export type UsageKind = (typeof usageKinds)[number];

/** What a user has stored in a project; archived experiments count, deleted ones do not. */
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
  readonly bytes: number;
}

export interface UsageStore {
  /** One more of a kind; `at` in ms says the day. */
  count(userId: string, kind: UsageKind, at: number): Promise<void>;
  /** How often, and when last, by user and kind. */
  listCounts(): Promise<readonly { readonly userId: string; readonly kind: UsageKind; readonly count: number; readonly lastAt: number }[]>;
  /** Of the experiments that began before a time. */
  listStored(before: number): Promise<readonly Stored[]>;
  listDaily(from: number, before: number): Promise<readonly StoredDaily[]>;
}
