import type { Change, HeardChange } from '../model/changes.js';
import { reads, sets, type Methods } from './methods.js';

/** How long changes are remembered for those who come back, in ms. */
export const rememberedMs = 3_600_000;

export interface ChangeReading {
  /** Only changes later than this, by the database's time in ms. */
  readonly after: number;
  readonly projectIds: readonly string[];
  readonly limit: number;
}

/** The newest time of each change, kept for a while, so that every process hears of what any of them stored. */
export interface ChangeStore {
  /** Notes that these changed now, by the database's time. A time is seen by others a moment after it is given, so a later one may be seen first. */
  note(changes: readonly Change[]): Promise<void>;
  /**
   * Changes of runs that are in one of these projects now, at home or by a link, the oldest first; at most about `limit` of them. Deleted runs are
   * told of while their rows are there; versions of models only where the model is in the run's workspace and neither was deleted.
   */
  list(reading: ChangeReading): Promise<readonly HeardChange[]>;
  /** Forgets at most `limit` changes that were last noted before this time. Answers how many. */
  forget(before: number, limit: number): Promise<number>;
}

export const changeMethods: Methods<ChangeStore> = {
  note: sets,
  list: reads,
  forget: sets,
};
