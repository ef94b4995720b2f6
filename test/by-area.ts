// Which suites belong to an area: the folders of `test/areas` are the words that a run can be asked for.
import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixturesByFolder } from './api/all-fixtures.js';

/** The battery, which asks rows one by one. */
const battery = ['api/every-operation', 'api/hostile-values'];

export interface ByArea {
  /** The areas of the product that were asked for; none where everything was. */
  readonly areas: readonly string[];
  /** Whether a test file, by its path below `test`, is of them. */
  readonly isOfThem: (file: string) => boolean;
}

/** Whether a path has a word as a folder or a file, or at the start of one: `registry` is in `contract/storage/registry-approvals`. */
const has = (path: string, word: string): boolean =>
  path.split('/').some((part) => part === word || part.startsWith(`${word}-`));

/**
 * Reads the words of a run, each the name of a folder of `test/areas` or of an area. A suite whose contracts stand in files of their own runs
 * whole when one of them has the word. Throws on a word that is neither.
 */
export const readAreas = (words: readonly string[]): ByArea => {
  if (words.length === 0) return { areas: [], isOfThem: () => true };
  const folders = words.map((word) => {
    const own = [...fixturesByFolder].find(
      ([folder, { areas }]) => folder === word || areas.includes(word),
    );
    if (own === undefined)
      throw new Error(
        `there is no area ${word}; there are ${[...fixturesByFolder.keys()].join(', ')}`,
      );
    return own[0];
  });
  const areas = words.flatMap((word) => fixturesByFolder.get(word)?.areas ?? [word]);
  const all = readdirSync(fileURLToPath(new URL('.', import.meta.url)), {
    recursive: true,
    encoding: 'utf8',
  });
  const names = [...new Set([...folders, ...areas])];
  const hasContract = all.some(
    (file) =>
      withoutEnd(file).startsWith('contract/storage/') &&
      names.some((name) => has(withoutEnd(file), name)),
  );
  return {
    areas,
    isOfThem: (file) =>
      battery.includes(withoutEnd(file)) ||
      names.some((name) => has(withoutEnd(file), name)) ||
      (hasContract && withoutEnd(file) === 'contract/storage'),
  };
};

/** A path without its ending, with one kind of slash. */
const withoutEnd = (file: string): string =>
  file.replaceAll(sep, '/').replace(/(\.test)?\.js$/, '');
