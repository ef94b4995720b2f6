// Which set of parameters is tried next. Pure: the same search, place and results give the same set.
import { normalFrom, randomFrom, type Random } from './random.js';
import type { Dimension, Value } from './space.js';

export type ParameterSet = Readonly<Record<string, Value>>;

/** A set that was tried; `score` is absent while its result is awaited. Smaller is better. */
export interface Observation {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly score: number | undefined;
}

const toSet = (space: readonly Dimension[], places: readonly number[]): ParameterSet =>
  Object.fromEntries(
    space.map((dimension, at) => [dimension.name, dimension.valueAt(places[at] ?? 0.5)]),
  );

/** The set at this place of a random search. */
export const proposeAtRandom = (
  space: readonly Dimension[],
  seed: string,
  place: number,
): ParameterSet => {
  const random = randomFrom(seed, place);
  return toSet(
    space,
    space.map(() => random()),
  );
};

/** How many sets a grid has, with at most `size` values a range. */
export const countGrid = (space: readonly Dimension[], size: number): number =>
  space.reduce((product, dimension) => product * dimension.spread(size).length, 1);

/** The set at this place of a grid; the last parameter changes fastest. `order` says which places are taken first: as they are, or shuffled by a seed. */
export const proposeOnGrid = (
  space: readonly Dimension[],
  size: number,
  place: number,
  shuffledBy?: string,
): ParameterSet => {
  let left = shuffledBy === undefined ? place : shuffled(place, countGrid(space, size), shuffledBy);
  const chosen: [string, Value][] = [];
  for (const dimension of [...space].reverse()) {
    const values = dimension.spread(size);
    chosen.unshift([dimension.name, values[left % values.length] ?? null]);
    left = Math.floor(left / values.length);
  }
  return Object.fromEntries(chosen);
};

/** A permutation that needs no list of its places: a step that has no divisor in common with their number visits each once. */
const shuffled = (place: number, total: number, seed: string): number => {
  if (!Number.isSafeInteger(total)) return place; // no step of these could be told from the next
  const random = randomFrom(seed, 'order');
  let step = Math.max(1, Math.floor(random() * total));
  while (greatestDivisor(step, total) !== 1) step++;
  const start = Math.floor(random() * total);
  return Number((BigInt(start) + BigInt(place) * BigInt(step)) % BigInt(total));
};
const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

const candidates = 32;
const goodShare = 0.25;
const mostGood = 25;
const narrowest = 0.03;

/**
 * The next set by a tree-structured Parzen estimator (Bergstra and others, 2011): of some sets drawn near the good ones, the one that looks
 * most like the good and least like the rest. Sets whose results are awaited count among the rest, so that processes do not try the same.
 * With fewer than `first` results, at random.
 */
export const proposeByResults = (
  space: readonly Dimension[],
  seed: string,
  place: number,
  observations: readonly Observation[],
  first: number,
): ParameterSet => {
  const scored = observations
    .filter((one): one is Observation & { readonly score: number } => one.score !== undefined)
    .sort((a, b) => a.score - b.score);
  if (scored.length < first) return proposeAtRandom(space, seed, place);
  const random = randomFrom(seed, place);
  const split = Math.min(Math.max(2, Math.ceil(scored.length * goodShare)), mostGood);
  const placesOf = (some: readonly Observation[]) =>
    some.map(({ parameters }) =>
      space.map((dimension) => dimension.placeOf(parameters[dimension.name])),
    );
  const good = placesOf(scored.slice(0, split));
  const rest = placesOf([
    ...scored.slice(split),
    ...observations.filter((one) => one.score === undefined),
  ]);

  const models = space.map((dimension, at) => ({
    good: modelOf(
      dimension,
      good.map((places) => places[at] ?? 0.5),
    ),
    rest: modelOf(
      dimension,
      rest.map((places) => places[at] ?? 0.5),
    ),
  }));
  let best: { readonly places: readonly number[]; readonly worth: number } | undefined;
  for (let drawn = 0; drawn < candidates; drawn++) {
    const places = models.map((model) => model.good.draw(random));
    const worth = models.reduce(
      (sum, model, at) =>
        sum +
        Math.log(model.good.density(places[at] ?? 0.5)) -
        Math.log(model.rest.density(places[at] ?? 0.5)),
      0,
    );
    if (best === undefined || worth > best.worth) best = { places, worth };
  }
  return toSet(space, best?.places ?? space.map(() => random()));
};

/** Where along one parameter some sets lie. */
interface Model {
  draw(random: Random): number;
  density(place: number): number;
}

const modelOf = (dimension: Dimension, places: readonly number[]): Model =>
  dimension.choices === undefined
    ? modelOfRange(places)
    : modelOfChoices(dimension.choices.length, places);

/** How often each choice was taken, with one more of each so that none is ruled out. */
const modelOfChoices = (choices: number, places: readonly number[]): Model => {
  const counts = Array.from({ length: choices }, () => 1);
  const index = (place: number) => Math.min(Math.floor(place * choices), choices - 1);
  for (const place of places) counts[index(place)] = (counts[index(place)] ?? 0) + 1;
  const total = places.length + choices;
  return {
    draw(random) {
      let left = random() * total;
      for (const [at, count] of counts.entries()) {
        if (left < count) return (at + 0.5) / choices;
        left -= count;
      }
      return (choices - 0.5) / choices;
    },
    density: (place) => (counts[index(place)] ?? 1) / total,
  };
};

/** A bell around each place, and an even share over the whole range. */
const modelOfRange = (places: readonly number[]): Model => {
  const mean = places.reduce((sum, place) => sum + place, 0) / Math.max(places.length, 1);
  const spread = Math.sqrt(
    places.reduce((sum, place) => sum + (place - mean) ** 2, 0) / Math.max(places.length, 1),
  );
  const width = Math.max(narrowest, 1.06 * spread * Math.max(places.length, 1) ** -0.2);
  return {
    draw(random) {
      const centre = places[Math.floor(random() * (places.length + 1))];
      if (centre === undefined) return random();
      return reflect(centre + width * normalFrom(random));
    },
    density(place) {
      const bells =
        places.reduce((sum, centre) => sum + Math.exp(-(((place - centre) / width) ** 2) / 2), 0) /
        (width * Math.sqrt(2 * Math.PI));
      return (1 + bells) / (places.length + 1);
    },
  };
};

/** Back into [0, 1) at the end it left by. */
const reflect = (place: number): number => {
  const folded = Math.abs(place) % 2;
  return Math.min(folded > 1 ? 2 - folded : folded, 1 - Number.EPSILON);
};
