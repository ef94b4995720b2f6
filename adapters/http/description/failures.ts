// What refusals look like in the description: one named reply for each family and status.
import type { FailureKind } from '#ports/failure';
import type { Family } from '#ports/api/families/family';
import type { Json } from './schemas.js';

/** What each kind of failure means to a caller. */
const reasons: Readonly<Record<FailureKind, string>> = {
  invalid: 'the input breaks a rule, which the message names',
  unauthenticated: 'no credential came, or none that is valid',
  forbidden: 'the caller may not do this',
  absent: 'there is no such thing, or it is out of reach of the caller',
  conflict: 'it contradicts the present state',
  unprocessable: 'it is well formed and cannot be carried out',
  throttled: 'too much at once; repeat it after the time in Retry-After',
  unsupported: 'the type of the body is not read here',
  tooLarge: 'the body is too large',
  unavailable: 'the server cannot do its work for now; repeat it after the time in Retry-After',
};

const retryHeaders = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
} as const;

const sentence = (family: Family, status: number | undefined): string => {
  if (status === undefined) return 'Refused, as the operation is at its first address.';
  if (status === 500) return 'The server failed on this request; X-Request-Id names it.';
  const { statuses } = family.dress;
  const kinds = Object.entries(statuses) as readonly (readonly [FailureKind, number])[]; // its keys are the kinds
  const own = kinds.filter(([, of]) => of === status).map(([kind]) => reasons[kind]);
  const said = own.length > 0 ? own.join('; or ') : 'refused for a reason of this operation';
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
};

/** The replies to which refusals of one description refer. */
export interface NamedFailures {
  /** A reference to the reply with which a family refuses by this status, or by any. */
  refer(family: Family, status?: number): Json;
  /** Every reply that was referred to so far. */
  replies(): Json;
  /** The bodies of those replies. */
  schemas(): Json;
}

const pascal = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** What the server answers before it knows which row is meant, and what it answers to ranges; without a body. */
const bare = {
  HeadersTooSlow: 'The headers came too slowly.',
  HeadersTooLarge: 'The headers are larger than 32 KiB.',
  RangeNotSatisfiable: 'The range begins beyond the end.',
  SignInFirst: 'The way to sign in, which leads back here.',
} as const;

/** A reference to a reply without a body. */
export const bareReply = (name: keyof typeof bare): Json => ({
  $ref: `#/components/responses/${name}`,
});

/** Collects the refusals of one description. */
export const nameFailures = (): NamedFailures => {
  const replies = new Map<string, Json>(
    Object.entries(bare).map(([name, description]) => [name, { description }]),
  );
  const used = new Map<string, Family>();
  return {
    refer(family, status) {
      if (status === 303) return bareReply('SignInFirst');
      const name = `${pascal(family.name)}${status ?? 'Refusal'}`;
      used.set(family.name, family);
      replies.set(name, {
        description: sentence(family, status),
        ...(status === 429 || status === 503 ? { headers: retryHeaders } : {}),
        content: {
          [family.dress.pages === true ? 'text/html' : 'application/json']: {
            schema: { $ref: `#/components/schemas/${pascal(family.name)}Failure` },
          },
        },
      });
      return { $ref: `#/components/responses/${name}` };
    },
    replies: () => Object.fromEntries([...replies].sort(([a], [b]) => (a < b ? -1 : 1))),
    schemas: () =>
      Object.fromEntries(
        [...used]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, { dress }]) => [`${pascal(name)}Failure`, dress.failureSchema]),
      ),
  };
};
