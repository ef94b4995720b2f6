// Scales of plots of many runs. Pure.

const stops = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
] as const;

/** A colour between 0 and 1 on a scale whose steps look alike; the ends are left out that vanish on light or dark paper. */
export const sequential = (part: number, dark: boolean): string => {
  const inside = dark ? 0.18 + 0.82 * part : 0.88 * part;
  const place = Math.max(0, Math.min(1, inside)) * (stops.length - 1);
  const [low, high] = [stops[Math.floor(place)]!, stops[Math.ceil(place)]!]; // both are in the list
  const between = low.map((one, at) =>
    Math.round(one + ((high[at] ?? one) - one) * (place - Math.floor(place))),
  );
  return `rgb(${between.join(' ')})`;
};

/** Where a value stands between 0 and 1; nothing for what has no place. */
export interface Axis {
  readonly place: (value: unknown) => number | undefined;
  /** The value at a place; a text of a list of texts. */
  readonly valueAt: (place: number) => unknown;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  readonly numeric: boolean;
  /** Whether it goes by powers, and whether it could: all of its numbers are above zero. */
  readonly log: boolean;
  readonly positive: boolean;
}

const mostTexts = 20;

const textAxis = (values: readonly unknown[]): Axis => {
  const texts = [...new Set(values.filter((one) => one !== null).map(String))].sort();
  const at = new Map(texts.map((text, place) => [text, (place + 0.5) / texts.length]));
  return {
    place: (value) => (value === null || value === undefined ? undefined : at.get(String(value))),
    valueAt: (place) =>
      texts[Math.max(0, Math.min(texts.length - 1, Math.floor(place * texts.length)))],
    ticks: texts
      .filter((_, place) => place % Math.ceil(texts.length / mostTexts) === 0)
      .map((label) => ({ at: at.get(label) ?? 0, label })),
    ...{ numeric: false, log: false, positive: false },
  };
};

/** The axis of values: numbers from the smallest to the largest, over powers of ten where they spread over many, or texts in their order. */
export const axisOf = (
  values: readonly unknown[],
  format: (value: number) => string,
  log?: boolean,
): Axis => {
  const numbers = values.filter(
    (one): one is number => typeof one === 'number' && Number.isFinite(one),
  );
  if (
    numbers.length === 0 ||
    values.some((one) => typeof one === 'string' && !/^(NaN|-?Infinity)$/.test(one))
  )
    return textAxis(values);
  let [low, high] = [Infinity, -Infinity];
  for (const one of numbers) {
    low = Math.min(low, one);
    high = Math.max(high, one);
  }
  const byPower = log ?? (low > 0 && high / low >= 20);
  const usable = byPower && low > 0;
  const to = usable ? Math.log10 : (value: number) => value;
  const from = usable ? (value: number) => 10 ** value : (value: number) => value;
  const [begin, end] = low === high ? [to(low) - 0.5, to(low) + 0.5] : [to(low), to(high)];
  // In halves, since the largest numbers are further apart than numbers go; one of those alone has no room beside it.
  const half = end / 2 - begin / 2;
  return {
    place: (value) =>
      typeof value !== 'number' || !Number.isFinite(value) || (usable && value <= 0)
        ? undefined
        : half > 0
          ? (to(value) / 2 - begin / 2) / half
          : 0.5,
    valueAt: (place) => from(begin * (1 - place) + end * place),
    ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({
      at,
      label: format(from(begin * (1 - at) + end * at)),
    })),
    ...{ numeric: true, log: usable, positive: low > 0 },
  };
};
