// Which programs act for somebody.
import type { ProgramAccess } from '#ports/model/oauth';
import type { OAuthStore } from '#ports/storage/oauth';
import { inTransaction, orNothing, wholeOrNothing, type Connection } from '../connection.js';
import { uuid } from './ids.js';

interface ProgramRow {
  readonly client_id: string;
  readonly client_name: string;
  readonly client_uri: string | null;
  readonly client_made: unknown;
  readonly client_off: unknown;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly since: unknown;
  readonly last_used: unknown;
}
const toProgram = (row: ProgramRow): ProgramAccess => ({
  client: {
    id: row.client_id,
    name: row.client_name,
    clientUri: orNothing(row.client_uri),
    createdAt: Number(row.client_made),
    disabledAt: wholeOrNothing(row.client_off),
  },
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  since: Number(row.since),
  usedAt: Number(row.last_used),
});

type Of = 'listPrograms' | 'revokeProgram';

export const programStore = (connection: Connection): Pick<OAuthStore, Of> => {
  const { db, dialect } = connection;
  return {
    async listPrograms(userId, now) {
      const rows = (await dialect.run(
        db,
        `select g.client_id, c.name as client_name, c.client_uri, c.created_at as client_made, c.disabled_at as client_off, g.workspace_id, w.name as workspace_name, g.since, g.last_used
        from (select f.client_id, f.workspace_id, min(f.created_at) as since, max(f.used_at) as last_used from oauth_families f where f.user_id = ? and f.revoked_at is null and f.expires_at > ?
          and exists (select 1 from oauth_tokens t where t.family_id = f.id and t.revoked_at is null and t.expires_at > ?) group by f.client_id, f.workspace_id) g
        join oauth_clients c on c.id = g.client_id join workspaces w on w.id = g.workspace_id order by g.last_used desc, g.client_id, g.workspace_id`,
        [userId, now, now],
      )) as readonly ProgramRow[]; // the columns named
      return rows.map(toProgram);
    },
    async revokeProgram(userId, clientId, reason, at) {
      if (!uuid.test(clientId)) return 0;
      // The codes first, as whoever makes a family does: one that is being made is waited for and ends here, too.
      return inTransaction(connection, async ({ db: inside }) => {
        await inside('oauth_codes').where({ user_id: userId, client_id: clientId }).delete();
        return inside('oauth_families')
          .where({ user_id: userId, client_id: clientId })
          .whereNull('revoked_at')
          .update({ revoked_at: at, reason });
      });
    },
  };
};
