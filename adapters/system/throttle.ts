import type { Clock } from '#ports/clock';
import type { ThrottleKind } from '#ports/api/operation';
import type { Throttle, ThrottleVerdict } from '#ports/throttle';

export interface Rates {
  /** Events a minute for each experiment; 0 is off. */
  readonly experiment: Readonly<Record<ThrottleKind, number>>;
  /** Events a minute for the whole installation; 0 is off. */
  readonly organization: Readonly<Record<ThrottleKind, number>>;
}

interface Bucket {
  level: number;
  at: number;
}

const most = 100_000;

/** Token buckets that hold one minute's worth, in this process; `processes` divides the limits among those that serve. */
export const bucketThrottle = (
  { experiment, organization }: Rates,
  clock: Clock,
  processes: () => number,
): Throttle => {
  const buckets = new Map<string, Bucket>();
  const look = (key: string, perMinute: number): Bucket => {
    const now = clock.now();
    const bucket = buckets.get(key) ?? { level: perMinute, at: now };
    bucket.level = Math.min(perMinute, bucket.level + ((now - bucket.at) / 60_000) * perMinute);
    bucket.at = now;
    if (buckets.size > most) buckets.clear();
    buckets.set(key, bucket);
    return bucket;
  };
  return {
    take(kind, experimentId, amount): ThrottleVerdict {
      const share = Math.max(1, processes());
      const asked = [
        [`${kind}:${experimentId}`, experiment[kind]],
        [kind, organization[kind]],
      ] as const;
      const limits = asked
        .filter(([, rate]) => rate > 0)
        .map(([key, rate]) => ({
          bucket: look(key, rate / share),
          perMinute: rate,
          capacity: rate / share,
        }));
      // An amount over the whole capacity passes when the bucket is full, and leaves it in debt: else it never could.
      const short = limits.find(
        ({ bucket, capacity }) => bucket.level < Math.min(amount, capacity),
      );
      if (short !== undefined)
        return {
          allowed: false,
          perMinute: short.perMinute,
          retryAfter: Math.max(
            0.1,
            ((Math.min(amount, short.capacity) - short.bucket.level) / short.capacity) * 60,
          ),
        };
      for (const { bucket } of limits) bucket.level -= amount;
      return { allowed: true, perMinute: limits[0]?.perMinute ?? 0, retryAfter: 0 };
    },
  };
};
