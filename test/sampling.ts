// Which of many cases a laptop tries. The choice is made from a seed and the name of what is tried, so that one more row changes
// nothing of what the others get, and a run can be repeated: its seed is printed, and `ORRERY_TEST_SEED` gives it again.
import { createHash, randomBytes } from 'node:crypto';

export const seedVariable = 'ORRERY_TEST_SEED';
/** Names the areas whose rows the battery asks, separated by commas; empty is all. */
export const areasVariable = 'ORRERY_TEST_AREAS';
export const freshSeed = (): string => randomBytes(4).toString('hex');

/** That of this run, which `run.ts` has chosen for all its processes. */
const seedOf = (): string => {
  const given = process.env[seedVariable];
  if (given !== undefined) return given;
  const seed = (process.env[seedVariable] = freshSeed());
  process.stdout.write(`samples are chosen by ${seedVariable}=${seed}\n`);
  return seed;
};

const rank = (of: string, place: number): string =>
  createHash('sha256').update(`${seedOf()} ${of} ${place}`).digest('hex');

const numberOf = (name: string): number => parseInt(rank(name, 0).slice(0, 8), 16);

/**
 * All of them where everything must run (`ORRERY_TEST_ALL=1`); elsewhere one in so many, and at least one of those there are, so that a
 * laptop is done within minutes; one in `oneInEverywhere` where they are so many that another run may try the others. What is tried under another name (`of`) gets others.
 */
export const someOf = <T>(
  all: readonly T[],
  oneIn: number,
  of: string,
  oneInEverywhere = 1,
): readonly T[] => {
  const everything = process.env['ORRERY_TEST_ALL'] === '1';
  if (everything && oneInEverywhere === 1) return all;
  const chosen = all
    .map((_, place) => ({ place, rank: rank(of, place) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, Math.ceil(all.length / (everything ? oneInEverywhere : oneIn)));
  const places = new Set(chosen.map(({ place }) => place));
  return all.filter((_, place) => places.has(place));
};

/** Whether what is tried is tried whole: where everything must run, and where a run is about areas by name. */
export const isWhole = (): boolean =>
  process.env['ORRERY_TEST_ALL'] === '1' || (process.env[areasVariable] ?? '') !== '';

/**
 * Whether a thing is among the one in so many whose cases a laptop tries; every one where a run is whole. It is chosen by its own name, so that others are chosen as before when it comes or goes.
 */
export const isSampled = (name: string, oneIn: number): boolean =>
  isWhole() || numberOf(name) % oneIn === 0;

/** One of a few, another one for each name and each run. Those of the same name take turns by their places: as many places as there are get one each. */
export const oneOf = <T>(all: readonly [T, ...T[]], of: string, place = 0): T =>
  all[(numberOf(of) + place) % all.length] ?? all[0];
