// Values of runs against those of one of them. Pure.
import { formatNumber } from './format.js';

/** A value as a number, where it is one. */
export const asNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
};

/** By how much a number lies above or below another, with its sign; nothing where one is no number or they are the same. */
export const differenceOf = (value: unknown, base: unknown): string | undefined => {
  const [one, other] = [asNumber(value), asNumber(base)];
  if (one === undefined || other === undefined || one === other) return undefined;
  const by = one - other;
  return `${by > 0 ? '+' : '−'}${formatNumber(Number(Math.abs(by).toPrecision(3)))}`;
};

/** The query for runs by their keys. */
export const namedRuns = (keys: readonly string[]) => ({
  condition: 'OR' as const,
  rules: keys.map((value) => ({
    field: 'experimentKey',
    source: 'metadata',
    operator: 'equal',
    type: 'string' as const,
    value,
  })),
});
