import type { User, UserKind } from '#ports/model/identity';
import type { UserStore } from '#ports/storage/users';
import {
  whereHolds,
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

export const userStore = (connection: Connection): UserStore => {
  const { db, dialect } = connection;
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
    async pageUsers({ search, kind, after, limit }) {
      const rows = (await db('users')
        .select(...userColumns)
        .orderBy('name')
        .limit(limit)
        .modify((some) => {
          if (kind !== undefined) void some.where({ kind });
          if (after !== undefined) void some.where('name', '>', after);
          if (search !== undefined) void some.modify(whereHolds(dialect, search, 'name', 'email'));
        })) as readonly UserRow[]; // the columns named above
      return rows.map(toUser);
    },
    async countAdministrators() {
      return (
        await db('users').select('id').where({ admin: true }).whereNull('suspended_at').limit(2)
      ).length;
    },
    async firstUserId() {
      return (
        await db('users')
          .orderBy('created_at')
          .orderBy('id')
          .first<{ readonly id: string } | undefined>('id')
      )?.id;
    },
    async setDefaultWorkspace(userId, workspaceId) {
      return (
        (await db('users').where({ id: userId }).update({ default_workspace_id: workspaceId })) > 0
      );
    },
  };
};
