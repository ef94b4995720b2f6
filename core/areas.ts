import type { Area } from '#ports/api/area';
import { accountsArea } from './accounts/accounts.js';
import { experimentsArea } from './experiments/experiments.js';
import { liveArea } from './live/live.js';
import { metricsArea } from './metrics/metrics.js';

/** Every area of the product. The busiest comes first, since its routes are looked at first. */
export const areas: readonly Area[] = [metricsArea, liveArea, experimentsArea, accountsArea];
