// How often users and workspaces may call, where an installation says so.
import type { RateKind } from './api/operation.js';
import { port } from './port.js';

/** Calls or events of somebody: of a user, or of a workspace, by its id. */
export interface Counted {
  readonly kind: RateKind;
  readonly of: string;
  readonly amount: number;
}

/** What is left of a limit. */
export interface Allowance {
  readonly kind: RateKind;
  readonly perMinute: number;
  readonly left: number;
  /** Until all of it is there again, in ms. */
  readonly fullInMs: number;
  /** Whether this is why a call was refused. */
  readonly isShort: boolean;
}

export interface RateLimits {
  /** Whether anything is limited. */
  readonly isOn: boolean;
  /**
   * Takes every amount, or none of them where one is not left. Kinds that are not limited are left out of the allowances. A call that counts for more
   * than a minute's worth passes when all of that is there.
   */
  take(counted: readonly Counted[]): {
    /** Seconds until the same call is allowed; 0 where it was. */
    readonly retryAfter: number;
    readonly allowances: readonly Allowance[];
  };
}
export const RateLimits = port<RateLimits>('rateLimits');
