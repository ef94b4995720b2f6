import type { Context } from 'koa';
import type { Caller } from '#ports/model/identity';
import type { Held } from './budget.js';

/** What the parts of the server tell each other about a request that is under way. */
export interface RequestState {
  /** Identifies the request in the log, in replies to defects and in audit entries. */
  requestId?: string;
  /** Where it came from; empty where nothing found that out. */
  address?: string;
  /** Whether the other end of the connection is a proxy that is trusted. */
  fromTrustedProxy?: boolean;
  /** The row that answers it; absent while no row has taken it. */
  operation?: string;
  caller?: Caller;
  /** Memory that its body has taken. */
  held?: Held;
  /** Why it was refused, for the log. */
  refusal?: string;
  /** Whether its body was refused for its size. */
  tooLarge?: boolean;
}

/** The state of a request; koa types it as anything. */
export const stateOf = (ctx: Context): RequestState => ctx.state as RequestState; // only the members above are ever set
