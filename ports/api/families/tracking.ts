// The envelope {msg, code, data, sdk_error_code} of the tracking wire. Its not-found is 400 with a code, because its Java client
// retries 404 and knows only 400 as "there is none".
import type { Failure, FailureKind } from '../../failure.js';
import { plainStatuses, type Family, type FamilyDress } from './family.js';

const defaultCodes: Partial<Readonly<Record<FailureKind, number>>> = {
  unauthenticated: 90212,
  absent: 7777777,
  invalid: 7777777,
  conflict: 7777777,
  unsupported: 7777777,
  tooLarge: 7777777,
  unprocessable: 7777777,
};

const envelope = (status: number, msg: string, code: number) => ({
  msg,
  code: status,
  data: null,
  sdk_error_code: code,
});

const statuses: Readonly<Record<FailureKind, number>> = {
  ...plainStatuses,
  absent: 400,
  conflict: 400,
  unsupported: 400,
  unprocessable: 400,
};

const trackingDress: FamilyDress = {
  failureSchema: {
    type: 'object',
    required: ['msg', 'code', 'data', 'sdk_error_code'],
    properties: {
      msg: { type: 'string', description: 'One sentence that names the thing and the rule.' },
      code: { type: 'integer', description: 'The status again.' },
      data: { type: ['string', 'null'] },
      sdk_error_code: {
        type: 'integer',
        description: 'A number that clients know the reason by; 0 for none.',
      },
      errors: { type: 'array', items: { type: 'string' } },
    },
  },
  statuses,
  failure(failure: Failure, refusal) {
    const status = refusal?.status ?? statuses[failure.kind];
    return {
      status,
      body: {
        ...envelope(
          status,
          failure.message,
          refusal?.code ?? failure.code ?? defaultCodes[failure.kind] ?? 0,
        ),
        ...(failure.rules === undefined ? {} : { errors: failure.rules }),
      },
    };
  },
  defect: (requestId) => ({
    status: 500,
    body: envelope(500, `the server failed on this request; its id is ${requestId}`, 0),
  }),
  success(body, msg) {
    return msg === undefined
      ? body
      : { msg, code: 200, data: null, sdk_error_code: 0, ...(body as object | undefined) }; // rows with an envelope answer objects
  },
};

export const trackingFamily: Family = {
  name: 'tracking',
  roots: ['/api', '/clientlib'],
  judgesClients: true,
  dress: trackingDress,
};

/** The same, with the sentence a second time: tools for administrators read `message`. */
const administrationDress: FamilyDress = {
  ...trackingDress,
  failureSchema: {
    type: 'object',
    required: ['msg', 'message', 'code', 'data', 'sdk_error_code'],
    properties: {
      msg: { type: 'string' },
      message: { type: 'string' },
      code: { type: 'integer' },
      data: { type: ['string', 'null'] },
      sdk_error_code: { type: 'integer' },
    },
  },
  failure(failure, refusal) {
    const { status, body } = trackingDress.failure(failure, refusal);
    return { status, body: { ...(body as object), message: failure.message } }; // the envelope made above
  },
};

export const administrationFamily: Family = {
  name: 'administration',
  roots: ['/api/admin', '/clientlib/api/admin'],
  dress: administrationDress,
};
