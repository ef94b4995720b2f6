import type { Experiment } from '#ports/model/experiments';
import type { MetricPoint } from '#ports/storage/metrics';
import { flagThrottled, takeAllowance, type LimitNeeds } from '../throttling.js';

const isSystem = (point: MetricPoint) => point.name.startsWith('sys.');

/** The rates and counts that metrics are held to; system metrics count apart. */
export const limitMetrics = (needs: LimitNeeds) => ({
  async rate(experiment: Experiment, points: readonly MetricPoint[]): Promise<void> {
    let system = 0;
    for (const point of points) if (isSystem(point)) system++;
    await takeAllowance(needs, experiment, 'systemMetrics', system);
    await takeAllowance(needs, experiment, 'metrics', points.length - system);
  },
  async noteCount(experiment: Experiment, limit: number): Promise<void> {
    await flagThrottled(
      needs,
      experiment,
      'METRIC_COUNT',
      `an experiment may hold at most ${limit} metrics`,
    );
  },
});
