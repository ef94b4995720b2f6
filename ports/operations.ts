import type { Caller } from './model/identity.js';
import { port } from './port.js';

export interface OperationInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Any row of the table, in process, under the product's rules: through validation and the gate, as a request of that caller would. */
export interface Operations {
  /** Answers what the handler returns. Rejects as a request would be refused; with `absent` for an operation that is not there. */
  call(id: string, input: OperationInput, as: Caller): Promise<unknown>;
}
export const Operations = port<Operations>('operations');
