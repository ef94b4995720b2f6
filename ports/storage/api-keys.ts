// Keys for programs.
import { kind } from '../api/kind.js';
import type { Scope, User } from '../model/identity.js';
import type { Reach } from './members.js';
import { once, reads, sets, type Methods } from './methods.js';
export interface NewKey {
  readonly id: string;
  readonly userId: string;
  /** What its owner calls it. */
  readonly name: string;
  /** SHA-256 of the secret, in hex; the secret itself is never stored. */
  readonly hash: string;
  /** First characters of the secret, to recognise it by. */
  readonly prefix: string;
  readonly scope: Scope | undefined;
  readonly createdAt: number;
}

/** What a key stands for, with the workspaces its user belongs to. */
export interface KeyHolder extends Reach {
  readonly keyId: string;
  readonly scope: Scope | undefined;
  readonly user: User;
}

export interface StoredKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scope: Scope | undefined;
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

/** A key of the caller's own, or of anybody's to administrators of the installation. */
export const apiKey = kind<StoredKey>()('apiKey');

export interface ApiKeyStore {
  insertKey(key: NewKey): Promise<void>;
  /** Who presents this hash; `undefined` for an unknown or revoked one and for a suspended user. */
  findKeyHolder(hash: string): Promise<KeyHolder | undefined>;
  findKey(keyId: string): Promise<StoredKey | undefined>;
  /** The keys of a user, newest first, at most 1,000. */
  listKeys(userId: string): Promise<readonly StoredKey[]>;
  /** Revoking again keeps the first time; answers whether the key exists. */
  revokeKey(keyId: string, at: number): Promise<boolean>;
  /** Revokes a key that still stands: of any number who try at once, one is told that it did. */
  retireKey(keyId: string, at: number): Promise<boolean>;
  /** Revokes every key of a user that still stands; answers how many. */
  retireKeysOf(userId: string, at: number): Promise<number>;
  /** Records when a key was last used; the newest time wins. */
  touchKey(keyId: string, at: number): Promise<void>;
}

export const apiKeyMethods: Methods<ApiKeyStore> = {
  insertKey: once,
  findKeyHolder: reads,
  findKey: reads,
  listKeys: reads,
  revokeKey: once,
  retireKey: once,
  retireKeysOf: once,
  touchKey: sets,
};
