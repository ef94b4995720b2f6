// What cannot be undone begins some seconds after it was agreed to.
import { attempt } from './attempt.js';
import { tell } from './state.js';
import { holdPage } from './unsaved.js';

const graceMs = 8000;

/** Says that `work` will be done, and does it unless it is taken back; whoever leaves the page before is asked, since it would not be done then. */
export const doLater = (work: () => Promise<unknown>, says: string, onBack: () => void): void => {
  const release = holdPage();
  const waiting = setTimeout(() => {
    release();
    attempt(work());
  }, graceMs);
  tell(says, () => {
    clearTimeout(waiting);
    release();
    onBack();
  });
};
