import type { Caller, Permission, Role } from './model/identity.js';
import { port } from './port.js';

export interface OperationInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** By lower-case names. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The request in the course of which the operation is called; records of it name the address. */
  readonly from?: {
    readonly address: string;
    readonly source: string;
    readonly signal: AbortSignal;
  };
}

/** What a caller may do; members that are left out stay as they are. */
export interface Rights {
  /** Whether the caller reaches every workspace. */
  readonly everywhere?: boolean;
  readonly roles?: ReadonlyMap<string, Role>;
  readonly permissions?: ReadonlyMap<string, readonly Permission[]>;
}

/**
 * Any row of the table, in process, under the product's rules: through validation and the gate, as a request of that caller would. Callers are the
 * ones that this server identified or that one of the methods below made; an object that only looks like one is refused.
 */
export interface Operations {
  /**
   * Answers what the handler returns, of which parts may be kept as their text (`KeptJson`), rows of pages among them. Rejects as a request would be refused, also while a toggle is off or the server takes nothing in, which only
   * the installation itself is not held to; with `absent` for an operation that is not there, with `unauthenticated` for a caller that this server does
   * not know.
   */
  call(id: string, input: OperationInput, as: Caller): Promise<unknown>;
  /** The installation itself, which may do everything, in the name of a user, whom the audit log names. */
  forInstallation(user: {
    readonly id: string;
    readonly name: string;
    readonly kind: Caller['kind'];
    readonly defaultWorkspaceId: string | undefined;
  }): Caller;
  /** A caller with other rights than its own, for a step that the caller may take only as part of a larger one. Rejects like `call` for an unknown one. */
  withRights(caller: Caller, rights: Rights): Caller;
}
export const Operations = port<Operations>('operations');
