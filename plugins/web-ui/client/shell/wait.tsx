// What stands in for what is on its way, or did not come.
import { askAgain } from '../request.js';

export const AskAgain = () => (
  <button type="button" onClick={askAgain}>
    Try again
  </button>
);

/** Why a part of a page did not come, and a way to ask for it once more; nothing where it came. */
export const Fault = ({ of }: { of: string | undefined }) =>
  of === undefined || of === '' ? null : (
    <p class="fault">
      {of} <AskAgain />
    </p>
  );

/** A moment of nothing, then the outlines of lines; or why it did not come, and a way to ask for it once more. */
export const Wait = ({ fault }: { fault?: string | undefined }) =>
  fault === undefined ? <p class="faint waiting">loading …</p> : <Fault of={fault} />;
