import { port } from './port.js';

export interface Clock {
  /** Milliseconds since the Unix epoch, as this process sees it. */
  now(): number;
}
export const Clock = port<Clock>('clock');

/** Times in milliseconds that have a date every reader of ISO 8601 takes: of the years 1 to 5138. What is larger is microseconds, which one client sends some times as. */
export const calendar = {
  first: Date.parse('0001-01-01T00:00:00.000Z'),
  last: 1e14,
} as const;

/** A time as a client gave it in whole ms: beyond the calendar it is a thousand times too large. */
export const toMillis = (given: number): number =>
  given > calendar.last ? Math.trunc(given / 1000) : Math.trunc(given);
