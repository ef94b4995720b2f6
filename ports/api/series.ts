// Metrics of many runs as curves on one grid, at any zoom: what a page draws.
import { experiment } from '../model/experiments.js';
import { bytes, eachAccessible, detailed, one, operations, streamed } from './operation.js';
import { tableFormats } from './table-formats.js';
import {
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

/** Most runs, metrics, series and buckets of one call, and how many buckets there are where nothing is said. */
export const seriesBounds = {
  runs: 100,
  metrics: 50,
  series: 2000,
  buckets: 2000,
  usualBuckets: 600,
} as const;

const axes = ['step', 'epoch', 'relative', 'wall', 'metric'] as const;
const scales = ['linear', 'logarithmic'] as const;

/** Columns of the curve of a run that can be asked for by name. */
const curveColumns = ['last', 'min', 'max', 'mean', 'count', 'smooth'] as const;

const asked = {
  runs: list(text({ min: 1, max: 100 }), { maxItems: seriesBounds.runs }),
  metrics: list(text({ min: 1, max: 1000 }), { maxItems: seriesBounds.metrics }),
  x: optional(word(...axes)),
  xMetric: optional(text({ min: 1, max: 1000 })),
  from: optional(number()),
  to: optional(number()),
  buckets: optional(integer({ minimum: 1, maximum: seriesBounds.buckets })),
  scale: optional(word(...scales)),
  smoothing: optional(number()),
  groupBy: optional(text({ min: 1, max: 1000 })),
  groups: optional(
    list(object({ name: text({ max: 1000 }), runs: list(text({ min: 1, max: 100 })) }), {
      maxItems: seriesBounds.runs,
    }),
  ),
};

const column = () => list(number());

const series = shape(
  'CurveOfRun',
  'One metric of one run: a number in each column for every bucket that is not empty. `x` is where the last point of the bucket stands, `count` how many points `mean` is of. `points` are the finite points of the range, every one of them in some bucket; `unplaced` have no place on the axis, `skipped` are no finite numbers, `spansCut` spans of points lie across an edge of a bucket and are counted as one.',
  {
    run: text(),
    metric: text(),
    points: integer(),
    total: integer(),
    unplaced: integer(),
    skipped: integer(),
    spansCut: integer(),
    bucket: column(),
    x: column(),
    last: column(),
    min: column(),
    max: column(),
    mean: column(),
    count: column(),
    smooth: optional(column()),
  },
);

const group = shape(
  'CurveOfGroup',
  'One metric of a group of runs: for every bucket in which some run has points, the mean and the deviation of the means of those runs, the smallest and largest value, and `count`, how many runs there are.',
  {
    name: nullable(text()),
    metric: text(),
    runs: list(text()),
    bucket: column(),
    x: column(),
    mean: column(),
    deviation: column(),
    min: column(),
    max: column(),
    count: column(),
  },
);

const curves = object({
  x: word(...axes),
  scale: word(...scales),
  from: nullable(number()),
  to: nullable(number()),
  buckets: integer(),
  series: list(series),
  groups: list(group),
});

const common = {
  method: 'POST',
  access: { needs: 'read', about: eachAccessible(experiment, 'body.runs') },
  body: object(asked),
  fails: ['invalid'],
} as const;

export const seriesOperations = operations({
  exportSeries: {
    method: 'GET',
    path: '/v1/private/ui/runs/{run}/series/export',
    access: { needs: 'read', about: one(experiment, 'params.run') },
    summary: 'Every point of some metrics of a run as a file, in the order of arrival',
    params: object({ run: text() }),
    query: object({ metrics: texts(), format: word(...tableFormats) }),
    replies: { 200: bytes() },
    fails: ['invalid', 'absent'],
  },

  querySeries: {
    ...common,
    path: '/v1/private/ui/series',
    summary: 'Metrics of runs as curves on one grid, or of groups of runs',
    replies: { 200: detailed(streamed(curves)), 304: detailed(null) },
  },
  querySeriesBinary: {
    ...common,
    path: '/v1/private/ui/series/binary',
    summary:
      'The same curves as bytes: a head in JSON, then columns of 32-bit floats; of runs `x` and those in `columns` alone, all without it',
    body: object({
      ...asked,
      columns: optional(list(word(...curveColumns), { maxItems: curveColumns.length })),
    }),
    replies: { 200: detailed(bytes()), 304: detailed(null) },
  },
});
