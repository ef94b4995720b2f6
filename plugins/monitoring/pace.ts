// How many items a minute a workspace may send in batches. Files have a pace of their own: they are read as they are stored.
import { Failure } from '#ports/failure';
import type { Clock } from '#ports/clock';

const minuteMs = 60_000;
const mostBuckets = 10_000;

/** Buckets of one minute's worth, one for each workspace, in this process. */
export class Pace {
  readonly #left = new Map<string, { items: number; at: number }>();

  constructor(
    readonly clock: Clock,
    /** 0 is as many as come. */
    readonly perMinute: number,
  ) {}

  /** Takes that many, or rejects with `throttled` and takes none. More than a minute's worth at once passes where nothing was taken before. */
  take(workspaceId: string, items: number): void {
    if (this.perMinute === 0) return;
    const now = this.clock.now();
    const before = this.#left.get(workspaceId) ?? { items: this.perMinute, at: now };
    const gained = ((now - before.at) / minuteMs) * this.perMinute;
    const left = Math.min(this.perMinute, before.items + gained);
    const short = Math.min(items, this.perMinute) - left;
    if (this.#left.size >= mostBuckets) this.#left.clear();
    this.#left.set(workspaceId, { items: short > 0 ? left : left - items, at: now });
    if (short > 0)
      throw new Failure(
        'throttled',
        `at most ${this.perMinute} events and labels a minute are taken of a workspace`,
        { retryAfter: Math.ceil((short / this.perMinute) * 60) },
      );
  }
}
