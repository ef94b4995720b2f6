import { port } from './port.js';

/** Keeps texts that must be read again, but by this installation only: targets' addresses, headers and secrets. */
export interface Sealer {
  /** A text that tells nothing of the one sealed; `about` is what it belongs to, and must be named again to open it. */
  seal(text: string, about: string): string;
  /** Rejects with `unavailable` when it was sealed under another key, was changed, or belongs to something else. */
  open(sealed: string, about: string): string;
}
export const Sealer = port<Sealer>('sealer');
