// Pages for people: what goes wrong is a page too, which config makes; who must sign in first is sent there.
import type { FailureKind } from '../../failure.js';
import { plainStatuses, type Family, type FamilyDress } from './family.js';

const statuses: Readonly<Record<FailureKind, number>> = { ...plainStatuses, unauthenticated: 303 };

const pageDress: FamilyDress = {
  failureSchema: { type: 'string' },
  pages: true,
  statuses,
  failure: (failure, refusal) => ({
    status: refusal?.status ?? statuses[failure.kind],
    body: failure.message,
  }),
  defect: (requestId) => ({
    status: 500,
    body: `the server failed on this request; its id is ${requestId}`,
  }),
  success: (body) => body,
};

export const pageFamily: Family = {
  name: 'page',
  roots: [],
  dress: pageDress,
};
