// Sums over windows that move along time. Pure.
import { hourMs } from './needs.js';
import type { Profile } from './profile-packing.js';
import { dayOfHour } from './profiles.js';
import { emptySketch, mergeSketches, type Sketch } from './sketches.js';

interface Hour {
  readonly hour: number;
  readonly sketch: Sketch;
}

/** One sketch for each hour, ascending, of profiles that come day by day. */
export async function* byHour(pieces: AsyncIterable<readonly Profile[]>): AsyncIterable<Hour> {
  let day: number | undefined;
  let held = new Map<number, Sketch>();
  const sorted = function* (): Iterable<Hour> {
    for (const hour of [...held.keys()].sort((one, other) => one - other))
      yield { hour, sketch: held.get(hour) ?? emptySketch };
  };
  for await (const piece of pieces)
    for (const { hour, sketch } of piece) {
      if (dayOfHour(hour) !== day) {
        yield* sorted();
        [day, held] = [dayOfHour(hour), new Map()];
      }
      held.set(hour, mergeSketches(held.get(hour) ?? emptySketch, sketch));
    }
  yield* sorted();
}

/**
 * The sum of the hours in a window whose ends only go forward. Each hour is merged about three times however long the window is: what came lately is
 * summed as it comes, and what came before it is kept with the sums up to there, from the end.
 */
export class SlidingSum {
  readonly #front: (Hour & { readonly sum: Sketch })[] = [];
  #back: Hour[] = [];
  #backSum = emptySketch;

  push(hour: Hour): void {
    this.#back.push(hour);
    this.#backSum = mergeSketches(this.#backSum, hour.sketch);
  }

  /** Leaves out the hours that end at this time or before. */
  dropUpTo(at: number): void {
    const isOver = ({ hour }: Hour): boolean => (hour + 1) * hourMs <= at;
    for (;;) {
      if (this.#front.length === 0) {
        this.#back = this.#back.filter((hour) => !isOver(hour));
        let sum = emptySketch;
        for (const hour of this.#back.reverse()) {
          sum = mergeSketches(hour.sketch, sum);
          this.#front.push({ ...hour, sum });
        }
        [this.#back, this.#backSum] = [[], emptySketch];
      }
      const oldest = this.#front.at(-1);
      if (oldest === undefined || !isOver(oldest)) return;
      this.#front.pop();
    }
  }

  sum(): Sketch {
    const front = this.#front.at(-1);
    return front === undefined ? this.#backSum : mergeSketches(front.sum, this.#backSum);
  }
}
