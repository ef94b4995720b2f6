// What stands in for what is on its way, or did not come.
import { askAgain } from '../request.js';

/** A moment of nothing, then the outlines of lines; or why it did not come, and a way to ask for it once more. */
export const Wait = ({ fault }: { fault?: string | undefined }) =>
  fault === undefined ? (
    <p class="faint waiting">loading …</p>
  ) : (
    <p class="fault">
      {fault}{' '}
      <button type="button" onClick={askAgain}>
        Try again
      </button>
    </p>
  );
