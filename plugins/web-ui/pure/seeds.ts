// Runs that differ by their random seed only, as one, and whether two of those differ by more than chance. Pure.
import { formatNumber } from './format.js';

/** Whether a parameter is likely to be a seed, by its name. */
export const isSeed = (name: string): boolean =>
  /(^|[^a-z])(random|rng|global|data|torch|numpy|np|py)?[_\-. ]?(seed|random_?state)s?$/i.test(
    name,
  );

export interface SeedRun {
  readonly key: string;
  readonly name: string;
  /** Values of the parameters, in the order of their names. */
  readonly parameters: readonly unknown[];
  /** The metric that is compared; nothing where the run has none. */
  readonly value: number | undefined;
}

/** Runs with the same parameters but for the seeds. */
export interface Configuration {
  readonly key: string;
  readonly runs: readonly SeedRun[];
  /** The values of those runs that have one. */
  readonly values: readonly number[];
  readonly mean: number | undefined;
  /** Of the runs, with one less than their number below the line; nothing of a single one. */
  readonly deviation: number | undefined;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

const varianceOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (values.length - 1);
};

/** Configurations in the order of their first run. */
export const configurationsOf = (
  names: readonly string[],
  seeds: ReadonlySet<string>,
  runs: readonly SeedRun[],
): readonly Configuration[] => {
  const groups = new Map<string, SeedRun[]>();
  for (const run of runs) {
    const key = JSON.stringify(
      run.parameters.filter((_, at) => !seeds.has(names[at] ?? '')).map((one) => one ?? null),
    );
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [run]);
    else group.push(run);
  }
  return [...groups.values()].map((inside) => {
    const values = inside.flatMap(({ value }) => value ?? []);
    return {
      key: inside[0]?.key ?? '',
      runs: inside,
      values,
      mean: values.length === 0 ? undefined : meanOf(values),
      deviation: values.length < 2 ? undefined : Math.sqrt(varianceOf(values)),
    };
  });
};

/** Places of the parameters, seeds aside, in which configurations differ. */
export const differingPlaces = (
  names: readonly string[],
  seeds: ReadonlySet<string>,
  all: readonly Configuration[],
): readonly number[] =>
  names.flatMap((name, at) => {
    const values = new Set(all.map(({ runs }) => JSON.stringify(runs[0]?.parameters[at] ?? null)));
    return values.size > 1 && !seeds.has(name) ? [at] : [];
  });

/** The logarithm of the gamma function (Lanczos), to about 14 digits. */
const logGamma = (z: number): number => {
  const terms = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - logGamma(1 - z);
  const x = z - 1;
  const sum = terms.reduce((all, term, at) => all + term / (x + at + 1), 0.9999999999998099);
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
};

/** The continued fraction of the incomplete beta function, by Lentz. */
const betaFraction = (x: number, a: number, b: number): number => {
  const tiny = 1e-300;
  const held = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let d = 1 / held(1 - ((a + b) * x) / (a + 1));
  let [c, result] = [1, d];
  for (let m = 1; m <= 300; m++) {
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / held(1 + term * d);
      c = held(1 + term / c);
      result *= d * c;
    }
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  return result;
};

/** The regularised incomplete beta function. */
const incompleteBeta = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x),
  );
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
};

/** How likely a `t` so far from nothing is, to either side, by chance alone. */
export const chanceOfT = (t: number, freedom: number): number =>
  Number.isFinite(t) ? incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) : 0;

/** The `t` that chance exceeds, to either side, in one of twenty. */
export const usualT = (freedom: number): number => {
  let [low, high] = [0, 1000];
  for (let round = 0; round < 80; round++) {
    const middle = (low + high) / 2;
    if (chanceOfT(middle, freedom) > 0.05) low = middle;
    else high = middle;
  }
  return high;
};

export interface Test {
  readonly difference: number;
  /** Half of the interval in which the difference lies nineteen times of twenty. */
  readonly half: number;
  readonly chance: number;
}

/** Welch's test of two means, whose spreads need not be the same; nothing where one of them has fewer than two values. */
export const welch = (base: readonly number[], other: readonly number[]): Test | undefined => {
  if (base.length < 2 || other.length < 2) return undefined;
  const difference = meanOf(other) - meanOf(base);
  const [a, b] = [varianceOf(base) / base.length, varianceOf(other) / other.length];
  const error = Math.sqrt(a + b);
  if (error === 0) return { difference, half: 0, chance: difference === 0 ? 1 : 0 };
  const freedom = (a + b) ** 2 / (a ** 2 / (base.length - 1) + b ** 2 / (other.length - 1));
  return {
    difference,
    half: usualT(freedom) * error,
    chance: chanceOfT(difference / error, freedom),
  };
};

/** Chances of several tests made at once, so that all of them together are wrong in one of twenty (Holm). */
export const corrected = (chances: readonly number[]): readonly number[] => {
  const order = chances.map((_, at) => at).sort((a, b) => (chances[a] ?? 0) - (chances[b] ?? 0));
  const result = [...chances];
  let most = 0;
  order.forEach((at, place) => {
    most = Math.max(most, Math.min(1, (chances[at] ?? 0) * (chances.length - place)));
    result[at] = most;
  });
  return result;
};

/** About how many seeds more each side needs so that a difference like this one shows four times of five; nothing beyond a thousand. */
export const seedsMore = (
  base: readonly number[],
  other: readonly number[],
): number | undefined => {
  const difference = meanOf(other) - meanOf(base);
  const variance = (varianceOf(base) + varianceOf(other)) / 2;
  const each = Math.ceil((2 * (1.96 + 0.8416) ** 2 * variance) / difference ** 2);
  const more = each - Math.min(base.length, other.length);
  return Number.isFinite(more) && more <= 1000 ? Math.max(1, more) : undefined;
};

export type Verdict =
  | { readonly kind: 'baseline' | 'no value' | 'one seed' }
  | ({
      readonly kind: 'better' | 'worse' | 'not yet';
      /** Seeds that are missing, of what is not yet decided. */
      readonly more?: number | undefined;
    } & Test);

/** What is to be said of each configuration against one of them. */
export const verdictsOf = (
  all: readonly Configuration[],
  base: Configuration,
  lessIsBetter: boolean,
): readonly Verdict[] => {
  const tests = all.map((one) => (one === base ? undefined : welch(base.values, one.values)));
  const made = tests.flatMap((test, at) => (test === undefined ? [] : [{ test, at }]));
  const chances = corrected(made.map(({ test }) => test.chance));
  const chanceAt = new Map(made.map(({ at }, place) => [at, chances[place] ?? 1]));
  return all.map((one, at): Verdict => {
    if (one === base) return { kind: 'baseline' };
    const test = tests[at];
    if (one.values.length === 0 || base.values.length === 0) return { kind: 'no value' };
    if (test === undefined) return { kind: 'one seed' };
    const chance = chanceAt.get(at) ?? 1;
    if (chance >= 0.05)
      return { kind: 'not yet', ...test, chance, more: seedsMore(base.values, one.values) };
    return { kind: test.difference > 0 === lessIsBetter ? 'worse' : 'better', ...test, chance };
  });
};

const short = (value: number): string => formatNumber(Number(value.toPrecision(3)));

/** A verdict in words: `+0.8 ± 0.3, p = 0.02, n = 5/4`. */
export const verdictText = (verdict: Verdict, n: readonly [base: number, own: number]): string => {
  if (!('difference' in verdict))
    return verdict.kind === 'one seed'
      ? 'one seed tells nothing of the spread'
      : verdict.kind === 'no value'
        ? 'no value to compare'
        : 'baseline';
  const { difference, half, chance, kind, more } = verdict;
  const sign = difference < 0 ? '−' : '+';
  const p = chance < 0.001 ? 'p < 0.001' : `p = ${formatNumber(Number(chance.toPrecision(2)))}`;
  const figures = `${sign}${short(Math.abs(difference))} ± ${short(half)}, ${p}, n = ${n[1]}/${n[0]}`;
  if (kind !== 'not yet') return `${kind}: ${figures}`;
  return `not yet: ${figures}${more === undefined ? '' : `; about ${more} more ${more === 1 ? 'seed' : 'seeds'} each would tell`}`;
};
