import type { Role, User } from '../model/identity.js';

export interface NewKey {
  readonly id: string;
  readonly userId: string;
  /** SHA-256 of the secret, in hex; the secret itself is never stored. */
  readonly hash: string;
  /** First characters of the secret, to recognise it by. */
  readonly prefix: string;
  readonly createdAt: number;
}

/** What a key stands for, with the workspaces its user belongs to. */
export interface KeyHolder {
  readonly keyId: string;
  readonly user: User;
  readonly roles: ReadonlyMap<string, Role>;
}

export interface IdentityStore {
  /** Rejects with `conflict` when the name is taken; names are told apart by case. */
  insertUser(user: User): Promise<void>;
  findUser(by: { readonly name: string } | { readonly id: string } | { readonly email: string }): Promise<User | undefined>;
  /** How many users there are; 0 means that nobody was ever set up. */
  countUsers(): Promise<number>;
  setDefaultWorkspace(userId: string, workspaceId: string): Promise<boolean>;
  /** Stores the hash of a password; answers whether the user exists. */
  setPassword(userId: string, hashed: string): Promise<boolean>;
  insertKey(key: NewKey): Promise<void>;
  /** Who presents this hash; `undefined` for an unknown or revoked one. */
  findKeyHolder(hash: string): Promise<KeyHolder | undefined>;
  /** Ids of the keys of a user, newest first. */
  listKeys(userId: string): Promise<readonly { readonly id: string; readonly prefix: string; readonly createdAt: number; readonly revokedAt: number | undefined; readonly lastUsedAt: number | undefined }[]>;
  /** Revoking again keeps the first time; answers whether the key exists. */
  revokeKey(keyId: string, at: number): Promise<boolean>;
  /** Sets the role, whether or not there was one. */
  setRole(workspaceId: string, userId: string, role: Role): Promise<void>;
  removeRole(workspaceId: string, userId: string): Promise<boolean>;
  listMembers(workspaceId: string): Promise<readonly { readonly userId: string; readonly userName: string; readonly role: Role }[]>;
  /** Records when a key was last used; the newest time wins. */
  touchKey(keyId: string, at: number): Promise<void>;
}
