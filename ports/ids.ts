import { port } from './port.js';

export interface Ids {
  /** A UUID of version 7: unique, and ordered by time of making. */
  next(): string;
  /** 32 lower-case hexadecimal digits, the form in which clients make experiment keys and asset ids. */
  key(): string;
}
export const Ids = port<Ids>('ids');
