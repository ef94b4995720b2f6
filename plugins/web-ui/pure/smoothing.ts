// Ways of smoothing a curve that is cut into places, each with the mean of all its points and how many they are, so that no point is left out. Pure.
export const smoothings = ['exponential', 'running', 'gaussian'] as const;
export type Smoothing = (typeof smoothings)[number];

/** The widest window, as a part of the places. */
const widest = 0.25;

/** The mean around each place, each point counted as much as its distance lets it: alike within the window, or ever less from the middle on. */
export const smoothed = (
  kind: Exclude<Smoothing, 'exponential'>,
  amount: number,
  { mean, count }: { readonly mean: Float32Array; readonly count: Float32Array },
): Float32Array => {
  const reach = Math.max(0, Math.round((amount * widest * mean.length) / 2));
  const weights = Array.from({ length: reach + 1 }, (_, away) =>
    kind === 'running' || reach === 0 ? 1 : Math.exp(-2 * (away / reach) ** 2),
  );
  return mean.map((own, at) => {
    let [sum, weight] = [0, 0];
    for (
      let place = Math.max(0, at - reach);
      place <= Math.min(mean.length - 1, at + reach);
      place++
    ) {
      const value = mean[place];
      if (value === undefined || !Number.isFinite(value)) continue;
      const part = (weights[Math.abs(place - at)] ?? 0) * (count[place] ?? 1);
      sum += part * value;
      weight += part;
    }
    return weight === 0 ? own : sum / weight;
  });
};
