import type { SessionStore, StoredSession } from '#ports/storage/sessions';
import { orNothing, type Connection } from './connection.js';
import { readReach } from './members.js';
import { toUser, userColumns, type UserRow } from './users.js';

interface SessionRow {
  readonly session_id: string;
  readonly user_id: string;
  readonly way: string;
  readonly address: string;
  readonly agent: string;
  readonly external: string | null;
  readonly session_created_at: unknown;
  readonly last_used_at: unknown;
  readonly expires_at: unknown;
}
const columns = {
  session_id: 'sessions.id',
  user_id: 'sessions.user_id',
  way: 'sessions.way',
  address: 'sessions.address',
  agent: 'sessions.agent',
  external: 'sessions.external',
  session_created_at: 'sessions.created_at',
  last_used_at: 'sessions.last_used_at',
  expires_at: 'sessions.expires_at',
} as const;
const toSession = (row: SessionRow): StoredSession => ({
  id: row.session_id,
  userId: row.user_id,
  way: row.way,
  address: row.address,
  agent: row.agent,
  external: orNothing(row.external),
  createdAt: Number(row.session_created_at),
  lastUsedAt: Number(row.last_used_at),
  expiresAt: Number(row.expires_at),
});

export const sessionStore = (connection: Connection): SessionStore => {
  const { db } = connection;
  return {
    async insert(session) {
      await db('sessions').insert({
        id: session.id,
        hash: session.hash,
        user_id: session.userId,
        way: session.way,
        address: session.address,
        agent: session.agent,
        external: session.external ?? null,
        created_at: session.createdAt,
        last_used_at: session.lastUsedAt,
        expires_at: session.expiresAt,
      });
    },
    async findHolder(hash, now) {
      const row = await db('sessions')
        .join('users', 'users.id', 'sessions.user_id')
        .where({ 'sessions.hash': hash })
        .where('sessions.expires_at', '>', now)
        .whereNull('users.suspended_at')
        .select(columns, ...userColumns.map((column) => `users.${column}`))
        .first<(UserRow & SessionRow) | undefined>();
      return row === undefined
        ? undefined
        : {
            session: toSession(row),
            user: toUser(row),
            ...(await readReach(connection, row.user_id)),
          };
    },
    async find(id) {
      const row = await db('sessions')
        .select(columns)
        .where({ id })
        .first<SessionRow | undefined>();
      return row === undefined ? undefined : toSession(row);
    },
    async listOf(userId, now) {
      return (
        (await db('sessions')
          .select(columns)
          .where({ user_id: userId })
          .where('expires_at', '>', now)
          .orderBy([{ column: 'sessions.created_at', order: 'desc' }, { column: 'sessions.id' }])
          .limit(1000)) as readonly SessionRow[]
      ).map(toSession); // the columns named above
    },
    async touch(id, at, expiresAt) {
      await db('sessions')
        .where({ id })
        .where('last_used_at', '<', at)
        .update({ last_used_at: at, expires_at: expiresAt });
    },
    async remove(id) {
      return (await db('sessions').where({ id }).delete()) > 0;
    },
    async removeOf(userId, keep) {
      return db('sessions')
        .where({ user_id: userId })
        .modify((some) => {
          if (keep !== undefined) void some.whereNot({ id: keep });
        })
        .delete();
    },
    async removeEnded(now, limit) {
      const ended = await db('sessions')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .pluck<string[]>('id');
      return ended.length === 0 ? 0 : db('sessions').whereIn('id', ended).delete();
    },
  };
};
