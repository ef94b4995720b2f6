import type { ThrottleKind } from './api/operation.js';
import { port } from './port.js';

export interface ThrottleVerdict {
  readonly allowed: boolean;
  /** Seconds until the amount would be allowed. */
  readonly retryAfter: number;
  /** Events allowed per minute, for the message. */
  readonly perMinute: number;
}

/** Counts events against a rate per experiment and per installation. */
export interface Throttle {
  /** Takes `amount` events of a kind from the experiment's bucket, or takes nothing and says how long to wait. */
  take(kind: ThrottleKind, experimentId: string, amount: number): ThrottleVerdict;
}
export const Throttle = port<Throttle>('throttle');
