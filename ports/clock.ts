import { port } from './port.js';

export interface Clock {
  /** Milliseconds since the Unix epoch, as this process sees it. */
  now(): number;
}
export const Clock = port<Clock>('clock');

/** The first and the last millisecond of the years 1 to 9999, whose dates every reader of ISO 8601 takes. */
export const calendar = {
  first: Date.parse('0001-01-01T00:00:00.000Z'),
  last: Date.parse('9999-12-31T23:59:59.999Z'),
} as const;
