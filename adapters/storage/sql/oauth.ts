import type { Knex } from 'knex';
import type {
  OAuthClient,
  OAuthCode,
  OAuthFamily,
  OAuthToken,
  ProgramAccess,
  Revocation,
} from '#ports/model/oauth';
import type { NewToken, OAuthStore } from '#ports/storage/oauth';
import { inTransaction, keyOf, orNothing, wholeOrNothing, type Connection } from './connection.js';
import { readReach } from './members.js';
import { toUser, userColumns, type UserRow } from './users.js';

interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly redirect_uris: string;
  readonly logo_uri: string | null;
  readonly client_uri: string | null;
  readonly software_id: string | null;
  readonly software_version: string | null;
  readonly created_at: unknown;
  readonly disabled_at: unknown;
}
const toClient = (row: ClientRow): OAuthClient => ({
  id: row.id,
  name: row.name,
  redirectUris: JSON.parse(row.redirect_uris) as string[],
  logoUri: orNothing(row.logo_uri),
  clientUri: orNothing(row.client_uri), // a list of texts is all that is ever written
  softwareId: orNothing(row.software_id),
  softwareVersion: orNothing(row.software_version),
  createdAt: Number(row.created_at),
  disabledAt: wholeOrNothing(row.disabled_at),
});

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

interface FamilyRow {
  readonly family_id: string;
  readonly family_client: string;
  readonly family_user: string;
  readonly family_workspace: string;
  readonly family_resource: string;
  readonly family_made: unknown;
  readonly family_used: unknown;
  readonly family_end: unknown;
  readonly family_revoked: unknown;
  readonly family_reason: Revocation | null;
}
const familyColumns = {
  family_id: 'oauth_families.id',
  family_client: 'oauth_families.client_id',
  family_user: 'oauth_families.user_id',
  family_workspace: 'oauth_families.workspace_id',
  family_resource: 'oauth_families.resource',
  family_made: 'oauth_families.created_at',
  family_used: 'oauth_families.used_at',
  family_end: 'oauth_families.expires_at',
  family_revoked: 'oauth_families.revoked_at',
  family_reason: 'oauth_families.reason',
} as const;
const toFamily = (row: FamilyRow): OAuthFamily => ({
  id: row.family_id,
  clientId: row.family_client,
  userId: row.family_user,
  workspaceId: row.family_workspace,
  resource: row.family_resource,
  createdAt: Number(row.family_made),
  usedAt: Number(row.family_used),
  expiresAt: Number(row.family_end),
  revokedAt: wholeOrNothing(row.family_revoked),
  reason: orNothing(row.family_reason),
});

interface TokenRow {
  readonly token_id: string;
  readonly token_family: string;
  readonly token_kind: 'access' | 'refresh';
  readonly rotated_from: string | null;
  readonly pairs: number;
  readonly token_made: unknown;
  readonly token_end: unknown;
  readonly token_revoked: unknown;
  readonly token_reason: Revocation | null;
}
const tokenColumns = {
  token_id: 'oauth_tokens.id',
  token_family: 'oauth_tokens.family_id',
  token_kind: 'oauth_tokens.kind',
  rotated_from: 'oauth_tokens.rotated_from',
  pairs: 'oauth_tokens.pairs',
  token_made: 'oauth_tokens.created_at',
  token_end: 'oauth_tokens.expires_at',
  token_revoked: 'oauth_tokens.revoked_at',
  token_reason: 'oauth_tokens.reason',
} as const;
const toToken = (row: TokenRow): OAuthToken => ({
  id: row.token_id,
  familyId: row.token_family,
  kind: row.token_kind,
  rotatedFrom: orNothing(row.rotated_from),
  pairs: Number(row.pairs),
  createdAt: Number(row.token_made),
  expiresAt: Number(row.token_end),
  revokedAt: wholeOrNothing(row.token_revoked),
  reason: orNothing(row.token_reason),
});

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

const marks = (count: number): string => Array<string>(count).fill('?').join(', ');
const insertTokensSql = (count: number): string =>
  `insert into oauth_tokens (id, hash, family_id, kind, rotated_from, pairs, created_at, expires_at, revoked_at, reason) values ${Array<string>(
    count,
  )
    .fill(`(${marks(10)})`)
    .join(', ')}`;
const tokenValues = (token: NewToken): readonly unknown[] => [
  token.id,
  token.hash,
  token.familyId,
  token.kind,
  token.rotatedFrom ?? null,
  token.pairs,
  token.createdAt,
  token.expiresAt,
  token.revokedAt ?? null,
  token.reason ?? null,
];

/** The connection, for what nothing around it may take back. */
const alone = (connection: Connection): Connection => {
  if (connection.inTransaction) throw new Error('a code is never used inside a transaction');
  return connection;
};

/** Ends the transaction of a family whose code is gone. */
class Forgotten extends Error {}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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

export const oauthStore = (connection: Connection): OAuthStore => {
  const { db, dialect } = connection;
  const tokens = () =>
    db('oauth_tokens').join('oauth_families', 'oauth_families.id', 'oauth_tokens.family_id');
  return {
    async insertClient(client) {
      await db('oauth_clients').insert({
        id: client.id,
        name: client.name,
        redirect_uris: JSON.stringify(client.redirectUris),
        logo_uri: client.logoUri ?? null,
        client_uri: client.clientUri ?? null,
        software_id: client.softwareId ?? null,
        software_version: client.softwareVersion ?? null,
        created_at: client.createdAt,
        disabled_at: client.disabledAt ?? null,
      });
    },
    async findClient(id) {
      const row = uuid.test(id)
        ? await db('oauth_clients')
            .where({ id })
            .whereNull('disabled_at')
            .first<ClientRow | undefined>(
              'id',
              'name',
              'redirect_uris',
              'logo_uri',
              'client_uri',
              'software_id',
              'software_version',
              'created_at',
              'disabled_at',
            )
        : undefined;
      return row === undefined ? undefined : toClient(row);
    },
    async disableClient(id, at) {
      return (
        uuid.test(id) && (await db('oauth_clients').where({ id }).update({ disabled_at: at })) > 0
      );
    },
    async addAttempt(key, until) {
      const name = keyOf(key);
      await db.raw(
        `insert into oauth_attempts (name, n, until) values (?, 1, ?) ${dialect.onConflict(['name'], [`n = ${dialect.stored('oauth_attempts', 'n')} + 1`])}`,
        [name, until],
      );
      const row = await db('oauth_attempts')
        .where({ name })
        .first<{ readonly n: unknown } | undefined>('n');
      return Number(row?.n ?? 1);
    },

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
  };
};
