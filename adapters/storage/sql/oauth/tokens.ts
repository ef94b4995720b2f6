// Tokens, and what is known of them when one is shown.
import type { OAuthStore } from '#ports/storage/oauth';
import type { Connection } from '../connection.js';
import { readReach } from '../members.js';
import { toUser, userColumns, type UserRow } from '../users.js';
import {
  insertTokensSql,
  tokenColumns,
  tokenValues,
  toToken,
  type TokenRow,
} from './token-rows.js';
import { familyColumns, toFamily, type FamilyRow } from './family-rows.js';

type Of = 'insertTokens' | 'findToken' | 'findAccess' | 'rotate' | 'revokeToken';

export const tokenStore = (connection: Connection): Pick<OAuthStore, Of> => {
  const { db, dialect } = connection;
  const tokens = () =>
    db('oauth_tokens').join('oauth_families', 'oauth_families.id', 'oauth_tokens.family_id');
  return {
    async insertTokens(made) {
      await dialect.run(db, insertTokensSql(made.length), made.flatMap(tokenValues));
    },
    async findToken(hash) {
      const row = await tokens()
        .where({ 'oauth_tokens.hash': hash })
        .select(tokenColumns, 'oauth_families.client_id', 'oauth_families.user_id')
        .first<(TokenRow & { readonly client_id: string; readonly user_id: string }) | undefined>();
      return row === undefined
        ? undefined
        : { ...toToken(row), clientId: row.client_id, userId: row.user_id };
    },
    async findAccess(hash, now) {
      const row = await tokens()
        .join('oauth_clients', 'oauth_clients.id', 'oauth_families.client_id')
        .join('users', 'users.id', 'oauth_families.user_id')
        .join('workspaces', 'workspaces.id', 'oauth_families.workspace_id')
        .where({ 'oauth_tokens.hash': hash, 'oauth_tokens.kind': 'access' })
        .where('oauth_tokens.expires_at', '>', now)
        .whereNull('oauth_tokens.revoked_at')
        .whereNull('oauth_families.revoked_at')
        .whereNull('oauth_clients.disabled_at')
        .whereNull('users.suspended_at')
        .select(
          tokenColumns,
          familyColumns,
          { workspace_name: 'workspaces.name' },
          ...userColumns.map((column) => `users.${column}`),
        )
        .first<
          (TokenRow & FamilyRow & UserRow & { readonly workspace_name: string }) | undefined
        >();
      return row === undefined
        ? undefined
        : {
            token: toToken(row),
            family: toFamily(row),
            workspaceName: row.workspace_name,
            user: toUser(row),
            ...(await readReach(connection, row.id)),
          };
    },
    async rotate({ id, familyId }, at) {
      await db('oauth_tokens')
        .where({ id })
        .update({
          pairs: db.raw('pairs + 1'),
          revoked_at: db.raw('coalesce(revoked_at, ?)', [at]),
          reason: db.raw("coalesce(reason, 'ROTATED')"),
        });
      await db('oauth_families').where({ id: familyId }).update({ used_at: at });
    },
    async revokeToken(id, reason, at) {
      return (
        (await db('oauth_tokens')
          .where({ id })
          .whereNull('revoked_at')
          .update({ revoked_at: at, reason })) > 0
      );
    },
  };
};
