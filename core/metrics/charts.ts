import type { Experiment } from '#ports/model/experiments';
import type { ChartPoint } from '#ports/storage/metrics';
import type { Stores } from '#ports/storage/storage';

/** Points of one series in a chart that was not asked for in full. */
const sampledPoints = 5000;

const toSeries = (metricName: string, points: readonly ChartPoint[]) => ({
  metricName,
  values: points.map((point) => (Number.isFinite(point.value) ? point.value : null)),
  steps: points.map((point) => point.step ?? null),
  epochs: points.map((point) => point.epoch ?? null),
  timestamps: points.map((point) => point.timestamp),
  durations: points.map((point, i) => point.timestamp - (points[i - 1]?.timestamp ?? point.timestamp)),
});

/** The current values of those parameters that the experiment has. */
const readParams = async (stores: Stores, experiment: Experiment, names: readonly string[]) => Object.fromEntries((await stores.values.list(experiment.id, 'parameter', names)).map(({ name, last }) => [name, last.text]));

/** The chart of one experiment: the asked metrics that it has, and the asked parameters. */
export const toChart = async (stores: Stores, experiment: Experiment, names: readonly string[], params: readonly string[], full: boolean) => {
  const metrics = [];
  for (const name of names) {
    const points = await stores.metrics.readChart(experiment.id, name, full ? Number.MAX_SAFE_INTEGER : sampledPoints);
    if (points.length > 0) metrics.push(toSeries(name, points));
  }
  return { experiment_key: experiment.key, experimentKey: experiment.key, experimentName: experiment.name, steps: null, epochs: null, metrics, params: params.length === 0 ? null : await readParams(stores, experiment, params) };
};
