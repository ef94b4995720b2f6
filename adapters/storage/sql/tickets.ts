import type { Permission, Role } from '#ports/model/identity';
import type { Invitation, Ticket, TicketKind } from '#ports/model/tickets';
import type { TicketStore } from '#ports/storage/tickets';
import { isTrue, orNothing, type Connection } from './connection.js';

interface TicketRow {
  readonly id: string;
  readonly kind: TicketKind;
  readonly user_id: string | null;
  readonly email: string | null;
  readonly mailed: unknown;
  readonly workspace_id: string | null;
  readonly role: Role | null;
  readonly permissions: string;
  readonly made_by: string | null;
  readonly created_at: unknown;
  readonly expires_at: unknown;
}
const columns = [
  'id',
  'kind',
  'user_id',
  'email',
  'mailed',
  'workspace_id',
  'role',
  'permissions',
  'made_by',
  'created_at',
  'expires_at',
] as const;

const toTicket = (row: TicketRow): Ticket => ({
  id: row.id,
  kind: row.kind,
  userId: orNothing(row.user_id),
  email: orNothing(row.email),
  mailed: isTrue(row.mailed),
  workspaceId: orNothing(row.workspace_id),
  role: orNothing(row.role),
  permissions: row.permissions === '' ? [] : (row.permissions.split(',') as Permission[]), // only permissions are ever written
  madeBy: orNothing(row.made_by),
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
});
const toInvitation = (row: TicketRow): Invitation => toTicket(row) as Invitation; // an invitation is never written without them

export const ticketStore = ({ db }: Connection): TicketStore => {
  const standing = (kind: TicketKind, hash: string, now: number) =>
    db('tickets')
      .where({ kind, hash })
      .where('expires_at', '>', now)
      .select(...columns)
      .first<TicketRow | undefined>();
  return {
    async insert(ticket) {
      await db('tickets').insert({
        id: ticket.id,
        kind: ticket.kind,
        hash: ticket.hash,
        user_id: ticket.userId ?? null,
        email: ticket.email ?? null,
        mailed: ticket.mailed,
        workspace_id: ticket.workspaceId ?? null,
        role: ticket.role ?? null,
        permissions: ticket.permissions.join(','),
        made_by: ticket.madeBy ?? null,
        created_at: ticket.createdAt,
        expires_at: ticket.expiresAt,
      });
    },
    async findByHash(kind, hash, now) {
      const row = await standing(kind, hash, now);
      return row === undefined ? undefined : toTicket(row);
    },
    async take(kind, hash, now) {
      const row = await standing(kind, hash, now);
      // Whoever removes it has it: of two who read the same row, one removes none.
      return row === undefined || (await db('tickets').where({ id: row.id, hash }).delete()) === 0
        ? undefined
        : toTicket(row);
    },
    async findInvitation(id) {
      const row = await db('tickets')
        .where({ id, kind: 'invitation' })
        .select(...columns)
        .first<TicketRow | undefined>();
      return row === undefined ? undefined : toInvitation(row);
    },
    async listInvitations(workspaceId, now) {
      return (
        (await db('tickets')
          .where({ workspace_id: workspaceId, kind: 'invitation' })
          .where('expires_at', '>', now)
          .select(...columns)
          .orderBy([{ column: 'created_at', order: 'desc' }, { column: 'id' }])
          .limit(1000)) as readonly TicketRow[]
      ).map(toInvitation); // the columns named above
    },
    async remove(id) {
      return (await db('tickets').where({ id }).delete()) > 0;
    },
    removeOf: (userId, kind) => db('tickets').where({ user_id: userId, kind }).delete(),
    async removeExpired(now, limit) {
      const expired = await db('tickets')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .pluck<string[]>('id');
      return expired.length === 0 ? 0 : db('tickets').whereIn('id', expired).delete();
    },
  };
};
