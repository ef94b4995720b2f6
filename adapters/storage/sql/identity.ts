import type { Permission, Role, Scope, User, UserKind } from '#ports/model/identity';
import type { IdentityStore, Member, Reach, StoredKey } from '#ports/storage/identity';
import {
  containing,
  inTransaction,
  isTrue,
  keyOf,
  orNothing,
  refuseTaken,
  wholeOrNothing,
  type Connection,
} from './connection.js';

export interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly email_proved: unknown;
  readonly kind: UserKind;
  readonly admin: unknown;
  readonly view_only: unknown;
  readonly restricted: unknown;
  readonly suspended_at: unknown;
  readonly default_workspace_id: string | null;
  readonly created_at: unknown;
}

export const toUser = (row: UserRow): User => ({
  id: row.id,
  name: row.name,
  email: orNothing(row.email),
  emailProved: isTrue(row.email_proved),
  kind: row.kind,
  admin: isTrue(row.admin),
  viewOnly: isTrue(row.view_only),
  restricted: isTrue(row.restricted),
  suspendedAt: wholeOrNothing(row.suspended_at),
  defaultWorkspaceId: orNothing(row.default_workspace_id),
  createdAt: Number(row.created_at),
});
export const userColumns = [
  'id',
  'name',
  'email',
  'email_proved',
  'kind',
  'admin',
  'view_only',
  'restricted',
  'suspended_at',
  'default_workspace_id',
  'created_at',
] as const;

/** E-mails are one whatever their case. */
const emailKey = (email: string): string => keyOf(email.toLowerCase());

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

interface KeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly read_only: unknown;
  readonly only_workspace_id: string | null;
  readonly only_project_id: string | null;
  readonly created_at: unknown;
  readonly revoked_at: unknown;
  readonly last_used_at: unknown;
}
type ScopeRow = Pick<KeyRow, 'read_only' | 'only_workspace_id' | 'only_project_id'>;
const keyColumns = [
  'id',
  'user_id',
  'name',
  'prefix',
  'read_only',
  'only_workspace_id',
  'only_project_id',
  'created_at',
  'revoked_at',
  'last_used_at',
] as const;
const toScope = (row: ScopeRow): Scope | undefined =>
  row.read_only === null
    ? undefined
    : {
        readOnly: isTrue(row.read_only),
        workspaceId: orNothing(row.only_workspace_id),
        projectId: orNothing(row.only_project_id),
      };
const toKey = (row: KeyRow): StoredKey => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  prefix: row.prefix,
  scope: toScope(row),
  createdAt: Number(row.created_at),
  revokedAt: wholeOrNothing(row.revoked_at),
  lastUsedAt: wholeOrNothing(row.last_used_at),
});

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

export const identityStore = (connection: Connection): IdentityStore => {
  const { db, dialect } = connection;
  const members = (workspaceId: string) =>
    db('members')
      .join('users', 'users.id', 'members.user_id')
      .select('members.user_id', 'users.name', 'users.email', 'members.role', 'members.permissions')
      .where({ workspace_id: workspaceId });
  return {
    insertUser: (user) =>
      refuseTaken(
        dialect,
        user.email === undefined
          ? `user ${user.name} exists already`
          : `user ${user.name} or that e-mail exists already`,
        db('users').insert({
          id: user.id,
          name: user.name,
          name_key: keyOf(user.name),
          email: user.email ?? null,
          email_key: user.email === undefined ? null : emailKey(user.email),
          email_proved: user.emailProved,
          kind: user.kind,
          admin: user.admin,
          view_only: user.viewOnly,
          restricted: user.restricted,
          suspended_at: user.suspendedAt ?? null,
          default_workspace_id: user.defaultWorkspaceId ?? null,
          created_at: user.createdAt,
        }),
      ),
    async findUser(by) {
      const row = await db('users')
        .select(...userColumns)
        .where(
          'id' in by
            ? { id: by.id }
            : 'email' in by
              ? { email_key: emailKey(by.email) }
              : { name_key: keyOf(by.name) },
        )
        .first<UserRow | undefined>();
      return row === undefined ? undefined : toUser(row);
    },
    async countUsers() {
      const [row] = await db('users').count({ n: '*' });
      return Number(row?.n ?? 0);
    },
    async updateUser(userId, change) {
      const columns: Record<string, string | number | boolean | null> = {};
      if (change.name !== undefined) {
        columns['name'] = change.name;
        columns['name_key'] = keyOf(change.name);
      }
      if ('email' in change) {
        columns['email'] = change.email ?? null;
        columns['email_key'] = change.email === undefined ? null : emailKey(change.email);
      }
      if (change.emailProved !== undefined) columns['email_proved'] = change.emailProved;
      if (change.kind !== undefined) columns['kind'] = change.kind;
      if (change.admin !== undefined) columns['admin'] = change.admin;
      if (change.viewOnly !== undefined) columns['view_only'] = change.viewOnly;
      if (change.restricted !== undefined) columns['restricted'] = change.restricted;
      if ('suspendedAt' in change) columns['suspended_at'] = change.suspendedAt ?? null;
      if ('defaultWorkspaceId' in change)
        columns['default_workspace_id'] = change.defaultWorkspaceId ?? null;
      if (Object.keys(columns).length > 0)
        await refuseTaken(
          dialect,
          'that name or e-mail is taken',
          db('users').where({ id: userId }).update(columns),
        );
      return (await db('users').select('id').where({ id: userId }).first()) !== undefined;
    },
    async releaseEmail(email) {
      return (
        (await db('users')
          .where({ email_key: emailKey(email), email_proved: false })
          .update({ email: null, email_key: null })) > 0
      );
    },
    // Locks change their row, since other nodes of a cluster see a change at the commit and a lock never.
    async lockUser(userId) {
      return (
        (await db('users')
          .where({ id: userId })
          .update({ turn: db.raw('turn + 1') })) > 0
      );
    },
    async lockAdministrators() {
      const first = await db('users')
        .select('id')
        .orderBy('created_at')
        .orderBy('id')
        .forUpdate()
        .first<{ readonly id: string } | undefined>();
      if (first !== undefined)
        await db('users')
          .where({ id: first.id })
          .update({ turn: db.raw('turn + 1') });
    },
    async lockMembers(workspaceId) {
      return (
        (await db('workspaces')
          .where({ id: workspaceId })
          .update({ revision: db.raw('revision + 1') })) > 0
      );
    },
    endCredentials: (userId, at) =>
      inTransaction(connection, async ({ db: inside }) => {
        await inside('users')
          .where({ id: userId })
          .update({ password: null, turn: inside.raw('turn + 1') });
        await inside('api_keys')
          .where({ user_id: userId })
          .whereNull('revoked_at')
          .update({ revoked_at: at });
        await inside('sessions').where({ user_id: userId }).delete();
        await inside('tickets').where({ user_id: userId, kind: 'reset' }).delete();
        await inside('oauth_codes').where({ user_id: userId }).delete();
        await inside('oauth_families')
          .where({ user_id: userId })
          .whereNull('revoked_at')
          .update({ revoked_at: at, reason: 'SIGN_OUT' });
      }),
    async setDefaultWorkspace(userId, workspaceId) {
      return (
        (await db('users').where({ id: userId }).update({ default_workspace_id: workspaceId })) > 0
      );
    },
    async setPassword(userId, hashed) {
      return (await db('users').where({ id: userId }).update({ password: hashed })) > 0;
    },
    async findPassword(userId) {
      const row = await db('users')
        .select('password')
        .where({ id: userId })
        .first<{ readonly password: string | null } | undefined>();
      return orNothing(row?.password ?? null);
    },
    insertKey: ({ id, userId, name, hash, prefix, scope, createdAt }) =>
      refuseTaken(
        dialect,
        'the key exists already',
        db('api_keys').insert({
          id,
          user_id: userId,
          name,
          hash,
          prefix,
          read_only: scope?.readOnly ?? null,
          only_workspace_id: scope?.workspaceId ?? null,
          only_project_id: scope?.projectId ?? null,
          created_at: createdAt,
        }),
      ),
    async findKeyHolder(hash) {
      const row = await db('api_keys')
        .join('users', 'users.id', 'api_keys.user_id')
        .where({ 'api_keys.hash': hash })
        .whereNull('api_keys.revoked_at')
        .whereNull('users.suspended_at')
        .select(
          {
            key_id: 'api_keys.id',
            read_only: 'api_keys.read_only',
            only_workspace_id: 'api_keys.only_workspace_id',
            only_project_id: 'api_keys.only_project_id',
          },
          ...userColumns.map((column) => `users.${column}`),
        )
        .first<(UserRow & ScopeRow & { readonly key_id: string }) | undefined>();
      return row === undefined
        ? undefined
        : {
            keyId: row.key_id,
            scope: toScope(row),
            user: toUser(row),
            ...(await readReach(connection, row.id)),
          };
    },
    findReach: (userId) => readReach(connection, userId),
    async findKey(keyId) {
      const row = await db('api_keys')
        .select(...keyColumns)
        .where({ id: keyId })
        .first<KeyRow | undefined>();
      return row === undefined ? undefined : toKey(row);
    },
    async listKeys(userId) {
      return (
        (await db('api_keys')
          .select(...keyColumns)
          .where({ user_id: userId })
          .orderBy([{ column: 'created_at', order: 'desc' }, { column: 'id' }])
          .limit(1000)) as readonly KeyRow[]
      ).map(toKey); // the columns named above
    },
    async revokeKey(keyId, at) {
      const changed = await db('api_keys')
        .where({ id: keyId })
        .update({ revoked_at: db.raw('coalesce(revoked_at, ?)', [at]) });
      return (
        changed > 0 ||
        (await db('api_keys').select('id').where({ id: keyId }).first()) !== undefined
      );
    },
    async retireKey(keyId, at) {
      return (
        (await db('api_keys')
          .where({ id: keyId })
          .whereNull('revoked_at')
          .update({ revoked_at: at })) > 0
      );
    },
    retireKeysOf: (userId, at) =>
      db('api_keys').where({ user_id: userId }).whereNull('revoked_at').update({ revoked_at: at }),
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
    async pageUsers({ search, kind, after, limit }) {
      const rows = (await db('users')
        .select(...userColumns)
        .orderBy('name')
        .limit(limit)
        .modify((some) => {
          if (kind !== undefined) void some.where({ kind });
          if (after !== undefined) void some.where('name', '>', after);
          if (search !== undefined) {
            const like = containing(search);
            void some.whereRaw(
              "(lower(name) like ? escape '!' or lower(email) like ? escape '!')",
              [like, like],
            );
          }
        })) as readonly UserRow[]; // the columns named above
      return rows.map(toUser);
    },
    async countAdministrators() {
      return (
        await db('users').select('id').where({ admin: true }).whereNull('suspended_at').limit(2)
      ).length;
    },
    async findLinked(issuer, subject) {
      const row = await db('linked_identities')
        .join('users', 'users.id', 'linked_identities.user_id')
        .where({ subject_key: keyOf(issuer, subject) })
        .select(userColumns.map((column) => `users.${column}`))
        .first<UserRow | undefined>();
      return row === undefined ? undefined : toUser(row);
    },
    async link(userId, issuer, subject, at) {
      await db('linked_identities')
        .insert({
          subject_key: keyOf(issuer, subject),
          user_id: userId,
          issuer: issuer.slice(0, 500),
          subject: subject.slice(0, 255),
          linked_at: at,
        })
        .onConflict('subject_key')
        .merge(['user_id', 'linked_at']);
    },
    async firstUserId() {
      return (
        await db('users')
          .orderBy('created_at')
          .orderBy('id')
          .first<{ readonly id: string } | undefined>('id')
      )?.id;
    },
    async listMembers(workspaceId) {
      return (
        (await members(workspaceId).orderBy('users.name').limit(100_000)) as readonly MemberRow[]
      ).map(toMember); // the columns named below
    },
    async touchKey(keyId, at) {
      await db('api_keys')
        .where({ id: keyId })
        .andWhere((open) => open.whereNull('last_used_at').orWhere('last_used_at', '<', at))
        .update({ last_used_at: at });
    },
  };
};
