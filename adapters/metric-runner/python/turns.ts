export interface Turns {
  /** What gives a turn back, once there is one; `undefined` when the signal aborts before, or too many wait. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Resolves when no turn is taken. */
  idle(): Promise<void>;
}

/** So many turns at once, in the order in which they are asked for. */
export const createTurns = (atOnce: number, mostWaiting: number): Turns => {
  const waiting: (() => void)[] = [];
  const watching: (() => void)[] = [];
  let taken = 0;
  const giveBack = () => {
    const next = waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    taken--;
    if (taken === 0) for (const tell of watching.splice(0)) tell();
  };
  const wait = (signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(go), 1);
        resolve(false);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(go);
    });
  return {
    async take(signal) {
      if (signal.aborted || waiting.length >= mostWaiting) return undefined;
      if (taken < atOnce) taken++;
      else if (!(await wait(signal))) return undefined;
      return giveBack;
    },
    idle: () =>
      taken === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            watching.push(resolve);
          }),
  };
};
