import { kind } from '../api/kind.js';

/** What a member may do in a workspace. View-only members read everything there and write nothing. */
export const roles = ['admin', 'member', 'view-only'] as const;
export type Role = (typeof roles)[number];

/** What a member of a workspace may be allowed beyond the role: to bring others in, and to make projects public or private. Its administrators may both. */
export const permissions = ['invite', 'publish'] as const;
export type Permission = (typeof permissions)[number];

/** A person, a program with keys of its own, or somebody who logs without an account and may claim it later. */
export const userKinds = ['person', 'service', 'guest'] as const;
export type UserKind = (typeof userKinds)[number];

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Whether the e-mail is known to be this user's: by a mailed link that was used, by a provider, or because an administrator said so. One that was only typed in proves nothing. */
  readonly emailProved: boolean;
  readonly kind: UserKind;
  /** Administers the whole installation. */
  readonly admin: boolean;
  /** Reads everywhere where it is a member, writes nowhere and has no keys. */
  readonly viewOnly: boolean;
  /** A service account that reaches only the workspaces it was added to; one that is not restricted administers all of them. */
  readonly restricted: boolean;
  /** Set while the account is switched off: none of its credentials are known. */
  readonly suspendedAt: number | undefined;
  readonly defaultWorkspaceId: string | undefined;
  readonly createdAt: number;
}
/** A user, to administrators of the installation. */
export const account = kind<User>()('account');

/** What a credential is narrowed to, below what its owner may do. */
export interface Scope {
  readonly readOnly: boolean;
  /** The only workspace that it reaches. */
  readonly workspaceId: string | undefined;
  /** The only project that it reaches, which is in that workspace. */
  readonly projectId: string | undefined;
}

/** What proved who calls: an API key, a session of a browser, an OAuth access token, the share code of a project, the command line, or nothing where authentication is off. */
export const carriers = ['key', 'session', 'token', 'share', 'command', 'none'] as const;
export type Carrier = (typeof carriers)[number];

/** Who calls, as the request's credential tells; already narrowed to what that credential reaches. */
export interface Caller {
  readonly userId: string;
  readonly userName: string;
  readonly kind: UserKind;
  /** Administers the installation; never with a credential that is narrowed. */
  readonly admin: boolean;
  /** Administers every workspace, member or not: administrators, and service accounts that are not restricted. */
  readonly everywhere: boolean;
  readonly viewOnly: boolean;
  readonly defaultWorkspaceId: string | undefined;
  readonly via: Carrier;
  /** The key, session or token that was presented, for records of use; never the secret. */
  readonly keyId: string;
  readonly scope: Scope | undefined;
  /** What a change must repeat when it came with a cookie; sessions only. */
  readonly csrf: string | undefined;
  readonly roles: ReadonlyMap<string, Role>;
  readonly permissions: ReadonlyMap<string, readonly Permission[]>;
}
