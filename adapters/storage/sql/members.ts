import type { Permission, Role } from '#ports/model/identity';
import type { Member, MemberStore, Reach } from '#ports/storage/members';
import { orNothing, type Connection } from './connection.js';

const toPermissions = (text: string): readonly Permission[] =>
  text === '' ? [] : (text.split(',') as Permission[]); // only permissions are ever written

/** Where a user belongs, and with what. */
export const readReach = async ({ db }: Connection, userId: string): Promise<Reach> => {
  const members = (await db('members')
    .select('workspace_id', 'role', 'permissions')
    .where({ user_id: userId })) as readonly {
    readonly workspace_id: string;
    readonly role: Role;
    readonly permissions: string;
  }[]; // only roles are ever written
  return {
    roles: new Map(members.map((member) => [member.workspace_id, member.role])),
    permissions: new Map(
      members
        .filter((member) => member.permissions !== '')
        .map((member) => [member.workspace_id, toPermissions(member.permissions)]),
    ),
  };
};

interface MemberRow {
  readonly user_id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly permissions: string;
}
const toMember = (row: MemberRow): Member => ({
  userId: row.user_id,
  userName: row.name,
  email: orNothing(row.email),
  role: row.role,
  permissions: toPermissions(row.permissions),
});
export const memberStore = (connection: Connection): MemberStore => {
  const { db } = connection;
  const members = (workspaceId: string) =>
    db('members')
      .join('users', 'users.id', 'members.user_id')
      .select('members.user_id', 'users.name', 'users.email', 'members.role', 'members.permissions')
      .where({ workspace_id: workspaceId });
  return {
    async lockMembers(workspaceId) {
      return (
        (await db('workspaces')
          .where({ id: workspaceId })
          .update({ revision: db.raw('revision + 1') })) > 0
      );
    },
    async setRole(workspaceId, userId, role, permissions) {
      await db('members')
        .insert({
          workspace_id: workspaceId,
          user_id: userId,
          role,
          permissions: permissions.join(','),
        })
        .onConflict(['workspace_id', 'user_id'])
        .merge(['role', 'permissions']);
    },
    async removeRole(workspaceId, userId) {
      return (
        (await db('members').where({ workspace_id: workspaceId, user_id: userId }).delete()) > 0
      );
    },
    async findMember(workspaceId, userId) {
      const row = await members(workspaceId)
        .where({ user_id: userId })
        .first<MemberRow | undefined>();
      return row === undefined ? undefined : toMember(row);
    },
    async countAdmins(workspaceId) {
      return (
        await db('members')
          .select('user_id')
          .where({ workspace_id: workspaceId, role: 'admin' })
          .limit(2)
      ).length;
    },
    async pageMembers(workspaceId, { after, limit }) {
      return (
        (await members(workspaceId)
          .orderBy('users.name')
          .limit(limit)
          .modify((some) => {
            if (after !== undefined) void some.where('users.name', '>', after);
          })) as readonly MemberRow[]
      ).map(toMember); // the columns named below
    },
    async listMembers(workspaceId) {
      return (
        (await members(workspaceId).orderBy('users.name').limit(100_000)) as readonly MemberRow[]
      ).map(toMember); // the columns named below
    },
    findReach: (userId) => readReach(connection, userId),
  };
};
