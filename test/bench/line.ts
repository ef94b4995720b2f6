// What a line of the table is: something measured, beside what is held of it.

export interface Figure {
  /** What was measured, in a few words. */
  readonly what: string;
  readonly value: string;
  /** The sides of a ratio, or how it was measured. */
  readonly sides: string;
  /** The bound, as it is printed; absent where a figure is only told. */
  readonly held?: { readonly bound: string; readonly holds: boolean };
}

export interface Pace {
  /** Short runs, for a first look. */
  readonly quick: boolean;
  /** Shows a figure at once, for a line that takes long: what it told is not answered again. */
  readonly tell: (figure: Figure) => void;
}

export interface Line {
  /** By what `--only` names it. */
  readonly name: string;
  readonly run: (pace: Pace) => Promise<readonly Figure[]>;
}

export const atLeast = (bound: number, value: number) => ({
  bound: `≥ ${bound}`,
  holds: value >= bound,
});
export const atMost = (bound: number, value: number, unit = '') => ({
  bound: `≤ ${bound}${unit === '' ? '' : ` ${unit}`}`,
  holds: value <= bound,
});

/** The value below which this share of a list lies; 0 of nothing. */
export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0;
/** The middle value; of an even number, what lies between the two. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[sorted.length / 2 - 1] ?? 0)) / 2;
};

export const round = (value: number, digits = 2): string => value.toFixed(digits);
export const mebibyte = 1024 * 1024;
