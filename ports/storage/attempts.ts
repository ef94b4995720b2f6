import { once, reads, type Methods } from './methods.js';

/** Tries of one kind, at one thing or from one place, that have not come to a good end. */
export interface Attempts {
  readonly tries: number;
  readonly lastAt: number;
}

/** Counts across all processes how often something was tried; keys are at most 64 characters and hold nothing of what was typed. */
export interface AttemptStore {
  find(key: string): Promise<Attempts | undefined>;
  /**
   * Sets the count to `next` where it is still as it was `seen`, which is `undefined` for none; whether it was. Of any number of callers who
   * saw the same, one succeeds.
   */
  replace(key: string, seen: Attempts | undefined, next: Attempts): Promise<boolean>;
  /** Takes one try back that came to a good end. */
  takeBack(key: string): Promise<void>;
  /** Forgets every try. */
  remove(key: string): Promise<boolean>;
  /** Removes at most `limit` keys that were last tried before a time; answers how many. */
  removeBefore(at: number, limit: number): Promise<number>;
}

export const attemptMethods: Methods<AttemptStore> = {
  find: reads,
  replace: once,
  takeBack: once,
  remove: once,
  removeBefore: once,
};
