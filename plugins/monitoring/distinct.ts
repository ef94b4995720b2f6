// How many different values there were, where they are too many to be kept: HyperLogLog (P. Flajolet, É. Fusy, O. Gandouet, F. Meunier, 2007) with the
// estimate of O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017. It is within 3.3% in two of three cases. Pure.
import type { Value } from './items.js';

const bits = 10;
const registerCount = 2 ** bits;
/** A register holds at most one more than the bits that are looked at. */
const lookedAt = 32;
const mostKept = 15;
/** Bytes of packed registers: what the least of them is, and by how much each is above it, four bits each. */
export const packedBytes = 1 + registerCount / 2;

const mix = (given: number): number => {
  let word = given ^ (given >>> 16);
  word = Math.imul(word, 0x7feb352d);
  word ^= word >>> 15;
  word = Math.imul(word, 0x846ca68b);
  return word ^ (word >>> 16);
};

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

/** Values as they come, each of which counts once. */
export class Distinct {
  readonly #registers = new Uint8Array(registerCount);

  add(value: Value): void {
    let [one, other] = [0x9e3779b9, 0x243f6a88];
    if (typeof value === 'number') {
      double[0] = value + 0; // of -0 as of 0
      one = mix(one ^ (words[0] ?? 0));
      one = mix(one ^ (words[1] ?? 0));
      other = mix(other ^ (words[1] ?? 0));
      other = mix(other ^ (words[0] ?? 0));
    } else
      for (let at = 0; at < value.length; at++) {
        one = Math.imul(one ^ value.charCodeAt(at), 0x01000193);
        other = Math.imul(other ^ value.charCodeAt(at), 0x5bd1e995);
        other ^= other >>> 13;
      }
    const place = mix(one) >>> (32 - bits);
    const rank = Math.clz32(mix(other ^ Math.imul(one, 3))) + 1;
    if (rank > (this.#registers[place] ?? 0)) this.#registers[place] = rank;
  }

  /** Adds what was packed. */
  join(packed: Uint8Array): void {
    const least = packed[0] ?? 0;
    for (let place = 0; place < registerCount; place++) {
      const pair = packed[1 + (place >> 1)] ?? 0;
      const rank = least + (place % 2 === 0 ? pair & 15 : pair >> 4);
      if (rank > (this.#registers[place] ?? 0)) this.#registers[place] = rank;
    }
  }

  /** Ranks that are far above the least one are cut, which takes less than a thousandth from the estimate. */
  pack(): Uint8Array {
    let least = lookedAt + 1;
    for (const rank of this.#registers) if (rank < least) least = rank;
    const packed = new Uint8Array(packedBytes);
    packed[0] = least;
    for (let place = 0; place < registerCount; place++) {
      const above = Math.min(mostKept, (this.#registers[place] ?? 0) - least);
      const at = 1 + (place >> 1);
      packed[at] = (packed[at] ?? 0) | (place % 2 === 0 ? above : above << 4);
    }
    return packed;
  }

  estimate(): number {
    const counts = new Array<number>(lookedAt + 2).fill(0);
    for (const rank of this.#registers) counts[rank] = (counts[rank] ?? 0) + 1;
    const shareOf = (rank: number): number => (counts[rank] ?? 0) / registerCount;
    let sum = registerCount * tau(1 - shareOf(lookedAt + 1));
    for (let rank = lookedAt; rank >= 1; rank--) sum = 0.5 * (sum + (counts[rank] ?? 0));
    sum += registerCount * sigma(shareOf(0));
    return (registerCount * registerCount) / (2 * Math.LN2 * sum);
  }
}

/** The sums of the second paper: of registers that nothing came to, and of those that are full. */
const sigma = (share: number): number => {
  if (share === 1) return Infinity;
  let [power, factor, sum, before] = [share, 1, share, -1];
  while (sum !== before) {
    before = sum;
    power *= power;
    sum += power * factor;
    factor += factor;
  }
  return sum;
};
const tau = (share: number): number => {
  if (share === 0 || share === 1) return 0;
  let [root, factor, sum, before] = [share, 1, 1 - share, -1];
  while (sum !== before) {
    before = sum;
    root = Math.sqrt(root);
    factor *= 0.5;
    sum -= (1 - root) ** 2 * factor;
  }
  return sum / 3;
};

/** How many different values went into what was packed. */
export const estimateOf = (packed: Uint8Array): number => {
  const all = new Distinct();
  all.join(packed);
  return Math.round(all.estimate());
};
