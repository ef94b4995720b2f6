import type { Optimizer, Trial } from '../model/optimizer.js';
import { once, reads, sets, type Methods } from './methods.js';

export interface NewOptimizer extends Omit<Optimizer, 'assigned'> {
  readonly userId: string;
}

export interface TrialChange {
  readonly status: string;
  readonly score: number | undefined;
  readonly epoch: number | undefined;
  readonly endTime: number | undefined;
  readonly updatedAt: number;
  /** Kept as it was when absent. */
  readonly metadata?: string;
}

/** How often a trial may be given out again. */
export interface RepeatLimits {
  /** When it was aborted. */
  readonly aborted: number;
  /** When nothing was heard of it since it was given out, which was at or before `silentSince`. */
  readonly silent: number;
  readonly silentSince: number;
}

export interface OptimizerStore {
  insert(optimizer: NewOptimizer): Promise<void>;
  find(id: string): Promise<Optimizer | undefined>;
  /** Inside a transaction: the same, keeping everybody else from giving out trials until it ends. */
  lock(id: string): Promise<Optimizer | undefined>;
  /** Gives out the trial behind the first `expected` ones. Says `false`, and stores nothing, when another process did so in the meantime. */
  claim(id: string, expected: number, trial: Trial): Promise<boolean>;
  /** Gives a trial out again. Says `false` when its status is another by now, or it has been given out again before. */
  claimAgain(
    id: string,
    trial: Pick<Trial, 'pid' | 'trial' | 'status' | 'retries'>,
    at: number,
  ): Promise<boolean>;
  findTrial(id: string, pid: string, trial: number): Promise<Trial | undefined>;
  /** Says whether there was such a trial. */
  updateTrial(id: string, pid: string, trial: number, change: TrialChange): Promise<boolean>;
  /** Stores a trial that a client brings, in the place of one of the same set and number. */
  putTrial(id: string, trial: Trial): Promise<void>;
  /** In the order they were given out; of these statuses only, when given. */
  listTrials(
    id: string,
    options: {
      readonly statuses?: readonly string[];
      readonly offset?: number;
      readonly limit: number;
    },
  ): Promise<readonly Trial[]>;
  /** The first trial that may be given out again. */
  findRepeatable(id: string, limits: RepeatLimits): Promise<Trial | undefined>;
  /** When the first trial was given out, and when anything was last heard of one, in ms; `undefined` before the first. */
  findTimes(
    id: string,
  ): Promise<{ readonly startedAt: number; readonly updatedAt: number } | undefined>;
  /** How many trials there are of each status. */
  countByStatus(id: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Removes at most `limit` searches that were made before a time, and of no trial of which anything was heard since, the oldest first, with their
   * trials. Answers how many there were; may be repeated.
   */
  removeSilent(before: number, limit: number): Promise<number>;
}

export const optimizerMethods: Methods<OptimizerStore> = {
  findTimes: reads,
  insert: once,
  find: reads,
  lock: once,
  claim: once,
  claimAgain: once,
  findTrial: reads,
  updateTrial: sets,
  putTrial: sets,
  listTrials: reads,
  findRepeatable: reads,
  countByStatus: reads,
  removeSilent: once,
};
