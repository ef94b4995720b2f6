// Errors as RFC 6749, section 5.2 has them: a word and a sentence, always 400 but for what has no word there.
import type { FailureKind } from '../../failure.js';
import { plainStatuses, type Family, type FamilyDress } from './family.js';

const words: Readonly<Record<FailureKind, string>> = {
  invalid: 'invalid_request',
  unauthenticated: 'access_denied',
  forbidden: 'access_denied',
  absent: 'invalid_request',
  conflict: 'invalid_request',
  unprocessable: 'invalid_request',
  throttled: 'temporarily_unavailable',
  unsupported: 'invalid_request',
  tooLarge: 'invalid_request',
  unavailable: 'temporarily_unavailable',
};
const statuses: Readonly<Record<FailureKind, number>> = {
  ...plainStatuses,
  absent: 400,
  conflict: 400,
  unsupported: 400,
  tooLarge: 400,
};

/** The characters that `error_description` may hold. */
const described = (sentence: string): string =>
  sentence.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");

const oauthDress: FamilyDress = {
  failureSchema: {
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  },
  statuses,
  headers: { 'Cache-Control': 'no-store', Pragma: 'no-cache' },
  failure: (failure, refusal) => ({
    status: refusal?.status ?? statuses[failure.kind],
    body: {
      error: failure.word ?? refusal?.word ?? words[failure.kind],
      error_description: described(failure.message),
    },
  }),
  defect: (requestId) => ({
    status: 500,
    body: {
      error: 'server_error',
      error_description: `the server failed on this request; its id is ${requestId}`,
    },
  }),
  success: (body) => body,
};

export const oauthFamily: Family = {
  name: 'oauth',
  roots: [],
  reserves: ['/oauth', '/.well-known'],
  dress: oauthDress,
};
