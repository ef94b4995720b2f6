// Who makes and changes records of the private wire.
import type { Clock } from '#ports/clock';
import type { Authorship, Touch } from '#ports/model/authorship';
import type { Caller } from '#ports/model/identity';
import { showInstant } from './instants.js';

export const touchedBy = (clock: Clock, { userName }: Pick<Caller, 'userName'>): Touch => ({
  lastUpdatedAt: clock.now() * 1000,
  lastUpdatedBy: userName,
});

export const madeBy = (clock: Clock, caller: Pick<Caller, 'userName'>): Authorship => {
  const touch = touchedBy(clock, caller);
  return { createdAt: touch.lastUpdatedAt, createdBy: touch.lastUpdatedBy, ...touch };
};

export const showAuthorship = (made: Authorship) => ({
  created_at: showInstant(made.createdAt),
  created_by: made.createdBy,
  last_updated_at: showInstant(made.lastUpdatedAt),
  last_updated_by: made.lastUpdatedBy,
});
