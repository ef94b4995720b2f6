import { saysFault } from './request.js';
import { tell } from './state.js';

/** Waits for what was begun by a press; what goes wrong is told at the foot of the page. */
export const attempt = (work: Promise<unknown>): void => {
  work.catch((thrown: unknown) => tell(saysFault(thrown)));
};
