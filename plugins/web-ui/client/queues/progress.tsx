import { formatCount } from '../../pure/format.js';

/** How much of how much is done: as a bar, and in figures. */
export const Progress = ({ done, of }: { done: number; of: number }) => (
  <span class="progress">
    <progress aria-label={`${done} of ${of} items done`} value={done} max={Math.max(1, of)} />{' '}
    {formatCount(done)} of {formatCount(of)}
  </span>
);
