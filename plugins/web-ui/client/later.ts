// What cannot be undone begins some seconds after it was agreed to.
import { attempt } from './attempt.js';
import { askFrom } from './request.js';
import { dropToast, place, tell } from './state.js';
import { holdPage } from './unsaved.js';

const graceMs = 8000;

/** Asks as from the page on which it was agreed to. */
export type From = <T>(ask: () => T) => T;

/**
 * Says that `work` will be done, and does it unless it is taken back, whichever page of the app is looked at by then; who leaves the app before is asked,
 * since it would not be done then. What `work` asks for at once is asked as from the page on which it was agreed to; what it asks for later, by what it is given.
 */
export const doLater = (
  work: (from: From) => Promise<unknown>,
  says: string,
  onBack: () => void,
): void => {
  const release = holdPage();
  const at = place.value;
  const from: From = (ask) => askFrom(at, ask);
  const waiting = setTimeout(() => {
    release();
    dropToast(toast); // what has begun is not taken back
    attempt(from(() => work(from)));
  }, graceMs);
  const toast = tell(says, () => {
    clearTimeout(waiting);
    release();
    onBack();
  });
};
