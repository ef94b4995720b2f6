import type { Failure, FailureKind } from '../../failure.js';
import type { Refusal } from '../operation.js';

export interface Dressed {
  readonly status: number;
  readonly body: unknown;
}

/** How a table's failures and successes look on the wire. */
export interface FamilyDress {
  readonly statuses: Readonly<Record<FailureKind, number>>;
  /** What a body is refused as that has the right types and breaks a rule of a member: its presence, length, range or number. `invalid`, if left out. */
  readonly brokenRule?: FailureKind;
  /** NaN and infinities, which some clients write into JSON as bare words, are read as null, and not as their texts. */
  readonly oddNumbersAreNull?: boolean;
  /** What the body of a refusal is, as JSON Schema. */
  readonly failureSchema: Readonly<Record<string, unknown>>;
  /** Refusals are pages for people, made of the body's sentence; who must sign in first (303) is sent there. */
  readonly pages?: boolean;
  /** Headers of every reply that refuses. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The reply for a failure; a row's own refusal wins over the family's status and code. */
  failure(failure: Failure, refusal: Refusal | undefined): Dressed;
  /** The reply for a defect: a sentence without detail, and the request's id to ask by. */
  defect(requestId: string): Dressed;
  /** A handler's body, wrapped where the row asks for it with this `msg`. */
  success(body: unknown, envelope: string | undefined): unknown;
}

/** Statuses shared by the families; each family states where it differs. */
export const plainStatuses: Readonly<Record<FailureKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  absent: 404,
  conflict: 409,
  unprocessable: 422,
  throttled: 429,
  unsupported: 415,
  tooLarge: 413,
  unavailable: 503,
};

/** A family of rows: what its replies look like, and which addresses are its own. An area names the value itself, so a plugin may bring a family of its own. */
export interface Family {
  /** As logs, tests and the list of rows call it; no two families share one. */
  readonly name: string;
  /** Addresses at and below which the family answers what no row serves. */
  readonly roots: readonly string[];
  /** Addresses that stay the server's own even while no row serves them, because what they are for is switched off. */
  readonly reserves?: readonly string[];
  /** Its rows are asked by logging clients, of which those that are too old may change nothing. */
  readonly judgesClients?: boolean;
  readonly dress: FamilyDress;
}
