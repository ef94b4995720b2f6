import type { Invitation, Ticket, TicketKind } from '../model/tickets.js';
import { once, reads, type Methods } from './methods.js';

export interface TicketStore {
  /** `hash` is the SHA-256 of the secret, in hex; the secret itself is never stored. */
  insert(ticket: Ticket & { readonly hash: string }): Promise<void>;
  /** The ticket of that kind with this hash, unless it was used or has expired by then. */
  findByHash(kind: TicketKind, hash: string, now: number): Promise<Ticket | undefined>;
  /** The same, used up by it: of any number of takers one gets it. */
  take(kind: TicketKind, hash: string, now: number): Promise<Ticket | undefined>;
  /** An invitation that nobody has used, also when it has expired. */
  findInvitation(id: string): Promise<Invitation | undefined>;
  /** Those of a workspace that still stand by then, newest first, at most 1,000. */
  listInvitations(workspaceId: string, now: number): Promise<readonly Invitation[]>;
  remove(id: string): Promise<boolean>;
  /** Removes every ticket of that kind that is about a user; answers how many. */
  removeOf(userId: string, kind: TicketKind): Promise<number>;
  /** Removes at most `limit` tickets that expired by then; answers how many. */
  removeExpired(now: number, limit: number): Promise<number>;
}

export const ticketMethods: Methods<TicketStore> = {
  insert: once,
  findByHash: reads,
  take: once,
  findInvitation: reads,
  listInvitations: reads,
  remove: once,
  removeOf: once,
  removeExpired: once,
};
