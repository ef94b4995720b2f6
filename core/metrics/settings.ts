import { areaSettings, whole, type InForce } from '#ports/area-settings';

export const metricSettings = areaSettings('metrics', {
  MAX_METRICS_TO_RETURN_FOR_EXPERIMENT: whole(25_000, 'Metrics in one summary reply'),
  METRICS_PER_EXPERIMENT_LIMIT: whole(50_000, 'Metrics an experiment may hold'),
  METRICS_READ_BATCH_SIZE: whole(
    20,
    'Has no effect, since series are read as streams; accepted for settings that were written for other servers',
    1,
  ),
  METRICS_SEEN_COUNT_READ_BATCH_SIZE: whole(100, 'Has no effect, for the same reason', 1),
});
export type MetricSettings = InForce<typeof metricSettings>;
