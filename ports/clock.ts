import { port } from './port.js';

export interface Clock {
  /** Milliseconds since the Unix epoch, as this process sees it. */
  now(): number;
}
export const Clock = port<Clock>('clock');
