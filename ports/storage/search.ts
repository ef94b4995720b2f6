import type { Condition, SubjectKind } from '../query.js';
import { reads, sets, type Methods } from './methods.js';

export interface SearchOptions {
  /** Archived experiments only, or only those that are not. */
  readonly archived: boolean;
  readonly sortBy?: 'startTime' | 'endTime';
  /** Newest first unless it says otherwise. */
  readonly ascending?: boolean;
  /** Counted from 0. */
  readonly offset?: number;
  /** Without it, everything. */
  readonly limit?: number;
  /** Ends the search in the database when nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

export interface FoundExperiment {
  readonly id: string;
  readonly key: string;
  readonly startTimeMillis: number;
}

/** A name that some experiment of a project has a value under. */
export interface NameInUse {
  readonly kind: Exclude<SubjectKind, 'metadata'>;
  readonly name: string;
  /** Whether its newest value is a number. */
  readonly numeric: boolean;
}

export interface SearchStore {
  /**
   * Experiments at home in a project, and those linked into it, of which the condition is true, in the sense of `Comparison`. What was
   * logged before the call is seen. Rejects with `unavailable` when too many searches wait, or it takes too long. Sorted by start, newest first, unless the options say otherwise; equal times by id in the same direction.
   */
  find(
    projectId: string,
    condition: Condition,
    options: SearchOptions,
  ): Promise<readonly FoundExperiment[]>;
  /** Names in use in a project, those of linked experiments too, each once, ordered by kind and name. A name may outlive the last experiment that had it. */
  columns(projectId: string): Promise<readonly NameInUse[]>;
  /**
   * Looks at some of the names of all projects behind a place, in an order of its own. One under which no experiment has a value is marked, one that has come
   * into use again is not marked any more, and one that is not in use and was marked at `before` or earlier is removed; what is written meanwhile keeps its
   * name where `before` lies `namesRememberedMs` back. Answers the place to go on from, nothing at the end.
   */
  forgetNames(
    after: string | undefined,
    times: { readonly now: number; readonly before: number },
    limit: number,
  ): Promise<string | undefined>;
}

/** For how long a process may take a name for noted, because it noted it or saw it in use. */
export const namesRememberedMs = 6 * 3_600_000;

export const searchMethods: Methods<SearchStore> = {
  find: reads,
  columns: reads,
  forgetNames: sets,
};
