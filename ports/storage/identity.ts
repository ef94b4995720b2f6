import { kind } from '../api/kind.js';
import type { Permission, Role, Scope, User, UserKind } from '../model/identity.js';
import { changesExperiments, once, reads, sets, type Methods } from './methods.js';

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

/** What a user may do where. */
export interface Reach {
  readonly roles: ReadonlyMap<string, Role>;
  readonly permissions: ReadonlyMap<string, readonly Permission[]>;
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

export interface Member {
  readonly userId: string;
  readonly userName: string;
  readonly email: string | undefined;
  readonly role: Role;
  readonly permissions: readonly Permission[];
}

export interface IdentityStore {
  /** Rejects with `conflict` when the name or the e-mail is taken; names are told apart by case, e-mails are not. */
  insertUser(user: User): Promise<void>;
  findUser(
    by: { readonly name: string } | { readonly id: string } | { readonly email: string },
  ): Promise<User | undefined>;
  /** How many users there are; 0 means that nobody was ever set up. */
  countUsers(): Promise<number>;
  /** Changes what is given; answers whether the user exists. Rejects with `conflict` when the new name or e-mail is taken. */
  updateUser(
    userId: string,
    change: Partial<
      Pick<
        User,
        | 'name'
        | 'email'
        | 'emailProved'
        | 'admin'
        | 'viewOnly'
        | 'restricted'
        | 'suspendedAt'
        | 'defaultWorkspaceId'
        | 'kind'
      >
    >,
  ): Promise<boolean>;
  /** Takes an e-mail away from a user who has not proved it, so that its owner may have it; answers whether there was one. */
  releaseEmail(email: string): Promise<boolean>;
  /**
   * Holds a user until the end of the transaction: of several that do this, one goes on and the others wait, or begin again on a cluster. First in
   * its transaction, so that what is read after it is current. Answers whether the user exists.
   */
  lockUser(userId: string): Promise<boolean>;
  /** The same for the question of who administers the installation. */
  lockAdministrators(): Promise<void>;
  /** The same for the question of who is what in a workspace. Answers whether the workspace exists. */
  lockMembers(workspaceId: string): Promise<boolean>;
  /** Ends whatever proves that somebody is this user: keys, password, sessions, links to set a password, and what programs were allowed. */
  endCredentials(userId: string, at: number): Promise<void>;
  setDefaultWorkspace(userId: string, workspaceId: string): Promise<boolean>;
  /** Stores the hash of a password; answers whether the user exists. */
  setPassword(userId: string, hashed: string): Promise<boolean>;
  /** The hash of a user's password; `undefined` without a user or a password. */
  findPassword(userId: string): Promise<string | undefined>;
  insertKey(key: NewKey): Promise<void>;
  /** Who presents this hash; `undefined` for an unknown or revoked one and for a suspended user. */
  findKeyHolder(hash: string): Promise<KeyHolder | undefined>;
  /** Where a user belongs, and with what. */
  findReach(userId: string): Promise<Reach>;
  findKey(keyId: string): Promise<StoredKey | undefined>;
  /** The keys of a user, newest first, at most 1,000. */
  listKeys(userId: string): Promise<readonly StoredKey[]>;
  /** Revoking again keeps the first time; answers whether the key exists. */
  revokeKey(keyId: string, at: number): Promise<boolean>;
  /** Revokes a key that still stands: of any number who try at once, one is told that it did. */
  retireKey(keyId: string, at: number): Promise<boolean>;
  /** Revokes every key of a user that still stands; answers how many. */
  retireKeysOf(userId: string, at: number): Promise<number>;
  /** Sets the role and what is allowed beyond it, whether or not there was one. */
  setRole(
    workspaceId: string,
    userId: string,
    role: Role,
    permissions: readonly Permission[],
  ): Promise<void>;
  removeRole(workspaceId: string, userId: string): Promise<boolean>;
  findMember(workspaceId: string, userId: string): Promise<Member | undefined>;
  /** How many administrators a workspace has, at most 2 are counted. */
  countAdmins(workspaceId: string): Promise<number>;
  /** In the order of their names, from after a name on. */
  pageMembers(
    workspaceId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly Member[]>;
  /** Users in the order of their names, from after a name on; `search` is a part of a name or e-mail, in any case. */
  pageUsers(page: {
    readonly search?: string;
    readonly kind?: UserKind;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly User[]>;
  /** How many administrators of the installation are not suspended, at most 2 are counted. */
  countAdministrators(): Promise<number>;
  /** The user whom a provider knows by this subject. */
  findLinked(issuer: string, subject: string): Promise<User | undefined>;
  /** Makes a subject of a provider known as this user; another user that it was known as is forgotten. */
  link(userId: string, issuer: string, subject: string, at: number): Promise<void>;
  /** The first user that was ever made, by whom the installation is known. */
  firstUserId(): Promise<string | undefined>;
  /** In the order of their names, at most 100,000. */
  listMembers(workspaceId: string): Promise<readonly Member[]>;
  /** Records when a key was last used; the newest time wins. */
  touchKey(keyId: string, at: number): Promise<void>;
}

export const identityMethods: Methods<IdentityStore> = {
  insertUser: once,
  findUser: reads,
  countUsers: reads,
  updateUser: changesExperiments(sets),
  setDefaultWorkspace: sets,
  setPassword: sets,
  findPassword: reads,
  insertKey: once,
  findKeyHolder: reads,
  findReach: reads,
  findKey: reads,
  listKeys: reads,
  revokeKey: once,
  setRole: sets,
  removeRole: once,
  findMember: reads,
  countAdmins: reads,
  pageMembers: reads,
  pageUsers: reads,
  countAdministrators: reads,
  findLinked: reads,
  link: once,
  firstUserId: reads,
  listMembers: reads,
  touchKey: sets,
  releaseEmail: once,
  lockUser: sets,
  lockAdministrators: sets,
  lockMembers: sets,
  endCredentials: sets,
  retireKey: once,
  retireKeysOf: once,
};
