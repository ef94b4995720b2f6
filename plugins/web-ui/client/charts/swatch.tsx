import { isDark } from '../state.js';
import { colourOf } from './colours.js';

/** The colour of a run, group or value beside its name. */
export const Swatch = ({ of }: { of: string }) => (
  <svg class="swatch" viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
    <circle cx="4" cy="4" r="4" fill={colourOf(of, isDark.value)} />
  </svg>
);
