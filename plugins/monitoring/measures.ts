// The measures of drift, and how large each becomes by chance alone. Pure; `monitoring.md` part 8 has the formulas.
import { Failure } from '#ports/failure';
import {
  countsUpTo,
  deviationOf,
  quantileOf,
  sizeOf,
  type Numbers,
  type Sketch,
} from './sketches.js';

export const algorithms = ['EMD', 'PSI', 'KL', 'JS', 'HELLINGER', 'KS', 'CHI2', 'LINF'] as const;
export type Algorithm = (typeof algorithms)[number];

/** The measure that a client names, by any of the names in use. */
export const algorithmOf = (name: string | undefined): Algorithm => {
  const given = (name ?? 'EMD').toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  const aliases: Readonly<Record<string, Algorithm>> = {
    WASSERSTEIN: 'EMD',
    JENSENSHANNON: 'JS',
    CHISQUARE: 'CHI2',
    LINFINITY: 'LINF',
  };
  const found = algorithms.find((one) => one === given) ?? aliases[given];
  if (found === undefined)
    throw new Failure('invalid', `algorithmType must be one of ${algorithms.join(', ')}`);
  return found;
};

/** How empty bins are kept from making a logarithm infinite: 0.5 is added to each count, or no share is below 0.0001. */
export type Smoothing = 'half' | 'floor' | 'none';

const total = (counts: readonly number[]): number => {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
};

export const sharesOf = (counts: readonly number[], smoothing: Smoothing): readonly number[] => {
  const added = smoothing === 'half' ? 0.5 : 0;
  const all = total(counts) + added * counts.length;
  const shares = counts.map((count) => (all === 0 ? 0 : (count + added) / all));
  if (smoothing !== 'floor') return shares;
  const raised = shares.map((share) => Math.max(share, 1e-4));
  return raised.map((share) => share / total(raised));
};

type Shares = readonly number[];
const over = (p: Shares, q: Shares, term: (p: number, q: number) => number): number => {
  let sum = 0;
  for (let at = 0; at < p.length; at++) sum += term(p[at] ?? 0, q[at] ?? 0);
  return sum;
};
const log = (p: number, q: number): number => (p === 0 ? 0 : p * Math.log(p / q));

export const psi = (p: Shares, q: Shares): number =>
  over(p, q, (a, b) => (a === b ? 0 : (b - a) * Math.log(b / a)));
/** Current relative to baseline. */
export const kl = (p: Shares, q: Shares): number => over(p, q, (a, b) => log(b, a));
/** The divergence in bits; the distance is its square root. */
export const js = (p: Shares, q: Shares): number =>
  over(p, q, (a, b) => (log(a, (a + b) / 2) + log(b, (a + b) / 2)) / 2) / Math.LN2;
export const totalVariation = (p: Shares, q: Shares): number =>
  over(p, q, (a, b) => Math.abs(a - b)) / 2;
export const hellinger = (p: Shares, q: Shares): number =>
  Math.sqrt(over(p, q, (a, b) => (Math.sqrt(a) - Math.sqrt(b)) ** 2) / 2);
export const lInfinity = (p: Shares, q: Shares): number =>
  p.reduce((most, share, at) => Math.max(most, Math.abs(share - (q[at] ?? 0))), 0);

/** Of the table of two rows of counts. */
export const chiSquare = (baseline: readonly number[], current: readonly number[]): number => {
  const [n, m] = [total(baseline), total(current)];
  if (n === 0 || m === 0) return 0;
  let sum = 0;
  for (let at = 0; at < baseline.length; at++) {
    const [count, other] = [baseline[at] ?? 0, current[at] ?? 0];
    const both = count + other;
    if (both === 0) continue;
    const a = (both * n) / (n + m);
    const b = (both * m) / (n + m);
    sum += (count - a) ** 2 / a + (other - b) ** 2 / b;
  }
  return sum;
};

/** The quantile of the chi-square distribution, by the approximation of Wilson and Hilferty. */
export const chiSquareQuantile = (degrees: number, z: number): number =>
  degrees <= 0 ? 0 : degrees * (1 - 2 / (9 * degrees) + z * Math.sqrt(2 / (9 * degrees))) ** 3;

/** The share of a standard normal beyond `z`, by formula 7.1.26 of Abramowitz and Stegun. */
const normalTail = (z: number): number => {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const terms = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
  const tail = (terms.reduceRight((sum, term) => (sum + term) * t, 0) * Math.exp(-x * x)) / 2;
  return z < 0 ? 1 - tail : tail;
};
/** The share of the chi-square distribution beyond a value, by the same approximation as its quantile. */
export const chiSquareTail = (degrees: number, value: number): number => {
  if (degrees <= 0) return 1;
  const spread = 2 / (9 * degrees);
  return normalTail((Math.cbrt(Math.max(0, value) / degrees) - 1 + spread) / Math.sqrt(spread));
};

/** How likely two samples of one distribution have functions that lie as far apart as these, by the limit of Kolmogorov with the correction of Stephens (1970). */
export const kolmogorovTail = (distance: number, n: number, m: number): number => {
  const root = Math.sqrt((n * m) / (n + m));
  const far = (root + 0.12 + 0.11 / root) * distance;
  // The series says nothing of functions that are nearly the same.
  if (far < 0.3) return 1;
  let sum = 0;
  for (let term = 1; term <= 20; term++)
    sum += (term % 2 === 1 ? 2 : -2) * Math.exp(-2 * term * term * far * far);
  return Math.min(1, Math.max(0, sum));
};

/** Where the distribution function of a sketch changes, in ascending order. */
const pointsOf = ({ means, min, max }: Sketch): Numbers => {
  if (min === null || max === null || (means[0] === min && means.at(-1) === max)) return means;
  return [min, ...means, max];
};
/** The different numbers of two ascending lists, in ascending order. */
const mergeSorted = (one: Numbers, other: Numbers): readonly number[] => {
  const merged: number[] = [];
  let [left, right, last] = [0, 0, NaN];
  while (left < one.length || right < other.length) {
    const [a, b] = [one[left] ?? Infinity, other[right] ?? Infinity];
    const next = Math.min(a, b);
    if (a <= b) left++;
    else right++;
    if (next !== last) merged.push(next);
    last = next;
  }
  return merged;
};

/** Both distribution functions at every point where one of them changes. */
const functionsOf = (one: Sketch, other: Sketch) => {
  const points = mergeSorted(pointsOf(one), pointsOf(other));
  const of = (sketch: Sketch) => countsUpTo(sketch, points).map((n) => n / sketch.numbers);
  return { points, f: of(one), g: of(other) };
};

/** The area between the distribution functions, in the unit of the field. */
export const earthMover = (one: Sketch, other: Sketch): number => {
  const { points, f, g } = functionsOf(one, other);
  const stepped = one.exact && other.exact;
  let sum = 0;
  for (let at = 0; at + 1 < points.length; at++) {
    const width = (points[at + 1] ?? 0) - (points[at] ?? 0);
    const left = (f[at] ?? 0) - (g[at] ?? 0);
    const right = stepped ? left : (f[at + 1] ?? 0) - (g[at + 1] ?? 0);
    sum += width * areaBetween(left, right);
  }
  return sum;
};
/** The mean of the absolute value along a straight line. */
const areaBetween = (left: number, right: number): number =>
  left * right >= 0
    ? Math.abs(left + right) / 2
    : (left * left + right * right) / (2 * Math.abs(left - right));

export const kolmogorovSmirnov = (one: Sketch, other: Sketch): number => {
  const { f, g } = functionsOf(one, other);
  return f.reduce((most, share, at) => Math.max(most, Math.abs(share - (g[at] ?? 0))), 0);
};

/** Where the values of a field are counted: texts of their own, or ranges of numbers. Made from a baseline, and frozen with it. */
export type Bins =
  | {
      readonly of: 'texts';
      /** Each has a bin of its own. */
      readonly texts: readonly string[];
      /** Further texts of the baseline, which share one; without any there is only that of texts that the baseline has not. */
      readonly others?: { readonly texts: ReadonlySet<string>; readonly areAll: boolean };
    }
  /** One for each number. */
  | { readonly of: 'numbers'; readonly numbers: readonly number[] }
  /** Up to each edge, and beyond the last. */
  | { readonly of: 'ranges'; readonly edges: readonly number[] };

const [mostTexts, mostNumbers, ranges, mostRanges] = [100, 20, 10, 20] as const;

/** How numbers are cut into bins: tenths of the baseline, ten of one width, as many as Freedman and Diaconis say, or at edges of one's own. */
export const binnings = ['QUANTILE', 'WIDTH', 'FREEDMAN_DIACONIS', 'EDGES'] as const;
export type Binning =
  | { readonly by: Exclude<(typeof binnings)[number], 'EDGES'> }
  | { readonly by: 'EDGES'; readonly edges: readonly number[] };

const textBins = ({ texts, otherTexts }: Sketch): Bins => {
  const sorted = Object.entries(texts)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([text]) => text);
  const others = { texts: new Set(sorted.slice(mostTexts)), areAll: otherTexts === 0 };
  return {
    of: 'texts',
    texts: sorted.slice(0, mostTexts),
    ...(others.texts.size === 0 ? {} : { others }),
  };
};

/** The rule of D. Freedman and P. Diaconis, "On the histogram as a density estimator" (1981), for at most twenty ranges. */
const freedmanDiaconis = (baseline: Sketch, span: number): number => {
  const middle = (quantileOf(baseline, 0.75) ?? 0) - (quantileOf(baseline, 0.25) ?? 0);
  const wanted = Math.ceil((span * Math.cbrt(baseline.numbers)) / (2 * middle));
  return Math.min(mostRanges, Math.max(1, Number.isFinite(wanted) ? wanted : mostRanges));
};

export const binsOf = (baseline: Sketch, binning: Binning = { by: 'QUANTILE' }): Bins => {
  const { numbers, exact, means, min, max } = baseline;
  if (numbers === 0 || min === null || max === null) return textBins(baseline);
  if (binning.by === 'EDGES') return { of: 'ranges', edges: binning.edges };
  if (min === max || (binning.by === 'QUANTILE' && exact && means.length <= mostNumbers))
    return { of: 'numbers', numbers: [...means] };
  const count = binning.by === 'FREEDMAN_DIACONIS' ? freedmanDiaconis(baseline, max - min) : ranges;
  const edges = Array.from({ length: count - 1 }, (_, at) =>
    binning.by === 'QUANTILE'
      ? quantileOf(baseline, (at + 1) / count)
      : min + ((at + 1) * (max - min)) / count,
  ).filter((edge) => edge !== null);
  return { of: 'ranges', edges: [...new Set(edges)] };
};

/** How many values of a sketch lie in each bin; the last ones are what the baseline's texts or numbers leave over, those that are new behind those that are rare. */
export const countIn = (bins: Bins, sketch: Sketch): readonly number[] => {
  if (bins.of === 'texts') {
    const named = bins.texts.map((text) => sketch.texts[text] ?? 0);
    const left = Math.max(0, sizeOf(sketch) - sketch.numbers - total(named));
    if (bins.others === undefined) return [...named, left];
    const { texts, areAll } = bins.others;
    // Where the baseline has more texts than are kept of it, nobody can tell which ones are new.
    if (!areAll) return [...named, left, 0];
    let others = 0;
    for (const text of texts) others += sketch.texts[text] ?? 0;
    return [...named, others, Math.max(0, left - others)];
  }
  if (bins.of === 'ranges') {
    const counts: number[] = [];
    let before = 0;
    for (const below of countsUpTo(sketch, bins.edges)) {
      counts.push(below - before);
      before = below;
    }
    counts.push(sketch.numbers - before);
    return counts;
  }
  const up = countsUpTo(sketch, bins.numbers);
  const justBelow = countsUpTo(sketch, bins.numbers.map(before));
  const named = up.map((n, at) => Math.max(0, n - (justBelow[at] ?? 0)));
  return [...named, Math.max(0, sketch.numbers - total(named))];
};
/** A number right below this one. */
const before = (x: number): number => x - Math.max(Number.MIN_VALUE, Math.abs(x) * 1e-12);

/** A value of drift with what is needed to judge it. */
export interface Drift {
  readonly value: number;
  /** Values of the current span. */
  readonly sampleCount: number;
  /** What no drift at all exceeds in one of twenty spans of this size. */
  readonly noiseFloor95: number;
  readonly significant: boolean;
  /** How likely counts as different as these are without drift. */
  readonly pValue: () => number;
  /** The area between the functions over the deviation of the baseline; EMD of numbers only. */
  readonly relative?: number;
}

const z95 = 1.6449;

/** The 95% bound of each measure without drift: all follow from the chi-square law of the binned shares. */
const floorOf = (
  algorithm: Algorithm,
  { k, n, m }: { readonly k: number; readonly n: number; readonly m: number },
): number => {
  const chi = chiSquareQuantile(k - 1, z95);
  const spread = (1 / n + 1 / m) * chi;
  const few = 1 + k / Math.min(n, m); // empty bins weigh more in these two than the law says, where a bin has few values
  switch (algorithm) {
    case 'PSI':
      return spread;
    case 'KL':
      return spread / 2;
    case 'JS':
      return Math.sqrt((spread * few) / (8 * Math.LN2));
    case 'HELLINGER':
      // The root of small shares weighs more than the distance of shares does.
      return Math.sqrt((spread * (1 + (3 * k) / Math.min(n, m))) / 8);
    case 'CHI2':
      return chi;
    case 'KS':
      return 1.3581 * Math.sqrt(1 / n + 1 / m);
    default:
      return Math.sqrt(spread) / 2; // total variation and the largest difference are at most half the root (Cauchy)
  }
};

/** The 95% bound of the area between two functions of numbers: of the band in which each point stays. */
const earthFloor = (baseline: Sketch, n: number, m: number): number => {
  const { means, weights } = baseline;
  let [below, sum] = [0, 0];
  for (let at = 0; at + 1 < means.length; at++) {
    below += weights[at] ?? 0;
    const share = below / baseline.numbers;
    sum += ((means[at + 1] ?? 0) - (means[at] ?? 0)) * Math.sqrt(share * (1 - share));
  }
  return 1.96 * Math.sqrt(1 / n + 1 / m) * sum;
};

/** How a measure deals with empty bins where that was asked for: those without a logarithm of one side alone need nothing. */
export const smoothingOf = (algorithm: Algorithm, asked: Smoothing = 'half'): Smoothing =>
  algorithm === 'PSI' || algorithm === 'KL' ? asked : 'none';

const binned = (algorithm: Algorithm, p: Shares, q: Shares): number => {
  switch (algorithm) {
    case 'PSI':
      return psi(p, q);
    case 'KL':
      return kl(p, q);
    case 'JS':
      return Math.sqrt(js(p, q));
    case 'HELLINGER':
      return hellinger(p, q);
    case 'LINF':
      return lInfinity(p, q);
    default:
      return totalVariation(p, q);
  }
};

/** What a measure needs to know of a span: little, so that it may be kept for each of many spans. */
export interface Measured {
  /** Values of the span. */
  readonly sampleCount: number;
  /** How many of them lie in each bin. */
  readonly counts: readonly number[];
  /** What no bins tell: the area between the functions of numbers, or their largest difference. */
  readonly distance: number | null;
}

/** Spans as they are held against a baseline. What follows from the baseline alone is worked out once. */
export interface Comparing {
  readonly bins: number;
  /** Nothing where the span or the baseline has no value. */
  measure(current: Sketch): Measured | undefined;
  judge(measured: Measured): Drift;
}

/** How values are counted before they are compared. */
export interface Counting {
  /** Those of the baseline where left out. */
  readonly bins?: Bins;
  readonly smoothing?: Smoothing;
  /** Missing values are a bin of their own; otherwise they are no part of it. */
  readonly withMissing?: boolean;
}

/** Whether a measure looks at numbers themselves, and not at bins of them. */
export const isOfValues = (algorithm: Algorithm): boolean =>
  algorithm === 'EMD' || algorithm === 'KS';

export const comparingWith = (
  algorithm: Algorithm,
  baseline: Sketch,
  { bins = binsOf(baseline), smoothing, withMissing = false }: Counting = {},
): Comparing => {
  const isNumeric = bins.of !== 'texts';
  const sized = (sketch: Sketch): number =>
    (isNumeric ? sketch.numbers : sizeOf(sketch)) + (withMissing ? sketch.missing : 0);
  const countsOf = (sketch: Sketch): readonly number[] =>
    withMissing ? [...countIn(bins, sketch), sketch.missing] : countIn(bins, sketch);
  const smoothed = smoothingOf(algorithm, smoothing);
  const n = sized(baseline);
  const inBaseline = countsOf(baseline);
  const shares = sharesOf(inBaseline, smoothed);
  const spread = deviationOf(baseline);
  const distanceOf =
    !isNumeric || !isOfValues(algorithm)
      ? undefined
      : algorithm === 'EMD'
        ? earthMover
        : kolmogorovSmirnov;
  return {
    bins: inBaseline.length,
    measure(current) {
      const m = sized(current);
      return n === 0 || m === 0
        ? undefined
        : {
            sampleCount: m,
            counts: countsOf(current),
            distance: distanceOf?.(baseline, current) ?? null,
          };
    },
    judge({ sampleCount: m, counts: inCurrent, distance }) {
      // A bin in which there is nothing on either side is none: what is added to its counts would be taken for drift.
      const isHeld = (_: number, at: number): boolean =>
        (inBaseline[at] ?? 0) + (inCurrent[at] ?? 0) > 0;
      const all = inCurrent.every(isHeld);
      const [p, q] = all
        ? [inBaseline, inCurrent]
        : [inBaseline.filter(isHeld), inCurrent.filter(isHeld)];
      const k = p.length;
      const judged = (value: number, noiseFloor95: number): Drift => ({
        value,
        sampleCount: m,
        noiseFloor95,
        significant: value > noiseFloor95,
        // Alerts ask for it, series of thousands of points do not.
        pValue: () =>
          distance !== null && algorithm === 'KS'
            ? kolmogorovTail(distance, n, m)
            : chiSquareTail(k - 1, chiSquare(p, q)),
      });
      if (distance !== null && algorithm === 'EMD')
        return {
          ...judged(distance, earthFloor(baseline, n, m)),
          ...(spread === 0 ? {} : { relative: distance / spread }),
        };
      const value =
        algorithm === 'CHI2'
          ? chiSquare(p, q)
          : (distance ??
            binned(algorithm, all ? shares : sharesOf(p, smoothed), sharesOf(q, smoothed)));
      return judged(value, floorOf(algorithm, { k, n, m }));
    },
  };
};

/** How far spans are from a baseline: nothing where one of them has no value. */
export const driftsFrom = (
  algorithm: Algorithm,
  baseline: Sketch,
  counting?: Counting,
): ((current: Sketch) => Drift | undefined) => {
  const comparing = comparingWith(algorithm, baseline, counting);
  return (current) => {
    const measured = comparing.measure(current);
    return measured && comparing.judge(measured);
  };
};

/** How far a span is from a baseline; nothing where one of them has no value. */
export const driftOf = (
  algorithm: Algorithm,
  baseline: Sketch,
  current: Sketch,
  counting?: Counting,
): Drift | undefined => driftsFrom(algorithm, baseline, counting)(current);
