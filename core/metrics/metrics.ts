import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { metricOperations } from '#ports/api/metrics';
import type { JsonText } from '#ports/api/operation';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { MetricPoint } from '#ports/storage/metrics';
import { storageOf } from '#ports/storage/storage';
import { Throttle } from '#ports/throttle';
import { listAfter } from '../json-list.js';
import { writeCharts } from './charts.js';
import { toPoint, toPoints, type LoggedPoint } from './rules.js';
import { toSummary } from './summaries.js';
import { limitMetrics } from './throttling.js';
import { metricSettings } from './settings.js';

const needs = {
  storage: storageOf('experiments', 'metrics', 'values'),
  clock: Clock,
  settings: metricSettings.port,
  throttle: Throttle,
};

export const metricsArea = area({
  name: 'metrics',
  summary: 'Logging metrics of experiments, and reading their points, summaries and charts.',
  family: trackingFamily,
  table: metricOperations,
  settings: metricSettings,
  needs,
  handlers: ({ storage, clock, settings, throttle }) => {
    const { metrics } = storage.stores;
    const limit = limitMetrics({ experiments: storage.stores.experiments, throttle });

    const most = settings.METRICS_PER_EXPERIMENT_LIMIT;
    const noteRefused = async (
      experiment: Experiment,
      names: readonly string[],
    ): Promise<readonly string[]> => {
      if (names.length > 0) await limit.noteCount(experiment, most);
      return names;
    };
    // No frame waits here with the points in it: while they are written, the store's own form of them is all that is kept.
    const store = (
      experiment: Experiment,
      points: readonly MetricPoint[],
      digest: string | undefined,
    ): Promise<readonly string[]> =>
      metrics
        .append({
          experimentId: experiment.id,
          points,
          receivedAt: clock.now(),
          seriesLimit: most,
          ...(digest === undefined ? {} : { digest }),
        })
        .then(({ overLimit }) => noteRefused(experiment, overLimit));
    const append = async (
      experiment: Experiment,
      points: readonly MetricPoint[],
      digest?: string,
    ): Promise<readonly string[]> => {
      if (points.length === 0) return [];
      await limit.rate(experiment, points);
      return store(experiment, points, digest);
    };
    const appendAll = async (
      experiment: Experiment,
      points: readonly MetricPoint[],
    ): Promise<Record<never, never>> => {
      const refused = await append(experiment, points);
      if (refused.length > 0)
        throw new Failure(
          'invalid',
          `experiment ${experiment.key} holds ${settings.METRICS_PER_EXPERIMENT_LIMIT} metrics already, which is the limit`,
        );
      return {};
    };
    const pointOf = (moment: LoggedPoint, name: string, value: unknown): MetricPoint => {
      const point = toPoint({ ...moment, metricName: name, metricValue: value }, clock.now());
      if (point === undefined)
        throw new Failure('invalid', 'metricName and metricValue are required');
      return point;
    };
    /** The document that lists points under `metrics`, piece by piece as they are read. */
    async function* listed(
      experimentId: string,
      names: readonly string[],
    ): AsyncIterable<Uint8Array> {
      const { open, close } = listAfter({}, 'metrics');
      let before = open;
      for (const name of names)
        for await (const points of metrics.readPointTexts(experimentId, name)) {
          yield Buffer.from(before);
          yield points;
          before = ',';
        }
      yield Buffer.from(before === ',' ? close : `${open}${close}`);
    }
    const written = (experimentId: string, names: readonly string[]): JsonText => ({
      text: listed(experimentId, names),
    });
    return {
      logMetric: ({ body, experiment }) =>
        appendAll(experiment, [pointOf(body, body.metricName, body.metricValue)]),
      logMetricBatch: ({ body, experiment, digest }) =>
        append(experiment, toPoints(body.values, clock.now()), digest()).then(() => ({})),
      async deleteMetric({ body, experiment }) {
        await metrics.remove(experiment.id, body.metricName);
        return {};
      },
      logGpuMetrics: ({ body, experiment }) =>
        appendAll(
          experiment,
          body.gpus.flatMap((gpu) =>
            (
              [
                ['gpu_utilization', gpu.gpuUtilization],
                ['free_memory', gpu.freeMemory],
                ['used_memory', gpu.usedMemory],
                ['total_memory', gpu.totalMemory],
                [
                  'memory_utilization',
                  gpu.totalMemory > 0 ? Math.round((gpu.usedMemory / gpu.totalMemory) * 100) : 0,
                ],
              ] as const
            ).map(([name, value]) => pointOf(body, `sys.gpu.${gpu.gpuId}.${name}`, value)),
          ),
        ),
      logRamMetrics: ({ body, experiment }) =>
        appendAll(experiment, [
          pointOf(body, 'sys.ram.total', body.totalRam),
          pointOf(body, 'sys.ram.used', body.usedRam),
        ]),
      logCpuMetrics: ({ body, experiment }) =>
        appendAll(
          experiment,
          body.cpuPercentUtilization.map((percent, i) =>
            pointOf(body, `sys.cpu.percent.${String(i + 1).padStart(2, '0')}`, percent),
          ),
        ),
      logLoadMetrics: ({ body, experiment }) =>
        appendAll(experiment, [pointOf(body, 'sys.load.avg', body.loadAverage)]),
      async getAllMetrics({ experiment }) {
        const series = await metrics.listSeries(experiment.id);
        return written(experiment.id, [...new Set(series.map((one) => one.name))]);
      },
      async getMetric({ query, experiment }) {
        return written(experiment.id, [query.metricName]);
      },
      async getMetricsSummary({ experiment }) {
        const atMost = settings.MAX_METRICS_TO_RETURN_FOR_EXPERIMENT;
        const series = await metrics.listSeries(experiment.id, { limit: atMost + 1 });
        return {
          values: series.slice(0, atMost).map(toSummary),
          ...(series.length > atMost ? { truncated: true } : {}),
        };
      },
      async chartMetrics({ body, experiments }) {
        const [names, params] = [[...new Set(body.metrics ?? [])], [...new Set(body.params ?? [])]];
        return writeCharts(storage.stores, {
          experiments: names.length === 0 && params.length === 0 ? [] : experiments,
          names,
          params,
          full: body.fetchFull === true,
        });
      },
    };
  },
});
