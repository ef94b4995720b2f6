import type { Family } from './family.js';
import { oauthFamily } from './oauth.js';
import { pageFamily } from './page.js';
import { optimizerFamily, plainFamily } from './plain.js';
import { privateFamily } from './private.js';
import { administrationFamily, trackingFamily } from './tracking.js';

/** Every family of the product; their addresses are the server's own even while no area of theirs is there. */
export const families: readonly Family[] = [
  trackingFamily,
  administrationFamily,
  optimizerFamily,
  privateFamily,
  oauthFamily,
  pageFamily,
  plainFamily,
];
