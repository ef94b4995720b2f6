// Buckets that hold one minute's worth of something and fill all the time.
import type { Clock } from '#ports/clock';

interface Bucket {
  level: number;
  at: number;
}

export interface Asked {
  readonly key: string;
  /** What it holds, and gets in a minute. */
  readonly capacity: number;
  readonly amount: number;
}

const most = 100_000;
const minuteMs = 60_000;

export class TokenBuckets {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  #look({ key, capacity }: Asked): Bucket {
    const now = this.#clock.now();
    const bucket = this.#buckets.get(key) ?? { level: capacity, at: now };
    bucket.level = Math.min(
      capacity,
      bucket.level + (Math.max(0, now - bucket.at) / minuteMs) * capacity,
    );
    bucket.at = now;
    if (this.#buckets.size > most) this.#buckets.clear();
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Takes every amount, or none of them where one is not there. An amount over the whole capacity passes when the bucket is full, and leaves it in debt: else it never could. */
  take<A extends Asked>(
    asked: readonly A[],
  ): readonly (A & { readonly level: number; readonly missing: number })[] {
    const looked = asked.map((one) => {
      const bucket = this.#look(one);
      return {
        one,
        bucket,
        missing: Math.max(0, Math.min(one.amount, one.capacity) - bucket.level),
      };
    });
    const passes = looked.every(({ missing }) => missing === 0);
    return looked.map(({ one, bucket, missing }) => {
      if (passes) bucket.level -= one.amount;
      return { ...one, level: bucket.level, missing };
    });
  }
}

/** Seconds until a bucket holds so much more. */
export const secondsUntil = (missing: number, capacity: number): number =>
  (missing / capacity) * (minuteMs / 1000);
