import type { AuditEntry } from '../model/audit.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Which entries: those that satisfy everything that is given. */
export interface AuditChoice {
  /** From this time on, in ms. */
  readonly from?: number;
  /** Before this time, in ms. */
  readonly before?: number;
  readonly actorId?: string;
  readonly workspaceId?: string;
  readonly action?: string;
  readonly thing?: { readonly kind?: string; readonly id: string };
}

export interface AuditStore {
  insert(entry: AuditEntry): Promise<void>;
  /** Changes what is given of an entry; answers whether it exists. */
  update(
    id: string,
    change: Partial<Pick<AuditEntry, 'outcome' | 'thing' | 'workspaceId' | 'detail'>>,
  ): Promise<boolean>;
  /** Newest first, those before the entry `after` when it is given. */
  list(
    choice: AuditChoice,
    limit: number,
    after?: { readonly at: number; readonly id: string },
  ): Promise<readonly AuditEntry[]>;
  /** Removes at most `limit` entries from before a time; answers how many. */
  removeBefore(at: number, limit: number): Promise<number>;
}

export const auditMethods: Methods<AuditStore> = {
  insert: once,
  update: sets,
  list: reads,
  removeBefore: once,
};
