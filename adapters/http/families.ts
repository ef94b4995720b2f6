// Which families there are, and what an address says of the family whose it is.
import { families } from '#ports/api/families/families';
import type { Family } from '#ports/api/families/family';
import { plainFamily } from '#ports/api/families/plain';
import type { Route } from './route.js';

/** The product's families, and those that plugins' areas bring. */
export const familiesOf = (routes: readonly Pick<Route, 'family'>[]): readonly Family[] => [
  ...new Map(
    [...families, ...routes.map(({ family }) => family)].map((family) => [family.name, family]),
  ).values(),
];

/** Whether a path is at or below a root. */
export const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(`${root}/`);

/** The family that answers where no row does: the one with the longest root above the path, else the plain one. */
export const familyAt = (path: string, all: readonly Family[] = families): Family => {
  const roots = all
    .flatMap((family) => family.roots.map((root) => ({ root, family })))
    .filter(({ root }) => isBelow(path, root))
    .sort((one, other) => other.root.length - one.root.length);
  return roots[0]?.family ?? plainFamily;
};

/** The roots that belong to families, whatever rows there are. */
export const rootsOf = (all: readonly Family[]): readonly string[] =>
  all.flatMap(({ roots, reserves = [] }) => [...roots, ...reserves]);
