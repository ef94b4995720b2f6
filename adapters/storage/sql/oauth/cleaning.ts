// What is of no more use, a few rows at a time.
import type { Knex } from 'knex';
import type { OAuthStore } from '#ports/storage/oauth';
import type { Connection } from '../connection.js';

/** Removes rows of a table by their key, up to a limit. */
const removeSome = async (
  table: Knex.QueryBuilder,
  remove: (keys: readonly string[]) => Promise<number>,
  key: string,
  limit: number,
): Promise<number> => {
  const keys = (await table.limit(limit).pluck(key)) as readonly string[]; // keys are texts
  return keys.length === 0 ? 0 : remove(keys);
};

type Of = 'removeUnusedClients' | 'removeEnded';

export const cleaningStore = ({ db }: Connection): Pick<OAuthStore, Of> => ({
  async removeUnusedClients(before, now, limit) {
    const of = (table: string) =>
      db(table).select(db.raw('1')).where(`${table}.client_id`, db.ref('oauth_clients.id'));
    const unused = db('oauth_clients')
      .where('created_at', '<', before)
      .whereNotExists(of('oauth_codes'))
      .whereNotExists(
        of('oauth_families').where((which) =>
          which
            .where('used_at', '>=', before)
            .orWhere((living) => living.whereNull('revoked_at').where('expires_at', '>', now)),
        ),
      );
    return removeSome(
      unused.orderBy('created_at'),
      (ids) => db('oauth_clients').whereIn('id', ids).delete(),
      'id',
      limit,
    );
  },
  async removeEnded(now, limit) {
    const codes = await removeSome(
      db('oauth_codes').where('expires_at', '<=', now).orderBy('expires_at'),
      (ids) => db('oauth_codes').whereIn('id', ids).delete(),
      'id',
      limit,
    );
    const access = await removeSome(
      db('oauth_tokens')
        .where({ kind: 'access' })
        .where('expires_at', '<=', now)
        .orderBy('expires_at'),
      (ids) => db('oauth_tokens').whereIn('id', ids).delete(),
      'id',
      limit,
    );
    const attempts = await removeSome(
      db('oauth_attempts').where('until', '<=', now).orderBy('until'),
      (names) => db('oauth_attempts').whereIn('name', names).delete(),
      'name',
      limit,
    );
    const families = await removeSome(
      db('oauth_families').where('expires_at', '<=', now).orderBy('expires_at'),
      async (ids) => {
        // The tokens first: a stop here leaves a family by which the rest is found again.
        await db('oauth_tokens').whereIn('family_id', ids).delete();
        return db('oauth_families').whereIn('id', ids).delete();
      },
      'id',
      limit,
    );
    return codes + access + attempts + families;
  },
});
