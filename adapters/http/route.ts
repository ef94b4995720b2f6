// A row with its handler, and what the way to the handler asks of a row.
import type { Named } from '#ports/api/gate';
import type { Family } from '#ports/api/families/family';
import type { Operation, Subject } from '#ports/api/operation';
import type { TSchema } from '#ports/api/schema';

/** A row with the handler that answers it. */
export interface Route {
  readonly id: string;
  readonly area: string;
  readonly areaSummary?: string | undefined;
  readonly family: Family;
  readonly operation: Operation;
  readonly handle: (call: never) => Promise<unknown>;
}

/** The paths by which a request names a subject. */
export const pathsOf = (subject: Subject): readonly string[] =>
  'each' in subject ? [subject.path] : subject.paths;

/** Whether a row asks for no credential. */
export const isOpen = ({ access: { needs } }: Operation): boolean =>
  needs === 'public' || needs === 'visitor' || needs === 'signed';

/** Whether a row's body is a JSON document of a schema. */
export const isJsonBody = (body: Operation['body']): body is TSchema =>
  body !== undefined && !('multipart' in body) && !('raw' in body) && !('form' in body);

/** The values of a request before or after validation. */
export interface Input {
  readonly query: unknown;
  readonly params: unknown;
  readonly body: unknown;
}

/** A request as its handler sees it, in the form in which things are named. */
export const validated = (named: Named, { query, params, body }: Input): Named => ({
  ...named,
  query: (query ?? {}) as Named['query'], // rows describe both as objects
  params: (params ?? {}) as Named['params'], // the same
  body,
});
