// The fixtures of every area. Each folder of `test/areas` is one part of the product and is found by its name, so a new area edits nothing here.
import { readdirSync } from 'node:fs';
import type { AreaFixtures } from './fixtures.js';

const folder = new URL('../areas/', import.meta.url);
const read = async (name: string): Promise<AreaFixtures> => {
  const { fixtures } = (await import(new URL(`${name}/fixtures.js`, folder).href)) as {
    readonly fixtures: AreaFixtures;
  }; // the one export of each of these files
  return fixtures;
};

/** Those of every area of the product, by the name of the folder. */
export const fixturesByFolder: ReadonlyMap<string, AreaFixtures> = new Map(
  await Promise.all(
    readdirSync(folder)
      .sort()
      .map(async (name) => [name, await read(name)] as const),
  ),
);
export const allFixtures: readonly AreaFixtures[] = [...fixturesByFolder.values()];
