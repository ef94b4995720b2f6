import type { Caller, Role, User } from './model/identity.js';
import { port } from './port.js';

export interface NewUser {
  readonly name: string;
  readonly email?: string;
  readonly admin?: boolean;
  /** Password in the clear; stored as a hash. */
  readonly password?: string;
  /** Name of the user's own workspace; the user's name when not given. */
  readonly workspace?: string;
  /** The secret of the first key, where one was chosen; else one is made. */
  readonly apiKey?: string;
}

/** Who is who, and who may do what where. */
export interface Auth {
  /** Who presents this credential; `undefined` for an unknown or revoked one. A change made elsewhere shows within 5 s. */
  identify(credential: string): Promise<Caller | undefined>;
  /**
   * Makes a user with a key and a workspace that the user administers (or joins as administrator, when one of that name exists and has no
   * administrator). Rejects with `conflict` when the name is taken, with `invalid` when a name or the key is not acceptable.
   */
  addUser(user: NewUser): Promise<{ readonly user: User; readonly workspace: string; readonly apiKey: string }>;
  /** Makes another key for a user; the secret is told this once. */
  issueKey(userId: string): Promise<{ readonly keyId: string; readonly apiKey: string }>;
  revokeKey(keyId: string): Promise<boolean>;
  /** Sets or, with `undefined`, takes away a role. */
  setRole(workspaceId: string, userId: string, role: Role | undefined): Promise<void>;
  /** Forgets what was remembered about this user, where it happened; others learn of it within 5 s. */
  forget(userId: string): Promise<void>;
}
export const Auth = port<Auth>('auth');
