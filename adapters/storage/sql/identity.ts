import type { Role, User } from '#ports/model/identity';
import type { IdentityStore } from '#ports/storage/identity';
import { isTrue, keyOf, orNothing, refuseTaken, wholeOrNothing, type Connection } from './connection.js';

interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly admin: unknown;
  readonly default_workspace_id: string | null;
  readonly created_at: unknown;
}

const toUser = (row: UserRow): User => ({
  id: row.id, name: row.name, email: orNothing(row.email), admin: isTrue(row.admin), defaultWorkspaceId: orNothing(row.default_workspace_id), createdAt: Number(row.created_at),
});
const userColumns = ['id', 'name', 'email', 'admin', 'default_workspace_id', 'created_at'] as const;

export const identityStore = ({ db, dialect }: Connection): IdentityStore => ({
  insertUser: (user) => refuseTaken(dialect, `user ${user.name} exists already`, db('users').insert({
    id: user.id, name: user.name, name_key: keyOf(user.name), email: user.email ?? null, admin: user.admin, default_workspace_id: user.defaultWorkspaceId ?? null, created_at: user.createdAt,
  })),
  async findUser(by) {
    const row = await db('users').select(...userColumns).where('id' in by ? { id: by.id } : 'email' in by ? { email: by.email } : { name_key: keyOf(by.name) }).orderBy('created_at').first<UserRow | undefined>();
    return row === undefined ? undefined : toUser(row);
  },
  async countUsers() {
    const [row] = await db('users').count({ n: '*' });
    return Number(row?.n ?? 0);
  },
  async setDefaultWorkspace(userId, workspaceId) {
    return (await db('users').where({ id: userId }).update({ default_workspace_id: workspaceId })) > 0;
  },
  async setPassword(userId, hashed) {
    return (await db('users').where({ id: userId }).update({ password: hashed })) > 0;
  },
  insertKey: (key) => refuseTaken(dialect, 'the key exists already', db('api_keys').insert({ id: key.id, user_id: key.userId, hash: key.hash, prefix: key.prefix, created_at: key.createdAt })),
  async findKeyHolder(hash) {
    const row = await db('api_keys').join('users', 'users.id', 'api_keys.user_id').where({ 'api_keys.hash': hash }).whereNull('api_keys.revoked_at')
      .select({ key_id: 'api_keys.id' }, ...userColumns.map((column) => `users.${column}`)).first<(UserRow & { readonly key_id: string }) | undefined>();
    if (row === undefined) return undefined;
    const members = await db('members').select('workspace_id', 'role').where({ user_id: row.id }) as readonly { readonly workspace_id: string; readonly role: Role }[]; // only roles are ever written
    return { keyId: row.key_id, user: toUser(row), roles: new Map(members.map((member) => [member.workspace_id, member.role])) };
  },
  async listKeys(userId) {
    const rows = await db('api_keys').select('id', 'prefix', 'created_at', 'revoked_at', 'last_used_at').where({ user_id: userId }).orderBy([{ column: 'created_at', order: 'desc' }, { column: 'id' }]).limit(1000);
    return rows.map((row: { id: string; prefix: string; created_at: unknown; revoked_at: unknown; last_used_at: unknown }) => ({ id: row.id, prefix: row.prefix, createdAt: Number(row.created_at), revokedAt: wholeOrNothing(row.revoked_at), lastUsedAt: wholeOrNothing(row.last_used_at) }));
  },
  async revokeKey(keyId, at) {
    const changed = await db('api_keys').where({ id: keyId }).update({ revoked_at: db.raw('coalesce(revoked_at, ?)', [at]) });
    return changed > 0 || (await db('api_keys').select('id').where({ id: keyId }).first()) !== undefined;
  },
  async setRole(workspaceId, userId, role) {
    await db('members').insert({ workspace_id: workspaceId, user_id: userId, role }).onConflict(['workspace_id', 'user_id']).merge(['role']);
  },
  async removeRole(workspaceId, userId) {
    return (await db('members').where({ workspace_id: workspaceId, user_id: userId }).delete()) > 0;
  },
  async listMembers(workspaceId) {
    const rows = await db('members').join('users', 'users.id', 'members.user_id').select('users.id', 'users.name', 'members.role').where({ workspace_id: workspaceId }).orderBy('users.name').limit(100_000);
    return rows.map((row: { id: string; name: string; role: Role }) => ({ userId: row.id, userName: row.name, role: row.role }));
  },
  async touchKey(keyId, at) {
    await db('api_keys').where({ id: keyId }).andWhere((open) => open.whereNull('last_used_at').orWhere('last_used_at', '<', at)).update({ last_used_at: at });
  },
});
