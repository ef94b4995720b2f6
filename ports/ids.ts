import { port } from './port.js';

export interface Ids {
  /** A UUID of version 7: unique, and ordered by time of making. */
  next(): string;
  /** 32 lower-case hexadecimal digits, the form in which clients make experiment keys and asset ids. */
  key(): string;
  /** SHA-256 of a text in hex: for ids that follow from what they name, so that whoever tries again comes to the same ones. */
  digest(text: string): string;
}
export const Ids = port<Ids>('ids');
