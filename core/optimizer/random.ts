// Numbers that look random and follow from a seed, so that a search can be repeated.

/** A stream of numbers in [0, 1). */
export type Random = () => number;

/** 32 bits that differ where the texts differ (FNV-1a). */
const hash = (text: string): number => {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
};

/** The stream of a seed and a place in the search (mulberry32): the same for the same texts. */
export const randomFrom = (...seed: readonly (string | number)[]): Random => {
  let state = hash(seed.join(':'));
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A number of the normal distribution around 0 with deviation 1. */
export const normalFrom = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
