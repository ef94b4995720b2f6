import type { Clock } from '#ports/clock';
import type { ThrottleKind } from '#ports/api/operation';
import type { Throttle, ThrottleVerdict } from '#ports/throttle';
import { secondsUntil, TokenBuckets } from './token-buckets.js';

export interface Rates {
  /** Events a minute for each experiment; 0 is off. */
  readonly experiment: Readonly<Record<ThrottleKind, number>>;
  /** Events a minute for the whole installation; 0 is off. */
  readonly organization: Readonly<Record<ThrottleKind, number>>;
}

/** Token buckets that hold one minute's worth, in this process; `processes` divides the limits among those that serve. */
export const bucketThrottle = (
  { experiment, organization }: Rates,
  clock: Clock,
  processes: () => number,
): Throttle => {
  const buckets = new TokenBuckets(clock);
  return {
    take(kind, experimentId, amount): ThrottleVerdict {
      const share = Math.max(1, processes());
      const limits = buckets.take(
        (
          [
            [`${kind}:${experimentId}`, experiment[kind]],
            [kind, organization[kind]],
          ] as const
        )
          .filter(([, rate]) => rate > 0)
          .map(([key, rate]) => ({ key, perMinute: rate, capacity: rate / share, amount })),
      );
      const short = limits.find(({ missing }) => missing > 0);
      return short === undefined
        ? { allowed: true, perMinute: limits[0]?.perMinute ?? 0, retryAfter: 0 }
        : {
            allowed: false,
            perMinute: short.perMinute,
            retryAfter: Math.max(0.1, secondsUntil(short.missing, short.capacity)),
          };
    },
  };
};
