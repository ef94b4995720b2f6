import { kind } from '../api/kind.js';
import type { Permission, Role } from './identity.js';

/** What a one-time link is for: to set a password, or to come into a workspace. */
export const ticketKinds = ['reset', 'invitation'] as const;
export type TicketKind = (typeof ticketKinds)[number];

/** A right that is used up by being used. Its secret is told once, in a link. */
export interface Ticket {
  readonly id: string;
  readonly kind: TicketKind;
  /** Whose password may be set; resets only. */
  readonly userId: string | undefined;
  /** Who is invited, or to whom the link to set a password was mailed. */
  readonly email: string | undefined;
  /** Whether the link was mailed to that address and told to nobody else, so that using it proves whose mailbox it is. */
  readonly mailed: boolean;
  /** Where the invited one comes in, and as what; invitations only. */
  readonly workspaceId: string | undefined;
  readonly role: Role | undefined;
  readonly permissions: readonly Permission[];
  /** Who made it; `undefined` where somebody asked for it who did not prove who they are. */
  readonly madeBy: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An invitation to a workspace that nobody has used yet. */
export type Invitation = Ticket & {
  readonly workspaceId: string;
  readonly role: Role;
  readonly email: string;
};
export const invitation = kind<Invitation>()('invitation');
