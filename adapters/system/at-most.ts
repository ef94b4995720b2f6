// Work of which only so much goes on at once, and only so much waits.

export interface Bounds {
  readonly atOnce: number;
  /** How many may wait for their turn; whoever comes then is refused at once. */
  readonly waiting: number;
  readonly refusal: () => Error;
}

/** Runs work in its turn, in the order in which it came. */
export const atMost = ({
  atOnce,
  waiting,
  refusal,
}: Bounds): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw refusal();
      await new Promise<void>((begin) => {
        queue.push(begin);
      });
    } else running++;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running--;
      else next();
    }
  };
};
