import type { User } from '../model/identity.js';
import type { Reach } from './members.js';
import { once, reads, sets, type Methods } from './methods.js';

export interface StoredSession {
  readonly id: string;
  readonly userId: string;
  readonly way: string;
  readonly address: string;
  readonly agent: string;
  /** Sealed. */
  readonly external: string | undefined;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

export interface SessionStore {
  /** `hash` is the SHA-256 of the token, in hex; the token itself is never stored. */
  insert(session: StoredSession & { readonly hash: string }): Promise<void>;
  /** The session with this hash that has not ended by then, and whose it is; `undefined` for a suspended user too. */
  findHolder(
    hash: string,
    now: number,
  ): Promise<(Reach & { readonly session: StoredSession; readonly user: User }) | undefined>;
  find(id: string): Promise<StoredSession | undefined>;
  /** The sessions of a user that have not ended by then, newest first, at most 1,000. */
  listOf(userId: string, now: number): Promise<readonly StoredSession[]>;
  /** Records a use, and lets the session live on until `expiresAt`. */
  touch(id: string, at: number, expiresAt: number): Promise<void>;
  remove(id: string): Promise<boolean>;
  /** Removes every session of a user but `keep`; answers how many. */
  removeOf(userId: string, keep?: string): Promise<number>;
  /** Removes at most `limit` sessions that ended by then; answers how many. */
  removeEnded(now: number, limit: number): Promise<number>;
}

export const sessionMethods: Methods<SessionStore> = {
  insert: once,
  findHolder: reads,
  find: reads,
  listOf: reads,
  touch: sets,
  remove: once,
  removeOf: once,
  removeEnded: once,
};
