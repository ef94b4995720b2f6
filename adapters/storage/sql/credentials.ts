import type { CredentialStore } from '#ports/storage/credentials';
import { toUser, userColumns, type UserRow } from './users.js';
import { inTransaction, keyOf, orNothing, type Connection } from './connection.js';

export const credentialStore = (connection: Connection): CredentialStore => {
  const { db } = connection;
  return {
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
  };
};
