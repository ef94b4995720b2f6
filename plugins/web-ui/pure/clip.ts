// The part of the values of a chart that is shown where outliers are left out. Pure.
import type { Line } from './drawing.js';

/** The values between the first and the ninety-ninth percentile of all lines, with some room, and how many lie outside; nothing where none does. */
export const clipOf = (
  lines: readonly Line[],
): { readonly range: readonly [number, number]; readonly outside: number } | undefined => {
  const values = lines
    .flatMap(({ y }) => [...y])
    .filter((one): one is number => one !== null && Number.isFinite(one))
    .sort((a, b) => a - b);
  const at = (part: number) => values[Math.round(part * (values.length - 1))];
  const [low, high] = [at(0.01), at(0.99)];
  if (low === undefined || high === undefined || low === high) return undefined;
  const room = (high - low) * 0.05;
  const range = [low - room, high + room] as const;
  const outside = values.filter((one) => one < range[0] || one > range[1]).length;
  return outside === 0 ? undefined : { range, outside };
};
