// What a store says of each of its methods, for what stands in front of every store: the retry after a lost connection, caches, and what
// tells pages that something changed.
import type { ChangeKind } from '../model/changes.js';

/** What becomes of a call that may have been carried out although its reply was lost, and of what was read before it. */
export interface Method {
  /** Calling it again leaves and answers the same as calling it once. */
  readonly repeatable: boolean;
  /** What a cache must not believe any more after it: the experiment or experiments that the first argument names, or every one. */
  readonly stale?: 'experiment' | 'experiments';
  /** What pages are told after it: of the first argument where that is an id or a list of them, else of its `experimentId` or `id`. */
  readonly tells?: Telling;
}

export interface Telling {
  readonly kind: ChangeKind;
  /** Members of a change that pages need not hear of: where the second argument has no others, nothing is told. */
  readonly quiet?: readonly string[];
}

/** Every method of a store: one that is not told of does not compile. */
export type Methods<S> = { readonly [M in keyof S]: Method };

/** Changes nothing. */
export const reads: Method = { repeatable: true };
/** Leaves what it is given, however often. */
export const sets: Method = { repeatable: true };
/** Counts, makes something new, or answers differently the second time. */
export const once: Method = { repeatable: false };
/** The same, of which pages are told. */
export const notifies = (
  kind: ChangeKind,
  method: Method,
  quiet: readonly string[] = [],
): Method => ({
  ...method,
  tells: { kind, quiet },
});
export const changesExperiment = (method: Method): Method => ({ ...method, stale: 'experiment' });
export const changesExperiments = (method: Method): Method => ({ ...method, stale: 'experiments' });
