// What is told of many numbers together: where they lie, and whether they go up or down with others. Pure.

/** Where the values of a group lie: the middle half, the middle, and the ends without what lies far outside. */
export interface Box {
  readonly low: number;
  readonly first: number;
  readonly middle: number;
  readonly third: number;
  readonly high: number;
  /** Values beyond one and a half times the height of the box. */
  readonly outside: readonly number[];
}

/** The box of these values; nothing of none. Quartiles lie between the two values next to them. */
export const boxOf = (values: readonly number[]): Box | undefined => {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const at = (part: number): number => {
    const place = part * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]; // both are in the list
    return low + (high - low) * (place - Math.floor(place));
  };
  const [first, middle, third] = [at(0.25), at(0.5), at(0.75)];
  const reach = 1.5 * (third - first);
  const inside = sorted.filter((one) => one >= first - reach && one <= third + reach);
  return {
    low: inside[0] ?? first,
    first,
    middle,
    third,
    high: inside.at(-1) ?? third,
    outside: sorted.filter((one) => one < first - reach || one > third + reach),
  };
};

/** The straight line that lies nearest to points, and how much of how they vary it tells (0 to 1); nothing of fewer than three, or of ones above each other. */
export const trendOf = (
  points: readonly (readonly [x: number, y: number])[],
): { readonly slope: number; readonly from: number; readonly fit: number } | undefined => {
  if (points.length < 3) return undefined;
  const mean = (of: 0 | 1) => points.reduce((sum, one) => sum + one[of], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  let [xx, xy, yy] = [0, 0, 0];
  for (const [a, b] of points) {
    xx += (a - x) ** 2;
    xy += (a - x) * (b - y);
    yy += (b - y) ** 2;
  }
  if (xx === 0) return undefined;
  const slope = xy / xx;
  return { slope, from: y - slope * x, fit: yy === 0 ? 1 : xy ** 2 / (xx * yy) };
};
