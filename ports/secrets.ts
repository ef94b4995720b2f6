import { port } from './port.js';

export interface Secrets {
  /** A new API key: 25 letters and digits. */
  apiKey(): string;
  /** A new password a person can type. */
  password(): string;
  /** SHA-256 of the UTF-8 of a text, in hex. */
  hash(text: string): string;
  /** A code of `length` letters and digits. */
  code(length: number): string;
}
export const Secrets = port<Secrets>('secrets');
