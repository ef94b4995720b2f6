/** What a member may do in a workspace. View-only members read everything there and write nothing. */
export const roles = ['admin', 'member', 'view-only'] as const;
export type Role = (typeof roles)[number];

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Administers the whole installation. */
  readonly admin: boolean;
  readonly defaultWorkspaceId: string | undefined;
  readonly createdAt: number;
}

/** Who calls, as the request's key tells. */
export interface Caller {
  readonly userId: string;
  readonly userName: string;
  readonly admin: boolean;
  readonly defaultWorkspaceId: string | undefined;
  /** The key that was presented, for records of use; never the secret. */
  readonly keyId: string;
  readonly roles: ReadonlyMap<string, Role>;
}
