// What two people write over at once.
import { useRef } from 'preact/hooks';

/**
 * Gives what holds the first save back where what is stored `now` is not what it was `before` one began; the next goes through, since one has been told then.
 */
export const useTheirs = (what: string): ((before: unknown, now: unknown) => void) => {
  const told = useRef('');
  return (before, now) => {
    const stands = JSON.stringify(now);
    if (stands === JSON.stringify(before) || stands === told.current) return;
    told.current = stands;
    throw new Error(
      `Somebody else saved ${what} meanwhile. Save once more to put yours in the place of theirs, or load the page again to see theirs`,
    );
  };
};
