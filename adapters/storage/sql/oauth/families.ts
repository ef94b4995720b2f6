// All tokens that came of one code: they end together.
import type { Knex } from 'knex';
import type { OAuthStore } from '#ports/storage/oauth';
import { inTransaction, type Connection } from '../connection.js';
import { alone } from './alone.js';
import { familyColumns, toFamily, type FamilyRow } from './family-rows.js';
import {
  insertTokensSql,
  marks,
  tokenColumns,
  tokenValues,
  toToken,
  type TokenRow,
} from './token-rows.js';

/** Ends the transaction of a family whose code is gone. */
class Forgotten extends Error {}

type Of = 'insertFamily' | 'lockFamily' | 'revokeFamily' | 'revokeOf';

export const familyStore = (connection: Connection): Pick<OAuthStore, Of> => {
  const { db, dialect } = connection;
  return {
    async insertFamily(family, made) {
      const kept = (inside: Knex): readonly (() => Promise<unknown>)[] => [
        () => dialect.run(inside, 'delete from oauth_codes where hash = ?', [family.codeHash]),
        () =>
          dialect.run(
            inside,
            `insert into oauth_families (id, code_hash, client_id, user_id, workspace_id, resource, created_at, used_at, expires_at, revoked_at, reason) values (${marks(11)})`,
            [
              family.id,
              family.codeHash,
              family.clientId,
              family.userId,
              family.workspaceId,
              family.resource,
              family.createdAt,
              family.usedAt,
              family.expiresAt,
              family.revokedAt ?? null,
              family.reason ?? null,
            ],
          ),
        ...(made.length === 0
          ? []
          : [() => dialect.run(inside, insertTokensSql(made.length), made.flatMap(tokenValues))]),
      ];
      // The code is held until the end, so that of one that is seen twice at once either the other comes first or this one.
      const held =
        'select id from oauth_codes where hash = ? and user_id in (select id from users where suspended_at is null) for update';
      const { pipelined } = dialect;
      try {
        if (pipelined !== undefined)
          await pipelined.transact(alone(connection).db, (inside) => [
            () =>
              dialect.run(
                inside,
                `select ${pipelined.refuseUnless('count(*) = 1')} from (${held}) as held`,
                [family.codeHash],
              ),
            ...kept(inside),
          ]);
        else
          await inTransaction(alone(connection), async ({ db: inside }) => {
            if ((await dialect.run(inside, held, [family.codeHash])).length === 0)
              throw new Forgotten();
            await dialect.together(inside, kept(inside));
          });
        return true;
      } catch (thrown) {
        if (thrown instanceof Forgotten || ['changed', 'conflict'].includes(dialect.fault(thrown)))
          return false;
        throw thrown;
      }
    },
    async lockFamily(tokenId) {
      const found = await db('oauth_tokens')
        .where({ id: tokenId })
        .first<{ readonly family_id: string } | undefined>('family_id');
      if (found === undefined) return undefined;
      const family = await db('oauth_families')
        .where({ id: found.family_id })
        .select(familyColumns)
        .forUpdate()
        .first<FamilyRow | undefined>();
      const token = await db('oauth_tokens')
        .where({ id: tokenId })
        .select(tokenColumns)
        .forUpdate()
        .first<TokenRow | undefined>();
      return family === undefined || token === undefined
        ? undefined
        : { family: toFamily(family), token: toToken(token) };
    },
    async revokeFamily(by, reason, at) {
      const which = 'id' in by ? { id: by.id } : { code_hash: by.codeHash };
      if (
        (await db('oauth_families')
          .where(which)
          .whereNull('revoked_at')
          .update({ revoked_at: at, reason })) === 0
      )
        return undefined;
      const row = await db('oauth_families')
        .where(which)
        .select(familyColumns)
        .first<FamilyRow | undefined>();
      return row === undefined ? undefined : toFamily(row);
    },
    async revokeOf(userId, reason, at) {
      return db('oauth_families')
        .where({ user_id: userId })
        .whereNull('revoked_at')
        .update({ revoked_at: at, reason });
    },
  };
};
