// Actions on many runs: what is to be done, and how far it has come.
import type { RunAction, RunActionFailure, RunActionState } from '../model/run-actions.js';
import { once, reads, type Methods } from './methods.js';

export interface NewRunAction extends Pick<
  RunAction,
  'id' | 'projectId' | 'userId' | 'via' | 'keyId' | 'scope' | 'wish' | 'createdAt'
> {
  /** Keys of the runs, in the order in which they come. */
  readonly runs: readonly string[];
}

/** Failures of an action that are kept. */
export const mostRunActionFailures = 100;

export interface RunActionStore {
  insert(action: NewRunAction): Promise<void>;
  /** Without those whose project was deleted. */
  find(id: string): Promise<RunAction | undefined>;
  /** Those that are not through, the one that has waited longest first. */
  listRunning(limit: number): Promise<readonly RunAction[]>;
  /** How many of a project are not through. */
  countRunning(projectId: string): Promise<number>;
  /** The keys of its runs, in their order. */
  listRuns(id: string): Promise<readonly string[]>;
  /**
   * Notes that an action is through with its runs up to `to`; with the last one it is done. Says `false`, and notes nothing, where it is not at
   * `from`, or no longer running.
   */
  advance(
    id: string,
    step: {
      readonly from: number;
      readonly to: number;
      readonly failures: readonly RunActionFailure[];
      readonly at: number;
    },
  ): Promise<boolean>;
  /** Ends an action before it is through. Says `false` where it has ended already. */
  end(
    id: string,
    how: {
      readonly state: Exclude<RunActionState, 'running' | 'done'>;
      readonly reason?: string;
      readonly at: number;
    },
  ): Promise<boolean>;
  /** Removes actions that ended before a time, and those whose project is gone; answers how many, at most `limit`. */
  removeEnded(before: number, limit: number): Promise<number>;
}

export const runActionMethods: Methods<RunActionStore> = {
  insert: once,
  find: reads,
  listRunning: reads,
  countRunning: reads,
  listRuns: reads,
  advance: once,
  end: once,
  removeEnded: once,
};
