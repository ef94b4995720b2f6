// Codes that a consent gave, each of which is used once.
import type { OAuthCode } from '#ports/model/oauth';
import type { OAuthStore } from '#ports/storage/oauth';
import type { Connection } from '../connection.js';
import { alone } from './alone.js';

interface CodeRow {
  readonly id: string;
  readonly client_id: string;
  readonly user_id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly challenge: string;
  readonly redirect_uri: string;
  readonly resource: string;
  readonly created_at: unknown;
  readonly expires_at: unknown;
}
const toCode = (row: CodeRow): OAuthCode => ({
  id: row.id,
  clientId: row.client_id,
  userId: row.user_id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  challenge: row.challenge,
  redirectUri: row.redirect_uri,
  resource: row.resource,
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
});

type Of = 'insertCode' | 'findCode' | 'takeCode' | 'removeCode';

export const codeStore = (connection: Connection): Pick<OAuthStore, Of> => {
  const { db, dialect } = connection;
  return {
    async insertCode(code) {
      await db('oauth_codes').insert({
        id: code.id,
        hash: code.hash,
        client_id: code.clientId,
        user_id: code.userId,
        workspace_id: code.workspaceId,
        workspace_name: code.workspaceName,
        challenge: code.challenge,
        redirect_uri: code.redirectUri,
        resource: code.resource,
        created_at: code.createdAt,
        expires_at: code.expiresAt,
      });
    },
    async findCode(hash) {
      const [row] = (await dialect.run(
        db,
        `select c.id, c.client_id, c.user_id, c.workspace_id, c.workspace_name, c.challenge, c.redirect_uri, c.resource, c.created_at, c.expires_at
        from oauth_codes c join oauth_clients k on k.id = c.client_id where c.hash = ? and k.disabled_at is null`,
        [hash],
      )) as readonly CodeRow[]; // the columns named
      return row === undefined ? undefined : toCode(row);
    },
    async takeCode(hash, now) {
      return (
        (await alone(connection)
          .db('oauth_codes')
          .where({ hash })
          .whereNull('used_at')
          .where('expires_at', '>', now)
          .update({ used_at: now })) > 0
      );
    },
    async removeCode(hash) {
      return (await db('oauth_codes').where({ hash }).delete()) > 0;
    },
  };
};
