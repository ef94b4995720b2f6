import type { Job } from '#ports/jobs';
import type { LeaseStore } from '#ports/storage/leases';
import { deliverFirings, gatherRipe, type FiringNeeds } from './firing.js';
import { judgeAlerts } from './measuring.js';
import type { AlertSettings } from './settings.js';

const keptMs = 14 * 24 * 3_600_000;
const forgottenAtOnce = 200;

/** What makes alerts fire. */
export const alertJobs = (
  needs: FiringNeeds & { readonly leases: LeaseStore; readonly settings: AlertSettings },
): readonly Job[] => {
  const { settings, storage, clock, ids, leases } = needs;
  const periodMs = settings.ORRERY_ALERT_METRICS_SECONDS * 1000;
  return [
    {
      name: 'judge-alerts',
      everyMs: periodMs,
      async run(signal) {
        // Every process comes by once in a period: one of them is enough.
        if (!(await leases.take('alerts-judged', ids.next(), Math.floor(periodMs * 0.9)))) return;
        await judgeAlerts(needs, periodMs, signal);
      },
    },
    {
      name: 'send-alerts',
      everyMs: settings.ORRERY_ALERT_EVENTS_SECONDS * 1000,
      async run(signal) {
        await gatherRipe(needs, signal);
        await deliverFirings(needs, signal);
        await storage.stores.alertFirings.forget(clock.now() - keptMs, forgottenAtOnce);
      },
    },
  ];
};
