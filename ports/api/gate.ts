import type { Caller } from '../model/identity.js';
import { port } from '../port.js';
import type { Operation, Subject } from './operation.js';

/** The parts of a request in which a subject can be named. */
export interface Named {
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Leading text parts of a multipart body that hold JSON, by part name. */
  readonly part: Readonly<Record<string, unknown>>;
  /** Headers, lower-case names. */
  readonly header: Readonly<Record<string, unknown>>;
}

/** Asks of each request whose thing it touches, and whether this caller may. */
export interface Gate {
  /**
   * Loads what the subjects name and checks the caller's reach. Gives the records by the names the handler knows them by. Unknown and
   * foreign things are refused alike, with `absent`; a known thing that may only be read with `forbidden`; a view-only member's write too.
   */
  admit(
    operation: Operation,
    subjects: readonly Subject[],
    named: Named,
    caller: Caller,
    admitted: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>>;
  /** Refuses, with `forbidden`, values that need a permission which the caller was not given. `named` holds validated input, as the handler will see it; `admitted` is what was admitted. */
  permit(
    operation: Operation,
    named: Named,
    caller: Caller,
    admitted: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** The id of the workspace in which that lies which was admitted; that of the caller, where it lies in none. */
  workspaceOf(
    operation: Operation,
    named: Named,
    caller: Caller,
    admitted: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined>;
}
export const Gate = port<Gate>('gate');
