// What is kept of the values of one field in a span of time. Numbers: counts, moments and a merging t-digest (T. Dunning, O. Ertl, "Computing
// Extremely Accurate Quantiles Using t-Digests", 2019), exact while there are few different ones. Texts: how often each stood there.
// How many different values there were: by counting while all of them are there, and by HyperLogLog from then on. Pure.
import { Distinct, estimateOf } from './distinct.js';
import type { Value } from './items.js';

/** Numbers side by side; those that were read lie where they were read. */
export type Numbers = readonly number[] | Float64Array | Int32Array;

/** Sums over one field. Two of them are merged by `mergeSketches`; nothing changes one. */
export interface Sketch {
  /** Events that were there to have a value. */
  readonly events: number;
  readonly missing: number;
  readonly zeros: number;
  readonly negatives: number;
  readonly longTexts: number;
  readonly numbers: number;
  readonly sum: number;
  readonly squares: number;
  readonly min: number | null;
  readonly max: number | null;
  /** Means and weights of numbers in ascending order, side by side. */
  readonly means: Numbers;
  readonly weights: Numbers;
  /** Whether each mean is a value that stood there, with the number of times. */
  readonly exact: boolean;
  /** The most frequent texts, and the sum of the others. */
  readonly texts: Readonly<Record<string, number>>;
  readonly otherTexts: number;
  /** What tells how many different values there were, packed; null while each of them is there, and for sums that were made before it was kept. */
  readonly registers: Uint8Array | null;
}

export const emptySketch: Sketch = {
  events: 0,
  missing: 0,
  zeros: 0,
  negatives: 0,
  longTexts: 0,
  numbers: 0,
  sum: 0,
  squares: 0,
  min: null,
  max: null,
  means: [],
  weights: [],
  exact: true,
  texts: {},
  otherTexts: 0,
  registers: null,
};

const [mostExact, mostTexts, longText, compression] = [256, 1000, 1024, 200] as const;

/** The scale function k1 of the paper, which keeps the ends fine and the middle coarse. */
const scale = (quantile: number): number =>
  (compression / (2 * Math.PI)) * Math.asin(2 * Math.min(1, quantile) - 1);

/** The share at which the scale function has that value; 1 beyond its end. */
const shareAt = (scaled: number): number =>
  scaled >= compression / 4 ? 1 : (Math.sin((scaled * 2 * Math.PI) / compression) + 1) / 2;

interface Points {
  readonly means: Numbers;
  readonly weights: Numbers;
}

/** Neighbours of sorted points joined as far as the scale function allows. */
const compress = ({ means, weights }: Points): Points => {
  let total = 0;
  for (const weight of weights) total += weight;
  const [outMeans, outWeights]: [number[], number[]] = [[], []];
  let [before, mean, weight] = [0, means[0] ?? 0, weights[0] ?? 0];
  let most = total * shareAt(scale(0) + 1);
  for (let at = 1; at < means.length; at++) {
    const [nextMean, nextWeight] = [means[at] ?? 0, weights[at] ?? 0];
    const together = weight + nextWeight;
    if (before + together <= most) {
      mean += ((nextMean - mean) * nextWeight) / together;
      weight = together;
    } else {
      outMeans.push(mean);
      outWeights.push(weight);
      before += weight;
      most = total * shareAt(scale(before / total) + 1);
      [mean, weight] = [nextMean, nextWeight];
    }
  }
  outMeans.push(mean);
  outWeights.push(weight);
  return { means: outMeans, weights: outWeights };
};

/** Points of both in order; equal means are one. */
const mergePoints = (one: Points, other: Points): Points => {
  const [means, weights]: [number[], number[]] = [[], []];
  let [left, right] = [0, 0];
  while (left < one.means.length || right < other.means.length) {
    const [a, b] = [one.means[left] ?? Infinity, other.means[right] ?? Infinity];
    const mean = Math.min(a, b);
    const weight = a <= b ? (one.weights[left++] ?? 0) : (other.weights[right++] ?? 0);
    const last = means.length - 1;
    if (means[last] === mean) weights[last] = (weights[last] ?? 0) + weight;
    else {
      means.push(mean);
      weights.push(weight);
    }
  }
  return { means, weights };
};

const bounded = (points: Points, exact: boolean): Points & { readonly exact: boolean } =>
  exact && points.means.length <= mostExact
    ? { ...points, exact: true }
    : points.means.length === 0
      ? { ...points, exact }
      : { ...compress(points), exact: false };

const mostFrequent = (counts: ReadonlyMap<string, number>, others: number) => {
  if (counts.size <= mostTexts) return { texts: Object.fromEntries(counts), otherTexts: others };
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return {
    texts: Object.fromEntries(sorted.slice(0, mostTexts)),
    otherTexts: sorted.slice(mostTexts).reduce((sum, [, n]) => sum + n, others),
  };
};

/** What of a sketch tells its different values. */
type Kept = Pick<Sketch, 'means' | 'exact' | 'texts' | 'otherTexts' | 'registers'>;
/** Whether every value is there. */
const isWhole = ({ exact, otherTexts }: Pick<Kept, 'exact' | 'otherTexts'>): boolean =>
  exact && otherTexts === 0;

/** Registers of what holds not every value: of these, which do, or have registers. Null where that is not known of one. */
const registersOf = (parts: readonly Kept[]): Uint8Array | null => {
  const all = new Distinct();
  for (const part of parts)
    if (part.registers !== null) all.join(part.registers);
    else if (!isWhole(part)) return null;
    else {
      for (const mean of part.means) all.add(mean);
      for (const text of Object.keys(part.texts)) all.add(text);
    }
  return all.pack();
};

/** How many different values there were; an estimate where they were many. Null for sums that were made before that was kept. */
export const distinctOf = (sketch: Kept): number | null => {
  if (sketch.registers !== null) return estimateOf(sketch.registers);
  return isWhole(sketch) ? sketch.means.length + Object.keys(sketch.texts).length : null;
};

/** Sums up values; `events` is how many could have had one. */
export const sketchOf = (
  values: readonly Value[] | Float64Array,
  events = values.length,
): Sketch => {
  const numbers = new Float64Array(values.length);
  const texts = new Map<string, number>();
  let [count, longTexts] = [0, 0];
  if (values instanceof Float64Array) {
    numbers.set(values);
    count = values.length;
  } else
    for (const value of values)
      if (typeof value === 'number') numbers[count++] = value;
      else {
        texts.set(value, (texts.get(value) ?? 0) + 1);
        if (value.length >= longText) longTexts++;
      }
  const sorted = numbers.subarray(0, count).sort();
  const [allMeans, allWeights] = [new Float64Array(count), new Float64Array(count)];
  let [sum, squares, zeros, negatives, last, different] = [0, 0, 0, 0, NaN, 0];
  for (let at = 0; at < count; at++) {
    const value = sorted[at] ?? 0;
    if (value === last) allWeights[different - 1] = (allWeights[different - 1] ?? 0) + 1;
    else {
      allMeans[different] = value;
      allWeights[different++] = 1;
      last = value;
    }
    sum += value;
    squares += value * value;
    if (value === 0) zeros++;
    if (value < 0) negatives++;
  }
  const [means, weights] = [allMeans.slice(0, different), allWeights.slice(0, different)];
  const kept = { ...bounded({ means, weights }, true), ...mostFrequent(texts, 0) };
  let registers: Uint8Array | null = null;
  if (!isWhole(kept)) {
    const all = new Distinct();
    for (const mean of means) all.add(mean);
    for (const text of texts.keys()) all.add(text);
    registers = all.pack();
  }
  return {
    events,
    missing: Math.max(0, events - values.length),
    zeros,
    negatives,
    longTexts,
    numbers: count,
    sum,
    squares,
    min: sorted[0] ?? null,
    max: sorted[count - 1] ?? null,
    ...kept,
    registers,
  };
};

/** Sums that somebody else made, of which every value is counted; what is left out of them follows from the points. */
export const sketchOfSums = (given: {
  readonly events: number;
  readonly points: Points;
  readonly exact: boolean;
  readonly ends: { readonly min: number; readonly max: number } | undefined;
  readonly sum: number | undefined;
  readonly squares: number | undefined;
  readonly texts: ReadonlyMap<string, number>;
  readonly otherTexts: number;
}): Sketch => {
  const { events, points, exact, ends, otherTexts } = given;
  const { means, weights } = points;
  let [numbers, sum, squares, zeros, negatives] = [0, 0, 0, 0, 0];
  for (let at = 0; at < means.length; at++) {
    const [mean, weight] = [means[at] ?? 0, weights[at] ?? 0];
    numbers += weight;
    sum += mean * weight;
    squares += mean * mean * weight;
    if (mean === 0) zeros += weight;
    if (mean < 0) negatives += weight;
  }
  let [texts, longTexts] = [0, 0];
  for (const [text, count] of given.texts) {
    texts += count;
    if (text.length >= longText) longTexts += count;
  }
  const kept = { ...bounded(points, exact), ...mostFrequent(given.texts, otherTexts) };
  return {
    ...{ events, missing: Math.max(0, events - numbers - texts - otherTexts) },
    ...{ zeros, negatives, longTexts, numbers },
    ...{ sum: given.sum ?? sum, squares: given.squares ?? squares },
    ...{ min: ends?.min ?? null, max: ends?.max ?? null },
    ...kept,
    registers:
      exact && !isWhole(kept)
        ? registersOf([
            { means, exact, texts: Object.fromEntries(given.texts), otherTexts, registers: null },
          ])
        : null,
  };
};

const least = (one: number | null, other: number | null, pick: typeof Math.min) =>
  one === null ? other : other === null ? one : pick(one, other);

export const mergeSketches = (one: Sketch, other: Sketch): Sketch => {
  if (one === emptySketch) return other;
  if (other === emptySketch) return one;
  const texts = new Map(Object.entries(one.texts));
  for (const [text, n] of Object.entries(other.texts)) texts.set(text, (texts.get(text) ?? 0) + n);
  const kept = {
    ...bounded(mergePoints(one, other), one.exact && other.exact),
    ...mostFrequent(texts, one.otherTexts + other.otherTexts),
  };
  return {
    events: one.events + other.events,
    missing: one.missing + other.missing,
    zeros: one.zeros + other.zeros,
    negatives: one.negatives + other.negatives,
    longTexts: one.longTexts + other.longTexts,
    numbers: one.numbers + other.numbers,
    sum: one.sum + other.sum,
    squares: one.squares + other.squares,
    min: least(one.min, other.min, Math.min),
    max: least(one.max, other.max, Math.max),
    ...kept,
    registers: isWhole(kept) ? null : registersOf([one, other]),
  };
};

/** Many of them as one. Neighbours are merged first, so that no number is gone through more often than need be. */
export const mergeAll = (sketches: readonly Sketch[]): Sketch => {
  let level = sketches;
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) =>
      mergeSketches(level[2 * at] ?? emptySketch, level[2 * at + 1] ?? emptySketch),
    );
  return level[0] ?? emptySketch;
};

/** Values that it counts: numbers and texts. */
export const sizeOf = (sketch: Sketch): number =>
  sketch.numbers + sketch.otherTexts + Object.values(sketch.texts).reduce((sum, n) => sum + n, 0);

/** The population deviation of the numbers; 0 without any. */
export const deviationOf = ({ numbers, sum, squares }: Sketch): number =>
  numbers === 0 ? 0 : Math.sqrt(Math.max(0, squares / numbers - (sum / numbers) ** 2));

/** The value below which that share of the numbers lies, between neighbours on the straight line; null without numbers. */
export const quantileOf = (sketch: Sketch, share: number): number | null => {
  const { means, weights, numbers, min, max, exact } = sketch;
  if (min === null || max === null) return null;
  if (share <= 0) return min;
  if (share >= 1) return max;
  if (exact) {
    const place = share * (numbers - 1);
    const valueAt = (rank: number): number => {
      let before = 0;
      for (const [at, weight] of weights.entries()) {
        before += weight;
        if (rank < before) return means[at] ?? max;
      }
      return max;
    };
    const low = valueAt(Math.floor(place));
    return low + (valueAt(Math.ceil(place)) - low) * (place - Math.floor(place));
  }
  const rank = share * numbers;
  let [before, lastMiddle, lastMean] = [0, 0, min];
  for (const [at, weight] of weights.entries()) {
    const [middle, mean] = [before + weight / 2, means[at] ?? max];
    if (rank < middle)
      return lastMean + ((mean - lastMean) * (rank - lastMiddle)) / (middle - lastMiddle);
    [before, lastMiddle, lastMean] = [before + weight, middle, mean];
  }
  return lastMean + ((max - lastMean) * (rank - lastMiddle)) / (numbers - lastMiddle || 1);
};

/** How many of the numbers are at most each of these values, which ascend. */
export const countsUpTo = (sketch: Sketch, values: readonly number[]): readonly number[] => {
  const { means, weights, numbers, min, max, exact } = sketch;
  if (min === null || max === null) return values.map(() => 0);
  let [at, before] = [0, 0];
  let [lastMiddle, lastMean] = [0, min];
  const countUpTo = (value: number): number => {
    if (value < min) return 0;
    if (value >= max) return numbers;
    if (exact) {
      while (at < means.length && (means[at] ?? 0) <= value) before += weights[at++] ?? 0;
      return before;
    }
    while (at < means.length && (means[at] ?? 0) <= value) {
      lastMiddle = before + (weights[at] ?? 0) / 2;
      lastMean = means[at] ?? 0;
      before += weights[at++] ?? 0;
    }
    const isLast = at >= means.length;
    const nextMean = isLast ? max : (means[at] ?? 0);
    const nextMiddle = isLast ? numbers : before + (weights[at] ?? 0) / 2;
    return nextMean === lastMean
      ? nextMiddle
      : lastMiddle + ((nextMiddle - lastMiddle) * (value - lastMean)) / (nextMean - lastMean);
  };
  const counts: number[] = [];
  for (const value of values) counts.push(countUpTo(value));
  return counts;
};
