// How the monitoring wire answers: `code` and `msg`, which is what its clients log.
import { plainStatuses, type Family, type FamilyDress } from '#ports/api/families/family';
import { numberOf } from '#ports/api/families/tracking';

const dress: FamilyDress = {
  failureSchema: {
    type: 'object',
    required: ['code', 'msg', 'sdk_error_code'],
    properties: {
      code: { type: 'integer', description: 'The status again.' },
      msg: { type: 'string', description: 'One sentence that names the thing and the rule.' },
      sdk_error_code: { type: 'integer' },
    },
  },
  statuses: { ...plainStatuses, unprocessable: 400, unsupported: 400 },
  brokenRule: 'invalid',
  oddNumbersAreNull: true,
  failure(failure, refusal) {
    const status = refusal?.status ?? dress.statuses[failure.kind];
    return {
      status,
      body: { code: status, msg: failure.message, sdk_error_code: numberOf(failure.reason) },
    };
  },
  defect: (requestId) => ({
    status: 500,
    body: {
      code: 500,
      msg: `the server failed on this request; its id is ${requestId}`,
      sdk_error_code: 0,
    },
  }),
  success: (body) => body,
};

/** Both roots of the monitoring wire: what is sent in, and what is asked. */
export const monitoringFamily: Family = {
  name: 'monitoring',
  roots: ['/mpm', '/api/mpm'],
  dress,
};
