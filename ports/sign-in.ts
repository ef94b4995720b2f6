// A way of signing in: what a directory, a provider or a proxy says of somebody. The accounts of the product do the rest: they find or make
// the user, apply the rules for groups, and open the session.
import type { Permission, Role } from './model/identity.js';
import { port } from './port.js';

/** Somebody, as a way of signing in knows them. */
export interface Identity {
  /** Who vouches for the subject; the name of the way when absent. A subject is unique within it. */
  readonly issuer?: string | undefined;
  /** What stands for this person alone and for ever: not a name that may be given to somebody else later. */
  readonly subject: string;
  /** What they are called there; a new user gets this name, or that with a number. */
  readonly name: string | undefined;
  readonly email: string | undefined;
  /** Whether the e-mail is known to be theirs: a user who has proved the same e-mail is then the same person. */
  readonly emailProved: boolean;
  readonly groups: readonly string[];
}

/** What the members of a group are here. */
export interface GroupRule {
  readonly group: string;
  /** They administer the installation. */
  readonly admin?: boolean;
  /** They are view-only members of the installation. */
  readonly viewOnly?: boolean;
  /** They belong to this workspace, which is made when there is none of that name. */
  readonly workspace?: string;
  readonly role?: Role;
  readonly permissions?: readonly Permission[];
}

/** Who of those for whom a way vouches may come in, and as what. */
export interface Admission {
  /** Who gets an account at the first sign-in: everybody, those in a group that a rule names, or nobody. */
  readonly provision: 'all' | 'groups' | 'none';
  /** Domains of proved e-mails that may sign in, in lower case; any, when empty. */
  readonly domains: readonly string[];
  /** Applied again at every sign-in; workspaces that no rule names are left alone. */
  readonly groupRules: readonly GroupRule[];
}

interface Named {
  /** Recorded with each session and part of addresses: letters, digits and hyphens. That of a driver is the driver's own name. */
  readonly name: string;
  /** What the page calls it. */
  readonly label: string;
  /** Everybody may come in, with no rules for groups, when absent. */
  readonly admission?: Admission | undefined;
}

/** Checks name and password, which somebody types into our form. */
export interface PasswordWay extends Named {
  readonly kind: 'password';
  /**
   * Who has this name and this password; `undefined` for an unknown name and a wrong password alike, and always for an empty password.
   * Rejects with `unavailable` when it cannot be found out now; each call ends within half a minute.
   */
  check(name: string, password: string): Promise<Identity | undefined>;
}

/** Somebody who came back from a provider. */
export interface Returned {
  readonly identity: Identity;
  /** What the provider needs to hear at sign-out; sealed at rest. */
  readonly external?: string | undefined;
}

/** A session that a provider says is over. */
export interface EndedSession {
  readonly issuer: string;
  readonly subject: string;
  /** The provider's own name of the session; every session of the subject when absent. */
  readonly session: string | undefined;
}

/** Taking part in sign-out at the provider. */
export interface ProviderSignOut {
  /** Where the browser goes to sign out there too; `undefined` where the provider takes no part. */
  address(external: string, returnTo: string): Promise<string | undefined>;
  /** Reads the signed token by which a provider ends sessions. Rejects with `invalid` for a token that is not the provider's word to this server. */
  readToken(token: string): Promise<EndedSession>;
  /** The provider's name of a session, by what was kept of its sign-in. */
  sessionOf(external: string): string | undefined;
}

/** Sends the browser to a provider and reads what it brings back. */
export interface RedirectWay extends Named {
  readonly kind: 'redirect';
  /**
   * Where the browser goes, and what `complete` needs to know when it comes back: it is kept, sealed, in a cookie of that browser for ten
   * minutes. Rejects with `unavailable` when the provider does not answer.
   */
  begin(): Promise<{ readonly address: string; readonly remember: string }>;
  /**
   * Who came back; `remember` is from a `begin` in the same browser. Rejects with `unauthenticated` for a return that is forged, replayed,
   * refused, or belongs to another `begin`.
   */
  complete(query: Readonly<Record<string, string>>, remember: string): Promise<Returned>;
  readonly signOut?: ProviderSignOut | undefined;
}

/** A request, as far as it may say who sends it. */
export interface ToldRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whether it came from an address of `ORRERY_TRUSTED_PROXIES`. Anybody else can write any header. */
  readonly fromTrustedProxy: boolean;
}

/** Is told by the headers of a request who sends it, by a proxy before the server at which people sign in. */
export interface HeadersWay extends Named {
  readonly kind: 'headers';
  /** Who sends the request; `undefined` where no header says so, or where whoever wrote the header is not to be believed. */
  read(request: ToldRequest): Promise<Identity | undefined>;
}

export type SignInWay = PasswordWay | RedirectWay | HeadersWay;

/** Name of the way by the passwords that the accounts themselves keep; no driver may take it. */
export const ownPasswords = 'password';

/** The ways that are switched on, in the order in which they are offered. */
export interface SignInWays {
  readonly all: readonly SignInWay[];
}
export const SignInWays = port<SignInWays>('sign-in-ways');
