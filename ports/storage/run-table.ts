// The experiments of a project as a table: its rows sorted by any column, in columns and not in records.
import type { Condition } from '../query.js';
import { reads, type Methods } from './methods.js';

/**
 * What the server itself keeps of a run. Times are milliseconds since the Unix epoch, `duration` is milliseconds, `archived` is 1 or 0, and
 * `tags` is the list of all of them. A run of a project is at home in it or linked into it.
 */
export const runFacts = [
  'key',
  'name',
  'state',
  'start',
  'end',
  'lastSeen',
  'duration',
  'user',
  'archived',
  'fileName',
  'filePath',
  'optimizationId',
  'codeSHA',
  'installed_packages',
  'tags',
] as const;
export type RunFact = (typeof runFacts)[number];

export const loggedKinds = ['parameter', 'other', 'metric', 'tag', 'environment'] as const;
export type LoggedKind = (typeof loggedKinds)[number];

/** Which of a value's numbers is meant: the one logged last, or the smallest or largest that was ever logged. */
export const runValues = ['last', 'min', 'max'] as const;
export type RunValue = (typeof runValues)[number];

/** A column: something that the server keeps, or a logged value by its full name, a context and its underscore before it. */
export type RunColumn =
  | { readonly kind: 'metadata'; readonly name: RunFact }
  | { readonly kind: LoggedKind; readonly name: string; readonly value: RunValue };

/** Sorts by one column: numbers first, in their order, then texts by the code points of their first 190, then runs without a value, whatever the direction. What is no finite number counts as a text. */
export interface RunSort {
  readonly column: RunColumn;
  readonly descending: boolean;
}

/** A value as it is sorted by: a finite number, the first 190 code points of a text, or `null` where there is none. */
export type SortKey = number | string | null;

/** The place of a run in an order: what it was sorted by, and its id. */
export interface RunPosition {
  readonly keys: readonly SortKey[];
  readonly id: string;
}

/** Of a run: a number, a text, all of its tags, or `null` where it has no value. A whole number beyond 2^53 that was logged as one is a text. */
export type Cell = number | string | readonly string[] | null;

export interface RunCells {
  /** One of each run, in the order of the runs. */
  readonly cells: readonly Cell[];
  /** How many of the texts are longer than 500 code points, and end there. */
  readonly cut: number;
}

export interface RunQuery {
  readonly projectId: string;
  readonly condition: Condition;
  /** Archived runs only, or only those that are not. */
  readonly archived: boolean;
  /** The first counts most; equal runs by id, in the direction of the first. Newest id first where there is none. */
  readonly sort: readonly RunSort[];
  readonly columns: readonly RunColumn[];
  /** Begins after this place of the same order. */
  readonly after?: RunPosition;
  readonly limit: number;
  /** Ends the query in the database when nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

export interface RunPage {
  /** How many runs of the project satisfy the condition, on all pages. */
  readonly total: number;
  readonly ids: readonly string[];
  readonly keys: readonly string[];
  /** In the order of the columns asked for. */
  readonly columns: readonly RunCells[];
  /** The place of the last run; `undefined` when no run follows it. */
  readonly next: RunPosition | undefined;
}

export interface RunTableStore {
  /**
   * A page of the runs of a project that satisfy a condition, with the values of some columns. What was logged before the call is seen. Rejects
   * with `unavailable` when too many searches wait, or it takes too long.
   */
  page(query: RunQuery): Promise<RunPage>;
}

export const runTableMethods: Methods<RunTableStore> = {
  page: reads,
};
