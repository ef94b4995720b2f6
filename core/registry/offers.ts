// What the registry offers to jobs.
import type { Clock } from '#ports/clock';
import type { Stores } from '#ports/storage/storage';
import type { RegistrySettings } from './settings.js';
import { oldestOpen } from './rules.js';

/** Lets requests expire that have waited for longer than requests may. Answers how many; may be repeated and run by several at once. */
export const expireRequests = async ({
  approvals,
  clock,
  settings,
}: Pick<Stores, 'approvals'> & {
  readonly clock: Clock;
  readonly settings: Pick<RegistrySettings, 'ORRERY_REGISTRY_REQUEST_DAYS'>;
}): Promise<number> => {
  const now = clock.now();
  const oldest = oldestOpen(settings, now);
  return oldest === 0 ? 0 : approvals.expire(oldest, now);
};
