// Who may do what in which workspace.
import type { Permission, Role } from '../model/identity.js';
import { once, reads, sets, type Methods } from './methods.js';
/** What a user may do where. */
export interface Reach {
  readonly roles: ReadonlyMap<string, Role>;
  readonly permissions: ReadonlyMap<string, readonly Permission[]>;
}

export interface Member {
  readonly userId: string;
  readonly userName: string;
  readonly email: string | undefined;
  readonly role: Role;
  readonly permissions: readonly Permission[];
}

export interface MemberStore {
  /** The same for the question of who is what in a workspace. Answers whether the workspace exists. */
  lockMembers(workspaceId: string): Promise<boolean>;
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
  /** In the order of their names, at most 100,000. */
  listMembers(workspaceId: string): Promise<readonly Member[]>;
  /** Where a user belongs, and with what. */
  findReach(userId: string): Promise<Reach>;
}

export const memberMethods: Methods<MemberStore> = {
  lockMembers: sets,
  setRole: sets,
  removeRole: once,
  findMember: reads,
  countAdmins: reads,
  pageMembers: reads,
  listMembers: reads,
  findReach: reads,
};
