import type { MetricRunner } from '#ports/metric-runner';

/** Runs nothing. */
export const noMetrics: MetricRunner = {
  isOn: false,
  run: async () => ({ fault: { message: 'is not run by this server', retry: false } }),
};
