// Lets a few of a kind run at once and the others wait, so that no kind of work takes every connection.
import { Failure } from '#ports/failure';

export interface Semaphore {
  /** Runs `work` when it is its turn. Rejects with `unavailable` when too many wait, or when the signal aborts before its turn. */
  take<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

export interface SemaphoreBounds {
  /** How many run at once. */
  readonly running: number;
  /** How many may wait. */
  readonly waiting: number;
  /** What one too many is told. */
  readonly busy: string;
}

export const createSemaphore = ({
  running: most,
  waiting: mostWaiting,
  busy,
}: SemaphoreBounds): Semaphore => {
  const waiting: (() => void)[] = [];
  let running = 0;
  /** Resolves when a place is free, which is then taken. */
  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        running++;
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(gone());
      };
      if (signal?.aborted === true) reject(gone());
      else if (running < most) begin();
      else if (waiting.length >= mostWaiting)
        reject(new Failure('unavailable', busy, { retryAfter: 5 }));
      else {
        waiting.push(begin);
        signal?.addEventListener('abort', leave, { once: true });
      }
    });
  return {
    async take(signal, work) {
      await turn(signal);
      try {
        return await work();
      } finally {
        running--;
        waiting.shift()?.();
      }
    },
  };
};

const gone = () => new Failure('unavailable', 'the request was given up by its client');

/** Does `work`, and cancels it in the database when the signal aborts or its time is over; a cancellation under way is waited for, so that it hits nothing else. */
export const cancellable = async <T>(
  { signal, afterMs }: { readonly signal: AbortSignal | undefined; readonly afterMs?: number },
  cancel: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> => {
  if (signal?.aborted === true) throw gone();
  let cancelling: Promise<unknown> = Promise.resolve();
  const stop = (): void => {
    cancelling = cancel().catch(() => undefined);
  };
  const timer = afterMs === undefined ? undefined : setTimeout(stop, afterMs);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    await cancelling;
  }
};
