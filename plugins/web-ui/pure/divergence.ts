// Where two runs begin to differ: by which metric first, and how clearly against how much each wavers by itself. Pure.

export interface Sampled {
  readonly metric: string;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}
export interface Divergence {
  readonly metric: string;
  /** The place from which they differ by more than chance, and by how many times what they waver; nothing where they do not. */
  readonly at: number | undefined;
  readonly sigmas: number;
  /** The first place at which they are not equal; nothing where all places that both have are. */
  readonly unequalAt: number | undefined;
  /** At how many places both have a value. */
  readonly places: number;
}

/** By how many times of what their mean over some places wavers two curves must differ. */
const clearly = 5;
const fewestPlaces = 3;

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** How much a curve wavers from place to place, whatever its slope: the spread of its second differences. */
const wavering = (values: readonly number[]): number => {
  const seconds = values
    .slice(2)
    .map((one, at) => one - 2 * (values[at + 1] ?? 0) + (values[at] ?? 0));
  const middle = median(seconds);
  // 1.4826 makes of a median distance a deviation; second differences of noise spread by the root of six.
  return (1.4826 * median(seconds.map((one) => Math.abs(one - middle)))) / Math.sqrt(6);
};

/** The metric of two runs against each other. */
export const divergenceOf = (one: Sampled, other: Sampled): Divergence => {
  const there = new Map(Array.from(other.x, (x, at) => [x, other.y[at] ?? Number.NaN]));
  const pairs = Array.from(
    one.x,
    (x, at) => [x, one.y[at] ?? Number.NaN, there.get(x) ?? Number.NaN] as const,
  ).filter(([, a, b]) => Number.isFinite(a) && Number.isFinite(b));
  const noise = Math.hypot(wavering(pairs.map(([, a]) => a)), wavering(pairs.map(([, , b]) => b)));
  const size = Math.max(...pairs.map(([, a, b]) => Math.max(Math.abs(a), Math.abs(b))), 0);
  const scale = Math.max(noise, size * 1e-6);
  const unequal = pairs.find(([, a, b]) => a !== b)?.[0];
  // The mean of some places wavers by so much less; those of one curve must all lie on one side.
  const window = Math.max(fewestPlaces, Math.min(12, Math.floor(pairs.length / 30)));
  const sigmasAt = (at: number): number => {
    const some = pairs.slice(at, at + window).map(([, a, b]) => (a - b) / scale);
    if (some.length < window || some.some((d) => Math.sign(d) !== Math.sign(some[0] ?? 0)))
      return 0;
    return Math.abs(some.reduce((sum, d) => sum + d, 0)) / Math.sqrt(window);
  };
  const from = scale === 0 ? -1 : pairs.findIndex((_, at) => sigmasAt(at) >= clearly);
  return {
    metric: one.metric,
    at: from < 0 ? undefined : pairs[from]?.[0],
    sigmas: from < 0 ? 0 : sigmasAt(from),
    unequalAt: unequal,
    places: pairs.length,
  };
};

/** The metrics in the order in which they begin to differ; those that do not last. */
export const firstDivergences = (all: readonly Divergence[]): readonly Divergence[] =>
  [...all].sort(
    (a, b) =>
      (a.at ?? Infinity) - (b.at ?? Infinity) ||
      b.sigmas - a.sigmas ||
      (a.metric < b.metric ? -1 : 1),
  );
