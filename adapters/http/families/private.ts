// The private API's one merged body for every error: `code` and `message` for one kind of client, `errors` for the other.
import { plainStatuses, type FamilyDress } from './family.js';

export const privateFamily: FamilyDress = {
  statuses: plainStatuses,
  failure(failure, refusal) {
    const status = refusal?.status ?? plainStatuses[failure.kind];
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
