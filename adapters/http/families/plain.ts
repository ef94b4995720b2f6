// A plain JSON object with a sentence, for the product's own pages and checks; and the optimizer's {code, message}.
import { plainStatuses, type FamilyDress } from './family.js';

export const plainFamily: FamilyDress = {
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

/** The optimizer's clients look at `code` in the body and read `message`, `msg` or `error` beside it. */
export const optimizerFamily: FamilyDress = {
  statuses: { ...plainStatuses, absent: 400, conflict: 400 },
  failure(failure, refusal) {
    const status = refusal?.status ?? optimizerFamily.statuses[failure.kind];
    return {
      status,
      body: {
        code: status,
        message: failure.message,
        msg: failure.message,
        sdk_error_code: failure.code ?? 0,
      },
    };
  },
  defect: (requestId) => ({
    status: 500,
    body: { code: 500, message: `the server failed on this request; its id is ${requestId}` },
  }),
  success: (body) => body,
};
