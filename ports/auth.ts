import type { Caller, Permission, Role, Scope, User, UserKind } from './model/identity.js';
import { port } from './port.js';

export interface NewUser {
  readonly name: string;
  readonly email?: string | undefined;
  /** Whether the e-mail is known to be theirs; whoever had it without having proved it then loses it. */
  readonly emailProved?: boolean | undefined;
  readonly kind?: UserKind | undefined;
  readonly admin?: boolean | undefined;
  readonly viewOnly?: boolean | undefined;
  /** Only for service accounts: reaches just the workspaces it is added to. */
  readonly restricted?: boolean | undefined;
  /** Password in the clear; stored as a hash. */
  readonly password?: string | undefined;
  /** Name of the workspace that was chosen for the user, which is joined where it exists; when not given, a new one is made under the user's name or that with a number; `null` makes none. */
  readonly workspace?: string | null | undefined;
  /** The secret of the first key, where one was chosen; else one is made. View-only users get none. */
  readonly apiKey?: string | undefined;
  /** Makes no first key. */
  readonly withoutKey?: boolean | undefined;
}

export interface NewSession {
  readonly address: string;
  /** What the browser says it is, at most 300 characters. */
  readonly agent: string;
  /** Name of the way by which the user signed in. */
  readonly way: string;
  /** What a way of signing in needs to know at sign-out, sealed. */
  readonly external?: string;
}

/** Users, roles and credentials, over the stores: who is who, and who may do what where. How people prove who they are is a matter of `sign-in.ts`. */
export interface Auth {
  /**
   * Who presents this API key, access token, session token or share code, told apart by their beginnings; `undefined` for an unknown, expired or
   * revoked one and for a suspended user. A change made elsewhere shows within 5 s; that of a share code at once. It counts as a use, by which a
   * session lives on, unless `isUse` is false.
   */
  identify(credential: string, options?: { readonly isUse?: boolean }): Promise<Caller | undefined>;
  /** Whoever shows no credential, or none that is known: nobody, unless authentication is off. Then it is the administrator to whom the installation belongs. */
  anybody(): Promise<Caller | undefined>;
  /**
   * A caller as the storage knows them now, for what goes on in their name behind the request: with the roles of today, narrowed as the credential
   * was. `undefined` when the user is gone or suspended, and when the key that it came by was revoked. A session or an access token may have ended.
   */
  recall(caller: Pick<Caller, 'userId' | 'via' | 'keyId' | 'scope'>): Promise<Caller | undefined>;
  /**
   * Makes a user with a key and a workspace that the user administers. Only a workspace that was named on purpose is joined: as administrator where
   * it has none, else as a member. Rejects with `conflict` when the name or e-mail is taken, with `invalid` when a name, the password or the key is
   * not acceptable.
   */
  addUser(
    user: NewUser,
  ): Promise<{ readonly user: User; readonly workspace: string; readonly apiKey: string }>;
  /** Gives a user another name. Rejects with `invalid` when it is not acceptable, with `conflict` when it is taken. */
  rename(userId: string, name: string): Promise<void>;
  /** Makes another key for a user; the secret is told this once. Rejects with `forbidden` for a view-only user. */
  issueKey(
    userId: string,
    wish?: { readonly name?: string; readonly scope?: Scope },
  ): Promise<{ readonly keyId: string; readonly apiKey: string }>;
  revokeKey(keyId: string): Promise<boolean>;
  /** Replaces a key by another of the same name and scope. Of several at once one succeeds. Rejects with `absent`, and with `conflict` for a revoked one. */
  rotateKey(keyId: string): Promise<{ readonly keyId: string; readonly apiKey: string }>;
  /** Makes another key of a user and ends every older one, so that exactly one stands however many do it at once. */
  replaceKeys(
    userId: string,
    name: string,
  ): Promise<{ readonly keyId: string; readonly apiKey: string }>;
  /** Sets or, with `undefined`, takes away a role, with what a member may do beyond it. */
  setRole(
    workspaceId: string,
    userId: string,
    role: Role | undefined,
    permissions?: readonly Permission[],
  ): Promise<void>;
  /** Forgets what was remembered about this user, where it happened; others learn of it within 5 s. */
  forget(userId: string): Promise<void>;
  /** The same for everybody who came by an access token. */
  forgetTokens(): Promise<void>;

  /** Who has this name or e-mail and this password; takes the same time whoever is asked for. */
  checkPassword(nameOrEmail: string, password: string): Promise<User | undefined>;
  /** Rejects with `invalid`, a sentence and the words of the rules that a password would break for somebody of this name and e-mail. */
  checkNewPassword(
    password: string,
    owner: { readonly name: string; readonly email: string | undefined },
  ): void;
  /** Sets a password and ends every session of the user but `keep`, here at once, and what programs were allowed in the user's name. Rejects with `invalid` and the rules that it breaks. */
  setPassword(userId: string, password: string, keep?: string): Promise<void>;
  /**
   * The same by a link that was mailed to an address, which counts as proved from then on. If it did not before, everything ends by which
   * somebody could have prepared the account: keys, sessions, and what programs were allowed.
   */
  setPasswordByMail(userId: string, password: string, email: string): Promise<void>;
  /** Ends every key, session, password and program of a user, here at once. */
  endCredentials(userId: string): Promise<void>;
  /** Begins a session of somebody who has proved who they are; the token is told this once. Each use lets it live on from `expiresAt`, up to `endsAt`. */
  openSession(
    userId: string,
    session: NewSession,
  ): Promise<{
    readonly sessionId: string;
    readonly token: string;
    readonly expiresAt: number;
    readonly endsAt: number;
  }>;
  /** Ends a session, here at once. May be repeated. */
  endSession(sessionId: string): Promise<void>;
  /** Ends every session of a user, and what programs were allowed in the user's name; answers how many sessions there were. */
  endSessions(userId: string): Promise<number>;
}
export const Auth = port<Auth>('auth');
