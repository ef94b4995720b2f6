// What would be lost if the page were left now: the browser asks first.
import { useLayoutEffect } from 'preact/hooks';
import { unsaved } from './state.js';

/** Has the browser ask before the page is left, until the function that it returns is called. */
export const holdPage = (): (() => void) => {
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
};

/** Call it with whether something is written and not stored: neither a reload nor a link to another page then loses it unasked. */
export const useUnsaved = (written: boolean): void =>
  // At once: the next press may be the one that would lose it.
  useLayoutEffect(() => {
    if (!written) return undefined;
    const own = {};
    unsaved.add(own);
    const release = holdPage();
    return () => {
      unsaved.delete(own);
      release();
    };
  }, [written]);
