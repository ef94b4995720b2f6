import type { Loaded } from '../loading.js';

/** What stands in for what is on its way, or did not come. */
export const Wait = ({ of }: { of: Loaded<unknown> }) =>
  of.fault === undefined ? <p class="faint">loading …</p> : <p class="fault">{of.fault}</p>;
