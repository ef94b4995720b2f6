import type { RateKind } from '#ports/api/operation';
import type { Clock } from '#ports/clock';
import type { RateLimits } from '#ports/rate-limits';
import { secondsUntil, TokenBuckets } from './token-buckets.js';

/** Calls or events a minute; 0 is off. */
export type Limits = Readonly<Record<RateKind, number>>;

/** Limits in this process; `processes` divides them among those that serve. */
export const bucketLimits = (
  limits: Limits | undefined,
  clock: Clock,
  processes: () => number,
): RateLimits => {
  const buckets = new TokenBuckets(clock);
  return {
    isOn: limits !== undefined,
    take(counted) {
      const share = Math.max(1, processes());
      const taken = buckets.take(
        counted.flatMap(({ kind, of, amount }) => {
          const perMinute = limits?.[kind] ?? 0;
          const capacity = perMinute / share;
          return perMinute > 0 ? [{ key: `${kind}:${of}`, kind, perMinute, capacity, amount }] : [];
        }),
      );
      return {
        retryAfter: Math.max(
          0,
          ...taken.map(({ missing, capacity }) => secondsUntil(missing, capacity)),
        ),
        allowances: taken.map(({ kind, perMinute, capacity, level, missing }) => ({
          kind,
          perMinute,
          left: Math.max(0, Math.floor(level * share)),
          fullInMs: Math.ceil(secondsUntil(capacity - level, capacity) * 1000),
          isShort: missing > 0,
        })),
      };
    },
  };
};
