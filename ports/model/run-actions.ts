import { kind } from '../api/kind.js';
import type { Carrier, Scope } from './identity.js';

/** What may be done to many runs at once. */
export const runActionNames = ['archive', 'restore', 'tag', 'untag', 'move', 'delete'] as const;
export type RunActionName = (typeof runActionNames)[number];

/** `refused` is one whose caller may not do it any more. */
export const runActionStates = ['running', 'done', 'cancelled', 'refused'] as const;
export type RunActionState = (typeof runActionStates)[number];

export interface RunActionWish {
  readonly action: RunActionName;
  /** The tags to add or delete; of the other actions none. */
  readonly tags: readonly string[];
  /** Where runs are moved to, by name; of the other actions `undefined`. */
  readonly target: { readonly workspace: string; readonly project: string } | undefined;
}

/** A run to which an action was not done, and why. */
export interface RunActionFailure {
  readonly run: string;
  readonly message: string;
}

/** Something that is done to many runs of a project, one after another, in the name of a caller. */
export interface RunAction {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly userId: string;
  /** By which credential it was begun, and to what that was narrowed. */
  readonly via: Carrier;
  readonly keyId: string;
  readonly scope: Scope | undefined;
  readonly wish: RunActionWish;
  readonly state: RunActionState;
  /** How many runs it is about, how many of them it is through with, and to how many of those it was not done. */
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** The first of those. */
  readonly failures: readonly RunActionFailure[];
  /** Why it was refused as a whole. */
  readonly reason: string | undefined;
  readonly createdAt: number;
  readonly endedAt: number | undefined;
}
export const runAction = kind<RunAction>()('runAction');
