import type { Scope } from '#ports/model/identity';
import type { ApiKeyStore, StoredKey } from '#ports/storage/api-keys';
import { readReach } from './members.js';
import { toUser, userColumns, type UserRow } from './users.js';
import { isTrue, orNothing, refuseTaken, wholeOrNothing, type Connection } from './connection.js';

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

export const apiKeyStore = (connection: Connection): ApiKeyStore => {
  const { db, dialect } = connection;
  return {
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
    async touchKey(keyId, at) {
      await db('api_keys')
        .where({ id: keyId })
        .andWhere((open) => open.whereNull('last_used_at').orWhere('last_used_at', '<', at))
        .update({ last_used_at: at });
    },
  };
};
