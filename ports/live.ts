// Hearing of changes as they happen, whichever process stored them.
import type { HeardChange } from './model/changes.js';
import { port } from './port.js';

/** What a listener wants to hear. */
export interface Listening {
  readonly userId: string;
  readonly projectId: string;
  /** Keys of the only runs it asks for; every run of the project when left out. */
  readonly runs?: ReadonlySet<string>;
  /** Whether it may hear of registered models. */
  readonly models: boolean;
  /** The id of the newest event that it knows; from now on when left out. */
  readonly after?: string;
  /** After how many ms it ends by itself; 0 ends it once it was told what it missed. */
  readonly forMs?: number;
  /** Ends it when aborted. */
  readonly signal: AbortSignal;
}

/**
 * What a listener is told: that it listens now, that something changed, or that more was missed than is known, so that everything must be read
 * again. Each has the id by which a listener goes on behind it, in any process and after any restart.
 */
export type LiveMessage = { readonly id: string } & (
  { readonly is: 'ready' | 'resync' } | { readonly is: 'change'; readonly change: HeardChange }
);

export interface Live {
  /**
   * Tells of changes within a second. At least once: after coming back some may be told again. Rejects with `throttled` when this process, or
   * the user in it, has as many listeners as it may; with `invalid` for an id that is none.
   */
  listen(listening: Listening): Promise<AsyncIterable<readonly LiveMessage[]>>;
}
export const Live = port<Live>('live');
