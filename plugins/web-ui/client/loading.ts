// Values that are asked for: what came last stays while the next is on its way.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Refused, retries, saysFault } from './request.js';

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly fault: string | undefined;
  readonly busy: boolean;
  /** Whether the server said, asked last, that it is not there. */
  readonly gone: boolean;
}

/**
 * What `load` gives, asked for anew whenever `keys` change; a request that is no longer wanted is given up. What `now` gives, where the page brought
 * it along, is there at once and not asked for.
 */
export const useLoaded = <T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  now?: () => T | undefined,
): Loaded<T> => {
  const [state, setState] = useState<Loaded<T>>(() => {
    const value = now?.();
    return { value, fault: undefined, busy: value === undefined, gone: false };
  });
  const brought = useRef(!state.busy);
  const turn = useTurn(state.fault !== undefined);
  useEffect(() => {
    if (brought.current) {
      brought.current = false;
      return undefined;
    }
    const leaving = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    load(leaving.signal).then(
      (value) => {
        if (!leaving.signal.aborted)
          setState({ value, fault: undefined, busy: false, gone: false });
      },
      (thrown: unknown) => {
        if (!leaving.signal.aborted)
          setState((before) => ({
            ...before,
            fault: saysFault(thrown),
            busy: false,
            gone: thrown instanceof Refused && thrown.absent,
          }));
      },
    );
    return () => leaving.abort();
  }, [...keys, turn]);
  return state;
};

/** Goes up when everything that failed is asked for once more, if this did. */
export const useTurn = (failed: boolean): number => {
  const [turn, setTurn] = useState(0);
  const asked = retries.value;
  const seen = useRef(asked);
  useEffect(() => {
    if (asked === seen.current) return;
    seen.current = asked;
    if (failed) setTurn((now) => now + 1);
  }, [asked]);
  return turn;
};

/** As `useLoaded`, and asked for once more whenever `again` is called: after what was shown has been changed. */
export const useStored = <T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
): Loaded<T> & { readonly again: () => void } => {
  const [tick, setTick] = useState(0);
  const again = () => setTick((now) => now + 1);
  return { ...useLoaded(load, [...keys, tick]), again };
};
