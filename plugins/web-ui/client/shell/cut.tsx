// Says of a list that not all of it is shown.
import { formatCount } from '../../pure/format.js';

/** How many of how many are shown, and how the others are found; nothing where all are shown. */
export const Cut = ({
  shown,
  of,
  what,
  how,
}: {
  shown: number;
  of: number;
  what: string;
  how?: string;
}) =>
  of <= shown ? null : (
    <p class="faint">
      {`the first ${formatCount(shown)} of ${formatCount(of)} ${what}${how === undefined ? '' : `; ${how}`}`}
    </p>
  );
