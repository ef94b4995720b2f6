import type { Catalogued } from './operation.js';
import { experimentOperations } from './experiments.js';
import { metricOperations } from './metrics.js';
import { accountOperations } from './accounts.js';

/** Every operation of the product; plugins add theirs at start. */
export const catalogue = [
  { area: 'accounts', family: 'tracking', table: accountOperations },
  { area: 'experiments', family: 'tracking', table: experimentOperations },
  { area: 'metrics', family: 'tracking', table: metricOperations },
] as const satisfies readonly Catalogued[];
