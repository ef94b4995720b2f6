import type { AuditEntry, Outcome } from './model/audit.js';
import { port } from './port.js';

/** What the caller of the log knows; the rest is filled in. */
export type Noted = Omit<AuditEntry, 'id' | 'at' | 'outcome'> & { readonly outcome?: Outcome };

/**
 * The log of who did what. Rows with `audited` are written by the server around their handler: `begun` before it, and what became of it
 * after; use-cases note what happens without such a row (a refused sign-in, a family of tokens that ended, a job that deleted).
 */
export interface Audit {
  /** Rejects when the entry cannot be stored, so that nothing audited happens unseen. Answers the entry's id. */
  note(entry: Noted): Promise<string>;
  /** Tells what became of an entry that was begun, and what else is known by now. */
  complete(
    id: string,
    outcome: Outcome,
    known?: Partial<Pick<AuditEntry, 'thing' | 'workspaceId' | 'detail'>>,
  ): Promise<void>;
}
export const Audit = port<Audit>('audit');
