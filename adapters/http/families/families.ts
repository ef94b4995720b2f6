// Every family, and what an address says of the family whose it is.
import type { Family as FamilyName } from '#ports/api/operation';
import type { Family } from './family.js';
import { oauthFamily } from './oauth.js';
import { pageFamily } from './page.js';
import { optimizerFamily, plainFamily } from './plain.js';
import { privateFamily } from './private.js';
import { administrationFamily, trackingFamily } from './tracking.js';

const all: readonly Family[] = [
  trackingFamily,
  administrationFamily,
  optimizerFamily,
  privateFamily,
  oauthFamily,
  pageFamily,
  plainFamily,
];

export const families = Object.fromEntries(all.map((family) => [family.name, family])) as Readonly<
  Record<FamilyName, Family>
>; // `test/adapters/http/families.test.ts` counts them

/** Whether a path is at or below a root. */
export const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(`${root}/`);

/** The family that answers where no row does: the one with the longest root above the path, else the plain one. */
export const familyAt = (path: string): Family => {
  const roots = all
    .flatMap((family) => family.roots.map((root) => ({ root, family })))
    .filter(({ root }) => isBelow(path, root))
    .sort((one, other) => other.root.length - one.root.length);
  return roots[0]?.family ?? plainFamily;
};

/** The roots that belong to the families, whatever rows there are. */
export const familyRoots: readonly string[] = all.flatMap(({ roots, reserves = [] }) => [
  ...roots,
  ...reserves,
]);
