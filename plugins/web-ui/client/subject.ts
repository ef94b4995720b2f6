// What a page is about, and may be deleted while the page is open.
import { useEffect, useRef } from 'preact/hooks';
import { useStored, type Loaded } from './loading.js';
import { absences } from './request.js';

/** What is not there may be missed again and again: no more often than this the page looks whether the rest still is. */
const leastMs = 2000;

/** Calls `again` when something was not there, and, unless what is written in the page would be lost, when one comes back to it, while it is `watched`. */
export const useReturns = (watched: boolean, again: () => void, writes = false): void => {
  const missed = absences.value;
  const seen = useRef(missed);
  const nextAt = useRef(0);
  useEffect(() => {
    // What was missed while it was asked for is of that asking.
    seen.current = missed;
    if (!watched || writes) return undefined;
    const look = () => {
      if (!document.hidden) again();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [watched]);
  useEffect(() => {
    if (missed === seen.current) return undefined;
    seen.current = missed;
    if (!watched) return undefined;
    const timer = setTimeout(
      () => {
        nextAt.current = Date.now() + leastMs;
        again();
      },
      Math.max(0, nextAt.current - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [missed]);
};

/**
 * As `useStored`, of the thing that a page is about: it is asked for once more when it may have been deleted meanwhile, so that the page can say so. Where
 * the page `writes` over what is stored, that is not read anew under who writes.
 */
export const useSubject = <T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  writes = false,
): Loaded<T> & { readonly again: () => void } => {
  const loaded = useStored(load, keys);
  useReturns(loaded.value !== undefined && !loaded.gone && !loaded.busy, loaded.again, writes);
  return loaded;
};
