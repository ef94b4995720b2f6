import type { ClaimedPromptRun, PromptRun } from '../model/prompt-runs.js';
import { once, sets, type Methods } from './methods.js';

type Key = Pick<PromptRun, 'workspaceId' | 'evaluationId'>;

/** Prompts of a workspace that may run at once; one more is refused with `conflict`. */
export const mostPromptRuns = 100;

/** Prompts that run over datasets. All times are those of the database's clock. */
export interface PromptRunStore {
  /** Stores all or none, each due at once. Rejects with `conflict` for an evaluation that has one, and where a workspace would have too many. */
  insert(runs: readonly PromptRun[]): Promise<void>;
  /** Claims those that have waited longest and are due, for so long (ms): of any number of claimants one gets each. */
  claim(holder: string, limit: number, ms: number): Promise<readonly ClaimedPromptRun[]>;
  /** Notes up to which item it is done, and gives it back, behind all that is due; unless the holder lost it. */
  advance(holder: string, key: Key, doneId: string): Promise<void>;
  /** Gives it back, to be claimed again after a while (ms), as if it had not been claimed; unless the holder lost it. */
  postpone(holder: string, key: Key, delayMs: number): Promise<void>;
  /** Ends it, unless the holder lost it. */
  finish(holder: string, key: Key): Promise<void>;
}

export const promptRunMethods: Methods<PromptRunStore> = {
  insert: once,
  claim: once,
  advance: sets,
  postpone: once,
  finish: sets,
};
