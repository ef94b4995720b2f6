// From what clients send to points. Lenient value by value: a refusal would lose a client's whole batch. Pure.
import type { MetricPoint } from '#ports/storage/metrics';
import { asText, asWhole, fullName, toTime } from '../logged-input.js';

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
  const given = logged.metricValue;
  const text = typeof given === 'number' ? given : given === null ? undefined : asText(given);
  if (bare === undefined || bare === '' || text === undefined) return undefined;
  const context = asText(logged.context ?? undefined) || undefined;
  return {
    name: fullName(bare, context),
    context,
    text,
    step: asWhole(logged.step),
    epoch: asWhole(logged.epoch),
    timestamp: toTime(logged.timestamp, now),
  };
};

/** The usable points of a list, in its order. */
export const toPoints = (logged: readonly LoggedPoint[], now: number): readonly MetricPoint[] => {
  const points: MetricPoint[] = [];
  for (const one of logged) {
    const point = toPoint(one, now);
    if (point !== undefined) points.push(point);
  }
  return points;
};
