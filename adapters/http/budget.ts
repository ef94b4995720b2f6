// How much memory the bodies of requests under way may take in this process, all together.
import { Failure } from '#ports/failure';

/** What one request has taken of the budget. */
export interface Held {
  /** Takes this many more bytes. Rejects with `tooLarge` what could never fit, and with `unavailable` what does not fit now. */
  take(bytes: number): void;
  /** Whether this many more bytes fit now. */
  fits(bytes: number): boolean;
  /** Rejects like `take`, and takes nothing. */
  expect(bytes: number): void;
  /** Gives everything back; what is taken afterwards is given back at once. */
  release(): void;
}

export interface BodyBudget {
  open(): Held;
}

const retryAfter = 2;

/** A budget of this many bytes. */
export const createBudget = (mostBytes: number): BodyBudget => {
  let used = 0;
  return {
    open() {
      let own = 0;
      let over = false;
      const expect = (bytes: number): void => {
        if (own + bytes > mostBytes)
          throw new Failure(
            'tooLarge',
            'the body takes more memory than the server has for bodies',
          );
        if (used + bytes > mostBytes)
          throw new Failure(
            'unavailable',
            'the server holds as many request bodies as it has memory for',
            { retryAfter },
          );
      };
      return {
        fits: (bytes) => used + bytes <= mostBytes,
        expect,
        take(bytes) {
          expect(bytes);
          if (over) return;
          own += bytes;
          used += bytes;
        },
        release() {
          used -= own;
          own = 0;
          over = true;
        },
      };
    },
  };
};
