// What proves that somebody is a user, besides keys and sessions.
import type { User } from '../model/identity.js';
import { once, reads, sets, type Methods } from './methods.js';

export interface CredentialStore {
  /** Stores the hash of a password; answers whether the user exists. */
  setPassword(userId: string, hashed: string): Promise<boolean>;
  /** The hash of a user's password; `undefined` without a user or a password. */
  findPassword(userId: string): Promise<string | undefined>;
  /** Ends whatever proves that somebody is this user: keys, password, sessions, links to set a password, and what programs were allowed. */
  endCredentials(userId: string, at: number): Promise<void>;
  /** The user whom a provider knows by this subject. */
  findLinked(issuer: string, subject: string): Promise<User | undefined>;
  /** Makes a subject of a provider known as this user; another user that it was known as is forgotten. */
  link(userId: string, issuer: string, subject: string, at: number): Promise<void>;
}

export const credentialMethods: Methods<CredentialStore> = {
  setPassword: sets,
  findPassword: reads,
  endCredentials: sets,
  findLinked: reads,
  link: once,
};
