// A pool of rows in a component.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { rowPool, type RowPool } from './row-pool.js';

/**
 * A list in the element of `scroller`, with its rows in that of `body`. Rows are filled by what the component was given last; it says itself when they
 * are to be filled again. `onEnd` is called as the last rows come near.
 */
export const useRowPool = <P>(
  props: P,
  make: () => HTMLElement,
  fill: (row: HTMLElement, place: number, props: P) => void,
  onEnd: (props: P) => void = () => undefined,
) => {
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const pool = useRef<RowPool | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useLayoutEffect(() => {
    const [at, inside] = [scroller.current, body.current];
    if (at === null || inside === null) return undefined;
    const fillLatest = (row: HTMLElement, place: number) => fill(row, place, latest.current);
    const made = rowPool(at, inside, make, fillLatest, () => onEnd(latest.current));
    pool.current = made;
    return () => made.remove();
  }, []);
  return { scroller, body, pool, latest };
};
