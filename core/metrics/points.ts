// From what clients send to points. Lenient value by value: a refusal would lose a client's whole batch. Pure.
import type { MetricPoint } from '#ports/storage/metrics';

/** Above this a time is in microseconds: one client sends some a thousand times too large. */
const microseconds = 1e14;

export const toMillis = (given: number): number => (given > microseconds ? Math.trunc(given / 1000) : Math.trunc(given));

/** The full name: a context becomes its prefix, and an empty one is none. */
export const fullName = (name: string, context: string | undefined): string => (context === undefined || context === '' ? name : `${context}_${name}`);

const asText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (value === undefined) return undefined;
  return value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
};
const asWhole = (value: unknown): number | undefined => {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) && Number.isSafeInteger(Math.trunc(number)) ? Math.trunc(number) : undefined;
};

export interface LoggedPoint {
  readonly metricName?: unknown;
  readonly metricValue?: unknown;
  readonly context?: unknown;
  readonly step?: unknown;
  readonly epoch?: unknown;
  readonly timestamp?: unknown;
}

/** The point, or `undefined` where it has no name or no value. */
export const toPoint = (logged: LoggedPoint, now: number): MetricPoint | undefined => {
  const bare = asText(logged.metricName);
  const text = logged.metricValue === null ? undefined : asText(logged.metricValue);
  if (bare === undefined || bare === '' || text === undefined) return undefined;
  const context = asText(logged.context ?? undefined) || undefined;
  const time = asWhole(logged.timestamp);
  return { name: fullName(bare, context), context, text, step: asWhole(logged.step), epoch: asWhole(logged.epoch), timestamp: time === undefined ? now : toMillis(time) };
};
