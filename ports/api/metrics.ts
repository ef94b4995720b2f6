// Logging and reading metrics, point by point, in batches, and as charts.
import { experiment } from '../model/experiments.js';
import { eachAccessible, one, operations, streamed } from './operation.js';
import {
  flag,
  integer,
  items,
  list,
  literal,
  map,
  millis,
  nullable,
  number,
  object,
  optional,
  text,
  texts,
  shape,
  withExample,
} from './schema.js';
import { live, read, saved, summaryValue, write } from './tracking.js';

const inBody = one(experiment, 'body.experimentKey');
const inQuery = one(experiment, 'query.experimentKey');
const keyed = object({ experimentKey: text() });
const moment = {
  context: optional(text()),
  step: optional(integer()),
  epoch: optional(integer()),
  timestamp: optional(millis()),
};

export const metricPoint = withExample(
  shape('MetricPoint', 'One logged value of a metric.', {
    metricName: text(),
    metricValue: text(),
    timestamp: millis(),
    step: nullable(integer()),
    epoch: nullable(integer()),
    runContext: nullable(text()),
  }),
  {
    metricName: 'loss',
    metricValue: '0.25',
    timestamp: 1_767_225_600_000,
    step: 1,
    epoch: null,
    runContext: null,
  },
);

const chart = shape('MetricChart', 'Series of one experiment.', {
  experiment_key: text(),
  experimentKey: text(),
  experimentName: nullable(text()),
  steps: nullable(list(integer())),
  epochs: nullable(list(integer())),
  metrics: list(
    object({
      metricName: text(),
      values: list(nullable(number())),
      steps: list(nullable(integer())),
      epochs: list(nullable(integer())),
      timestamps: list(millis()),
      durations: list(integer()),
      pointCount: integer(),
      reduced: flag(),
    }),
  ),
  params: nullable(map(nullable(text()))),
});

export const metricOperations = operations({
  logMetric: {
    method: 'POST',
    path: write('/experiment/metric'),
    access: { needs: 'write', about: inBody },
    summary: 'Log one point of a metric',
    wire: { retryableWith429: true },
    body: object({
      experimentKey: text(),
      metricName: text({ min: 1 }),
      metricValue: optional(literal()),
      ...moment,
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  logMetricBatch: {
    method: 'POST',
    path: live('/batch/logger/experiment/metric'),
    access: { needs: 'write', about: inBody },
    summary: 'Log a batch of points; an unusable one is left out, the others are kept',
    wire: { retryableWith429: true, keepsNul: true },
    body: object({ experimentKey: text(), values: items('metricValue') }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  deleteMetric: {
    method: 'POST',
    path: write('/experiment/metric/delete'),
    access: { needs: 'write', about: inBody, unbounded: false },
    audit: true,
    summary: 'Delete a metric with all its points',
    body: object({ experimentKey: text(), metricName: text({ min: 1 }) }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  logGpuMetrics: {
    method: 'POST',
    path: write('/experiment/gpu-metrics'),
    access: { needs: 'write', about: inBody },
    summary: 'Log use of the GPUs',
    wire: { retryableWith429: true },
    body: object({
      experimentKey: text(),
      ...moment,
      gpus: list(
        object({
          gpuId: integer(),
          freeMemory: integer(),
          usedMemory: integer(),
          gpuUtilization: integer(),
          totalMemory: integer(),
        }),
      ),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  logRamMetrics: {
    method: 'POST',
    path: write('/experiment/ram-metrics'),
    access: { needs: 'write', about: inBody },
    summary: 'Log use of memory',
    wire: { retryableWith429: true },
    body: object({ experimentKey: text(), totalRam: integer(), usedRam: integer(), ...moment }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  logCpuMetrics: {
    method: 'POST',
    path: write('/experiment/cpu-metrics'),
    access: { needs: 'write', about: inBody },
    summary: 'Log use of the processors, in their order',
    wire: { retryableWith429: true },
    body: object({ experimentKey: text(), cpuPercentUtilization: list(integer()), ...moment }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  logLoadMetrics: {
    method: 'POST',
    path: write('/experiment/load-metrics'),
    access: { needs: 'write', about: inBody },
    summary: 'Log the load average',
    wire: { retryableWith429: true },
    body: object({ experimentKey: text(), loadAverage: number(), ...moment }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  getAllMetrics: {
    method: 'GET',
    path: read('/experiment/metrics/get-all'),
    access: { needs: 'read', about: inQuery },
    summary: 'Every point of every metric',
    query: keyed,
    replies: { 200: streamed(object({ metrics: list(metricPoint) })) },
    fails: ['invalid'],
  },
  getMetric: {
    method: 'GET',
    path: read('/experiment/metrics/get-metric'),
    access: { needs: 'read', about: inQuery },
    summary: 'Every point of one metric, in the order of arrival',
    query: object({ experimentKey: text(), metricName: text() }),
    replies: { 200: streamed(object({ metrics: list(metricPoint) })) },
    fails: ['invalid'],
  },
  getMetricsSummary: {
    method: 'GET',
    path: read('/experiment/metrics/summary'),
    access: { needs: 'read', about: inQuery },
    summary: 'Largest, smallest and newest value of each metric',
    query: keyed,
    replies: { 200: object({ values: list(summaryValue), truncated: optional(flag()) }) },
    fails: ['invalid'],
  },
  chartMetrics: {
    method: 'POST',
    path: read('/experiments/multi-metric-chart'),
    access: { needs: 'read', about: eachAccessible(experiment, 'body.targetedExperiments') },
    summary: 'Series of several experiments side by side',
    body: object({
      targetedExperiments: optional(texts()),
      metrics: optional(texts()),
      params: optional(texts()),
      independentMetrics: optional(flag()),
      fetchFull: optional(flag()),
    }),
    replies: { 200: streamed(object({ experiments: map(chart), empty: flag() })) },
    fails: ['invalid'],
  },
});
