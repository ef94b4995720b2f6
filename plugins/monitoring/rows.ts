// The rows of the monitoring wire. What comes in may name several workspaces, each of which its handler asks the gate for.
import { bytes, multipart, one, operations } from '#ports/api/operation';
import {
  anything,
  flag,
  integer,
  list,
  map,
  millis,
  nullable,
  number,
  object,
  optional,
  shape,
  text,
  word,
} from '#ports/api/schema';
import { workspace } from '#ports/model/workspaces';
import { baselineKinds } from './baselines.js';
import { reasons } from './items.js';
import { binnings } from './measures.js';
import { monitoredModel } from './models.js';
import { tasks } from './performance-measures.js';
import { curveTypes } from './scoring.js';

const fault = shape('MonitoringFault', 'Why an item was refused, or is in doubt.', {
  index: integer(),
  predictionId: nullable(text()),
  field: nullable(text()),
  reason: word(...reasons),
  message: text(),
});
const ingested = shape('MonitoringIngested', 'What became of a batch of events or labels.', {
  code: integer(),
  msg: text(),
  /** Of a batch that is refused. */
  sdk_error_code: optional(integer()),
  accepted: integer(),
  duplicates: integer(),
  rejected: integer(),
  pendingLabels: integer(),
  errors: list(fault),
  warnings: list(text()),
});
/** Whom a batch is about is asked item by item. */
const access = { needs: 'caller', about: 'caller', changes: true } as const;
const intake = {
  method: 'POST',
  access,
  query: object({ enforceValidation: optional(flag()) }),
  body: anything(),
  replies: { 200: ingested, 400: ingested },
  fails: ['tooLarge', 'throttled', 'forbidden'],
  wire: { keepsNul: true },
} as const;
const upload = {
  method: 'POST',
  access,
  query: object({ replace: optional(flag()) }),
  body: multipart({
    workspaceName: 'its workspace',
    modelName: 'the model',
    modelVersion: 'its version',
    datasetName: 'the name of the training set, or one in place of the model',
    NAValues: 'texts that mean a missing value, separated by commas',
    keepDefaultNAValues: 'false: only those texts do',
    file: 'the CSV file, behind the other parts',
  }),
  replies: { 200: bytes('text/plain; charset=utf-8') },
  fails: ['invalid', 'forbidden', 'tooLarge'],
} as const;

const numbersSent = shape('MonitoredNumbers', 'Numbers of a field as a digest.', {
  centroids: list(list(number(), { minItems: 2, maxItems: 2 }), { maxItems: 1000 }),
  exact: optional(flag()),
  min: optional(number()),
  max: optional(number()),
  sum: optional(number()),
  squares: optional(number()),
});
const fieldSent = shape('MonitoredFieldSums', 'What the values of a field in an hour come to.', {
  name: text({ min: 1, max: 256 }),
  source: word('feature', 'prediction', 'label'),
  numbers: optional(numbersSent),
  texts: optional(map(integer({ minimum: 1 }))),
  otherTexts: optional(integer({ minimum: 0 })),
});
export const intakeRows = operations({
  monitoringAlive: {
    method: 'GET',
    path: [
      '/mpm/isAlive/ping',
      '/mpm/v2/isAlive/ping',
      '/mpm/isAlive/ver',
      '/mpm/health',
      '/mpm/v2/health',
    ],
    access: { needs: 'public' },
    summary: 'Whether monitoring is there; clients send nothing where this is not 200',
    replies: { 200: object({ status: text() }) },
  },
  logMonitoredEvents: {
    ...intake,
    path: '/mpm/v2/events/batch',
    summary: 'Many events; an item that has labels only is a late label',
  },
  logMonitoredEvent: { ...intake, path: '/mpm/v2/events', summary: 'One event, or a list of them' },
  logMonitoredLabels: {
    ...intake,
    path: '/mpm/v2/labels/batch',
    summary: 'Many late labels, each for the event of its prediction id',
  },
  logMonitoredLabel: { ...intake, path: '/mpm/v2/labels', summary: 'One late label, or a list' },
  logMonitoredProfiles: {
    method: 'POST',
    path: '/mpm/v2/profiles/batch',
    access: { needs: 'write', about: one(workspace, 'body.workspaceName') },
    summary:
      'Sums of events that stay with the client, by hour: of numbers centroids in ascending order (each a mean and how many values it stands for; `exact` where each is a value), of texts how often each stood there. The same profileId counts once',
    body: object({
      workspaceName: text(),
      modelName: text({ min: 1, max: 256 }),
      modelVersion: text({ min: 1, max: 256 }),
      profileId: text({ min: 1, max: 256 }),
      profiles: list(
        shape('MonitoredHour', 'Events of an hour, summed up.', {
          timestamp: millis(),
          events: integer({ minimum: 1 }),
          fields: list(fieldSent),
        }),
        { minItems: 1, maxItems: 1000 },
      ),
    }),
    replies: {
      200: object({
        code: integer(),
        msg: text(),
        modelId: text(),
        accepted: integer(),
        duplicates: integer(),
      }),
    },
    fails: ['invalid', 'absent', 'conflict'],
  },
  uploadMonitoredEvents: {
    ...upload,
    path: '/mpm/v2/data/events/csv',
    summary: 'A CSV file of events',
  },
  uploadMonitoredLabels: {
    ...upload,
    path: '/mpm/v2/data/labels/csv',
    summary: 'A CSV file of late labels',
  },
  uploadTrainingEvents: {
    ...upload,
    path: '/mpm/v2/dataset/events/csv',
    summary:
      'A CSV file of training events, with which a model is compared; more of one name is appended',
  },
});

const ofModel = (path: 'query.modelId' | 'body.modelId' | 'params.modelId') =>
  ({ needs: 'read', about: one(monitoredModel, path) }) as const;
const predicate = shape(
  'MonitoringPredicate',
  'A series of its own: of a filter, in `query` or else in `key`, or of a segment.',
  { key: text(), query: optional(text()), segmentId: optional(text()) },
);
const asked = {
  modelId: text(),
  from: optional(text()),
  to: optional(text()),
  intervalType: optional(word('DAILY', 'HOURLY')),
  predicates: optional(list(predicate)),
  version: optional(text()),
};
const ofField = { ...asked, name: text(), source: optional(text()) };
const { modelId: _, ...askedOfPath } = asked;
const fieldOfPath = { ...askedOfPath, name: text(), source: optional(text()) };
/** How drift is measured: how empty bins are smoothed, where numbers are cut into bins, and whether missing values are one. */
const ofDrift = {
  algorithmType: optional(text()),
  baselineId: optional(text()),
  smoothing: optional(word('half', 'floor')),
  binning: optional(word(...binnings)),
  edges: optional(list(number(), { maxItems: 100 })),
  includeMissing: optional(flag()),
};
/** What rows read that name their model in the path. */
export const bodies = {
  metric: { ...askedOfPath, cometSql: text() },
  field: fieldOfPath,
  drift: { ...fieldOfPath, ...ofDrift },
};
const point = shape('MonitoringPoint', 'A value at the beginning of an hour or day.', {
  x: text(),
  y: nullable(number()),
});
export const series = shape(
  'MonitoringSeries',
  'One series for each filter, or one of all events.',
  {
    data: list(object({ predicateKey: text(), data: list(point) })),
  },
);
const feature = shape('MonitoredFeature', 'An input or an output of a model.', {
  name: text(),
  type: word('CATEGORICAL', 'NUMERICAL'),
  source: word('model_input_features', 'model_output_features'),
});
export const baseline = shape(
  'MonitoringBaseline',
  'What the events of a model are compared with.',
  {
    baselineId: text(),
    modelId: text(),
    version: nullable(text()),
    kind: word(...baselineKinds),
    datasetName: nullable(text()),
    from: nullable(text()),
    to: nullable(text()),
    movingDays: nullable(integer()),
    gapDays: nullable(integer()),
    filter: nullable(text()),
    artifactVersionId: nullable(text()),
    registryVersion: nullable(text()),
    sampleCount: integer(),
    createdAt: millis(),
    createdBy: nullable(text()),
    isDefault: flag(),
  },
);
const brief = shape('MonitoredModel', 'A monitored model.', {
  modelId: text(),
  modelName: text(),
});
export const workspaceModels = shape(
  'MonitoredWorkspace',
  'A workspace with its monitored models.',
  { workspaceName: text(), workspaceId: text(), models: list(brief) },
);
/** Rows of metrics in SQL, some of which run on an engine that need not be installed. */
export const ofEngine = {
  fails: ['invalid', 'absent', 'throttled'],
  wire: { refusals: { notInstalled: { status: 501 } } },
} as const;
const reading = { method: 'POST', access: { ...ofModel('body.modelId'), changes: false } } as const;
const ofScore = {
  ...asked,
  scoreName: text(),
  labelName: text(),
  positiveClassValue: optional(text()),
};
const gainsBand = shape(
  'MonitoringGainsBand',
  'Events of neighbouring scores, the highest first.',
  {
    band: integer(),
    scoreFrom: number(),
    scoreTo: number(),
    count: integer(),
    positives: integer(),
    responseRate: number(),
    cumulativeCount: integer(),
    cumulativePositives: integer(),
    cumulativePopulationShare: number(),
    cumulativeGain: number(),
    lift: number(),
    cumulativeLift: number(),
    cumulativeSeparation: number(),
  },
);
const qualityPoint = shape('MonitoringQualityPoint', 'The values of a feature in an hour or day.', {
  x: text(),
  events: integer(),
  missingCount: integer(),
  missingRate: nullable(number()),
  typeMismatch: integer(),
  newCategory: integer(),
  newCategoryRate: nullable(number()),
  outOfRange: number(),
  zeros: integer(),
  negatives: integer(),
  infinities: integer(),
  longStrings: integer(),
  distinct: nullable(integer()),
  min: nullable(number()),
  max: nullable(number()),
  mean: nullable(number()),
  schemaAdded: flag(),
  schemaDropped: flag(),
});
const modelQuery = object({ modelId: text() });
export const details = {
  name: text(),
  modelId: text(),
  workspaceId: text(),
  createdAt: millis(),
  model: shape('MonitoredFields', 'The features, labels and versions of a monitored model.', {
    features: list(feature),
    labels: list(object({ name: text() })),
    versions: list(text()),
  }),
};

export const driftReply = shape(
  'MonitoringDrift',
  'How far a field is from its baseline, with what chance alone explains.',
  {
    data: list(
      object({
        predicateKey: text(),
        data: list(
          object({
            x: text(),
            y: nullable(number()),
            sampleCount: integer(),
            noiseFloor95: nullable(number()),
            significant: flag(),
            relative: optional(number()),
            pValue: optional(number()),
          }),
        ),
      }),
    ),
    algorithm: text(),
    smoothing: text(),
    binning: nullable(word(...binnings)),
    includeMissing: flag(),
    baseline: nullable(baseline),
  },
);
export const densityReply = shape(
  'MonitoringDensity',
  'The density of a field of numbers, for each filter.',
  {
    data: list(
      object({
        predicateKey: text(),
        pdfDistributionGraphs: object({
          wholeTimeRangeDistribution: object({
            graphPoints: list(object({ x: number(), y: number() })),
          }),
        }),
      }),
    ),
  },
);

export const queryRows = operations({
  listMonitoredModels: {
    method: 'GET',
    path: '/api/mpm/v3/workspaces',
    access: { needs: 'caller', about: 'caller' },
    summary: 'The workspaces of the caller with their monitored models',
    replies: {
      200: object({
        workspaces: list(workspaceModels),
      }),
    },
  },
  getMonitoredModel: {
    method: 'GET',
    path: '/api/mpm/v2/model/details',
    access: ofModel('query.modelId'),
    summary: 'A monitored model with its features and labels',
    query: modelQuery,
    replies: { 200: object(details) },
    fails: ['absent'],
  },
  countPredictions: {
    ...reading,
    path: '/api/mpm/v2/model/numberOfPredictions',
    summary: 'How many events there were by hour or day',
    body: object(asked),
    replies: { 200: series },
    fails: ['invalid', 'absent'],
  },
  queryMonitoredMetric: {
    ...reading,
    path: '/api/mpm/v2/custom-metrics/query',
    summary: 'A metric by hour or day: one SELECT of one value over the table model',
    body: object({ ...asked, cometSql: text() }),
    replies: { 200: series },
    ...ofEngine,
  },
  readDrift: {
    ...reading,
    path: '/api/mpm/v2/features/drift',
    summary:
      'How far a field is from its baseline, by hour or day, with what chance alone explains. `binning` says where numbers are cut into bins (QUANTILE, or EDGES with `edges`, where left out), `smoothing` what PSI and KL do with empty ones (half, where left out, adds 0.5 to each count; floor raises shares to 0.0001), `includeMissing` makes missing values a bin',
    body: object({ ...ofField, ...ofDrift }),
    replies: { 200: driftReply },
    fails: ['invalid', 'absent'],
  },
  glanceAtDrift: {
    method: 'GET',
    path: '/api/mpm/v2/drift',
    access: ofModel('query.modelId'),
    summary:
      'How many features of a model drifted in the last seven days, of those that can be compared, and which one most',
    query: modelQuery,
    replies: {
      200: object({
        algorithm: text(),
        from: text(),
        to: text(),
        compared: integer(),
        drifted: integer(),
        worst: nullable(object({ name: text(), value: number() })),
      }),
    },
    fails: ['absent'],
  },
  readDistribution: {
    ...reading,
    path: '/api/mpm/v2/features/distribution',
    summary: 'Percentiles of numbers or counts of texts, by hour or day',
    body: object({ ...ofField, normalize: optional(flag()) }),
    replies: {
      200: object({
        data: list(
          object({
            predicateKey: text(),
            chartData: list(object({ value: anything(), points: list(point) })),
          }),
        ),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  readDensity: {
    ...reading,
    path: '/api/mpm/v2/features/numerical-distribution-pdf',
    summary: 'The density of a field of numbers over the whole span',
    body: object(ofField),
    replies: { 200: densityReply },
    fails: ['invalid', 'absent'],
  },
  compareField: {
    ...reading,
    path: '/api/mpm/v2/features/comparison',
    summary: 'The values of a field over the whole span beside those of the baseline, as shares',
    body: object({ ...ofField, baselineId: optional(text()) }),
    replies: {
      200: object({
        bins: list(
          object({
            text: nullable(text()),
            from: nullable(number()),
            to: nullable(number()),
            current: nullable(number()),
            baseline: nullable(number()),
          }),
        ),
        currentCount: number(),
        baselineCount: number(),
        baseline: nullable(baseline),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  readClassificationCurve: {
    ...reading,
    path: '/api/mpm/v2/model/classification-curve',
    summary: 'How well a score tells two classes apart, by hour or day',
    body: object({ ...ofScore, curveType: word(...curveTypes) }),
    replies: { 200: series },
    fails: ['invalid', 'absent'],
  },
  readGainsTable: {
    ...reading,
    path: '/api/mpm/v2/model/gains-table',
    summary: 'Bands of a score over the whole span, with what each gains',
    body: object({ ...ofScore, bandCount: optional(integer({ minimum: 1, maximum: 100 })) }),
    replies: {
      200: object({
        tables: list(
          object({
            predicateKey: text(),
            rows: list(gainsBand),
            total: integer(),
            totalPositives: integer(),
            overallRate: number(),
          }),
        ),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  readDataQuality: {
    method: 'GET',
    path: '/api/mpm/v2/quality',
    access: ofModel('query.modelId'),
    summary:
      'Missing, new, mistyped and extreme values of each feature and how many different ones, features that begin or end, volume beside that of the weeks before, label coverage, and what came again, late or too early (by when it came), by hour or day',
    query: object({
      modelId: text(),
      from: optional(text()),
      to: optional(text()),
      intervalType: optional(word('DAILY', 'HOURLY')),
      version: optional(text()),
      name: optional(text()),
      segmentId: optional(text()),
    }),
    replies: {
      200: object({
        features: list(
          object({
            name: text(),
            source: word('model_input_features', 'model_output_features'),
            firstSeen: millis(),
            lastSeen: millis(),
            points: list(qualityPoint),
          }),
        ),
        volume: list(
          object({
            x: text(),
            events: integer(),
            usual: nullable(number()),
            labelled: integer(),
            labelCoverage: nullable(number()),
            duplicates: integer(),
            lateEvents: integer(),
            futureEvents: integer(),
            probabilityOutOfRange: integer(),
          }),
        ),
        baseline: nullable(baseline),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  readPerformance: {
    method: 'GET',
    path: '/api/mpm/v2/performance',
    access: ofModel('query.modelId'),
    summary:
      'How good predictions were, by hour or day, with how many of them have their label beside each',
    query: object({
      modelId: text(),
      from: optional(text()),
      to: optional(text()),
      intervalType: optional(word('DAILY', 'HOURLY')),
      version: optional(text()),
      filter: optional(text()),
      predictionName: optional(text()),
      labelName: optional(text()),
      task: optional(word(...tasks)),
      positiveClassValue: optional(text()),
    }),
    replies: {
      200: object({
        task: word(...tasks),
        predictionName: nullable(text()),
        labelName: nullable(text()),
        points: list(
          object({
            x: text(),
            events: integer(),
            labelled: integer(),
            labelCoverage: nullable(number()),
            final: flag(),
            labelDelayP50: nullable(number()),
            labelDelayP95: nullable(number()),
            measures: map(nullable(number())),
          }),
        ),
        whole: object({
          events: integer(),
          labelled: integer(),
          labelCoverage: nullable(number()),
          labelDelayP50: nullable(number()),
          labelDelayP95: nullable(number()),
          measures: map(nullable(number())),
        }),
        confusion: nullable(object({ classes: list(text()), counts: list(list(integer())) })),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  listBaselines: {
    method: 'GET',
    path: '/api/mpm/v2/baselines',
    access: ofModel('query.modelId'),
    summary: 'The baselines of a model, and what it is compared with by default',
    query: modelQuery,
    replies: {
      200: object({ baselines: list(baseline), default: nullable(baseline) }),
    },
    fails: ['absent'],
  },
  listIngestionErrors: {
    method: 'GET',
    path: '/api/mpm/v2/ingestion-errors',
    access: ofModel('query.modelId'),
    summary:
      'What was refused or doubted of the events of a model in the last week, the newest first; the same reason and field of one second once, with how many and which predictions those were',
    query: object({
      modelId: text(),
      from: optional(millis()),
      to: optional(millis()),
      reason: optional(word(...reasons)),
      page: optional(integer({ minimum: 1 })),
      pageSize: optional(integer({ minimum: 1, maximum: 1000 })),
    }),
    replies: {
      200: object({
        errors: list(
          object({
            id: text(),
            timestamp: millis(),
            predictionId: nullable(text()),
            field: nullable(text()),
            reason: word(...reasons),
            message: text(),
            sample: text(),
            times: integer(),
            predictionIds: list(text()),
          }),
        ),
        counts: map(integer()),
        total: integer(),
        page: integer(),
        pageSize: integer(),
      }),
    },
    fails: ['absent'],
  },
  countIngestionErrors: {
    method: 'GET',
    path: '/api/mpm/v2/ingestion-errors/hours',
    access: ofModel('query.modelId'),
    summary:
      'How often each reason was given in every hour of the last 90 days, and how many events came again, more than an hour late, or more than an hour ahead',
    query: object({ modelId: text(), from: optional(text()), to: optional(text()) }),
    replies: {
      200: object({
        hours: list(object({ x: text(), counts: map(integer()) })),
        counts: map(integer()),
      }),
    },
    fails: ['invalid', 'absent'],
  },
});
