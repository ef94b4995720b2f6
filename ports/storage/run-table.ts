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
  /** How many of the texts are longer than 500 code points, and end there; 0 where they were asked for whole. */
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
  /** Leaves out how many runs there are in all, which costs as much as going through them; `total` is 0 then. */
  readonly uncounted?: boolean;
  /** Gives texts of any length, instead of what a cell shows of them. */
  readonly wholeTexts?: boolean;
  /** Ends the query in the database when nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

/** No further are runs counted beside a page: it must not wait for the number. More than an action on many runs takes, which is refused by it. */
export const mostCounted = 100_000;

export interface RunPage {
  /** How many runs of the project satisfy the condition, on all pages; at most `mostCounted`. 0 where that was not asked for. */
  readonly total: number;
  readonly ids: readonly string[];
  readonly keys: readonly string[];
  /** In the order of the columns asked for. */
  readonly columns: readonly RunCells[];
  /** The place of the last run; `undefined` when no run follows it. */
  readonly next: RunPosition | undefined;
}

/** The runs of which a table is: of a project, those that satisfy a condition, archived ones alone or only those that are not. */
export type RunSelection = Pick<RunQuery, 'projectId' | 'condition' | 'archived' | 'signal'>;

export interface GroupQuery extends RunSelection {
  /** Runs with the same values in all of these are one group; numbers that are equal, texts by their first 190 code points, and those without a value. */
  readonly by: readonly RunColumn[];
  /** What is told of the numbers of each group. */
  readonly columns: readonly RunColumn[];
  readonly limit: number;
}

/** What is told of the finite numbers of a group in a column. */
export interface GroupFigures {
  /** How many runs have a number. */
  readonly n: number;
  /** `undefined` without numbers, and with ones beyond 1e150, which have no mean in a double. */
  readonly mean: number | undefined;
  /** The standard deviation of a sample; `undefined` of fewer than two, and as the mean is. */
  readonly deviation: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export interface RunGroup {
  readonly keys: readonly SortKey[];
  readonly runs: number;
  /** In the order of the columns asked for. */
  readonly figures: readonly GroupFigures[];
}

export interface RunGroups {
  /** In the order of their keys, as runs are sorted by them ascending. */
  readonly groups: readonly RunGroup[];
  /** Whether groups follow beyond the limit. */
  readonly more: boolean;
}

export interface ColumnQuery {
  readonly projectId: string;
  /** Names that hold this text, in any case; every name when left out. */
  readonly part?: string;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** Runs of a name that are counted at most. */
export const mostCountedRuns = 1000;

/** A name that runs of a project have values under, archived runs too. */
export interface RunColumnFacts {
  readonly kind: LoggedKind;
  readonly name: string;
  /** Whether its values are finite numbers, texts, or some of each. */
  readonly type: 'number' | 'text' | 'mixed';
  /** How many runs have a value, counted up to `mostCountedRuns`. */
  readonly runs: number;
  /** The smallest and largest of the values logged last; `undefined` without numbers. */
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export interface RunColumns {
  /** By kind and name. Where there are more than the limit, it is shared out: names of every kind come, all of the kinds that have few. */
  readonly columns: readonly RunColumnFacts[];
  /** Whether names follow beyond the limit. */
  readonly more: boolean;
}

export interface FrequentValue {
  readonly value: number | string;
  readonly runs: number;
}

export interface ValueQuery extends RunSelection {
  readonly column: RunColumn;
  /** Values that begin so; a number by the text it prints as. */
  readonly prefix?: string;
  readonly limit: number;
}

/** What runs are compared by: a logged value, or a text or file by its digest. */
export interface RunContent {
  readonly runId: string;
  readonly kind: 'parameter' | 'other' | 'environment' | 'code' | 'patch';
  /** Of code, the name of the file; empty for the one text that a client may have logged as its code or patch. */
  readonly name: string;
  /** The beginning of a value, 500 code points at most; absent of code and patch, of which only the digest is told. */
  readonly text: string | undefined;
  /** Differs where the contents do; absent of a value whose text is whole. */
  readonly digest: string | undefined;
  /** How long it is in bytes, of code and patch. */
  readonly bytes: number | undefined;
}

export interface RunContents {
  readonly contents: readonly RunContent[];
  /** The packages of each run that told them, one a line. */
  readonly packages: ReadonlyMap<string, string>;
}

export interface RunTableStore {
  /**
   * A page of the runs of a project that satisfy a condition, with the values of some columns. What was logged before the call is seen. Rejects
   * with `unavailable` when too many searches wait, or it takes too long.
   */
  page(query: RunQuery): Promise<RunPage>;
  /** The same runs in groups. */
  groups(query: GroupQuery): Promise<RunGroups>;
  /** What the runs of a project have values under. */
  columns(query: ColumnQuery): Promise<RunColumns>;
  /** The values of a column, those of most runs first, equal ones in their order. */
  values(query: ValueQuery): Promise<readonly FrequentValue[]>;
  /** What these runs logged, in no order. Rejects with `invalid` when it is more than `limit` values and files. */
  contents(runIds: readonly string[], limit: number): Promise<RunContents>;
}

export const runTableMethods: Methods<RunTableStore> = {
  page: reads,
  groups: reads,
  columns: reads,
  values: reads,
  contents: reads,
};
