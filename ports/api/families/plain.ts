// A plain JSON object with a sentence, for the product's own pages and checks; and the optimizer's {code, message}.
import { numberOf } from './tracking.js';
import { plainStatuses, type Family, type FamilyDress } from './family.js';

const plainDress: FamilyDress = {
  failureSchema: {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { type: 'integer' }, message: { type: 'string' } },
  },
  statuses: plainStatuses,
  failure(failure, refusal) {
    const status = refusal?.status ?? plainStatuses[failure.kind];
    return { status, body: { code: status, message: failure.message } };
  },
  defect: (requestId) => ({
    status: 500,
    body: { code: 500, message: `the server failed on this request; its id is ${requestId}` },
  }),
  success: (body) => body,
};

/** Also answers wherever no other family does. */
export const plainFamily: Family = {
  name: 'plain',
  roots: [],
  reserves: ['/swagger'],
  dress: plainDress,
};

/** The optimizer's clients look at `code` in the body and read `message`, `msg` or `error` beside it. */
const optimizerDress: FamilyDress = {
  failureSchema: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: { type: 'integer' },
      message: { type: 'string' },
      msg: { type: 'string' },
      sdk_error_code: { type: 'integer' },
    },
  },
  statuses: { ...plainStatuses, absent: 400, conflict: 400 },
  failure(failure, refusal) {
    const status = refusal?.status ?? optimizerDress.statuses[failure.kind];
    return {
      status,
      body: {
        code: status,
        message: failure.message,
        msg: failure.message,
        sdk_error_code: numberOf(failure.reason),
      },
    };
  },
  defect: (requestId) => ({
    status: 500,
    body: { code: 500, message: `the server failed on this request; its id is ${requestId}` },
  }),
  success: (body) => body,
};

export const optimizerFamily: Family = {
  name: 'optimizer',
  roots: ['/optimizer'],
  judgesClients: true,
  dress: optimizerDress,
};
