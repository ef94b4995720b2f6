// The private API's one merged body for every error: `code` and `message` for one kind of client, `errors` for the other.
import { plainStatuses, type Family, type FamilyDress } from './family.js';

const privateDress: FamilyDress = {
  failureSchema: {
    type: 'object',
    required: ['code', 'message', 'errors'],
    properties: {
      code: { type: 'integer' },
      message: { type: 'string' },
      errors: { type: 'array', items: { type: 'string' } },
    },
  },
  statuses: plainStatuses,
  brokenRule: 'unprocessable',
  oddNumbersAreNull: true,
  failure(failure, refusal) {
    // A workspace that is not there is told as one that is somebody else's.
    const isOutside = failure.reason === 'workspaceOutOfReach';
    const status = isOutside ? 403 : (refusal?.status ?? plainStatuses[failure.kind]);
    return {
      status,
      body: { code: status, message: failure.message, errors: failure.rules ?? [failure.message] },
    };
  },
  defect(requestId) {
    const message = `the server failed on this request; its id is ${requestId}`;
    return { status: 500, body: { code: 500, message, errors: [message] } };
  },
  success: (body) => body,
};

export const privateFamily: Family = {
  name: 'private',
  roots: ['/v1', '/api/v1', '/opik/v1', '/opik/api/v1'],
  reserves: ['/mpm', '/svc', '/opik', '/is-alive'],
  dress: privateDress,
};
