import type { Carrier } from './identity.js';

/** What became of it: `begun` stays where the server died in the middle. */
export const outcomes = ['begun', 'done', 'refused', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** What an action touched. */
export interface AuditedThing {
  readonly kind: string;
  readonly id: string;
  readonly name: string | undefined;
}

/** Who did what to which thing, when, from where, through which key. Holds no secret. */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  /** `undefined` for the server itself, and for somebody who did not prove who they are. */
  readonly actorId: string | undefined;
  readonly actorName: string | undefined;
  readonly via: Carrier | 'system' | 'nobody';
  readonly keyId: string | undefined;
  readonly address: string | undefined;
  /** Id of the operation, or the name of what the server did of itself. */
  readonly action: string;
  readonly thing: AuditedThing | undefined;
  readonly workspaceId: string | undefined;
  readonly outcome: Outcome;
  /** Further facts, as JSON; no secrets. */
  readonly detail: Readonly<Record<string, unknown>>;
}
