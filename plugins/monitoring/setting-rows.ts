// The rows about what people settle of monitored models: segments and baselines.
import { bytes, one, operations } from '#ports/api/operation';
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
import { labelPolicies, monitoredModel } from './models.js';
import { baseline } from './rows.js';
import { monitoredSegment } from './segments.js';

const segment = shape('MonitoringSegment', 'A named filter of a monitored model.', {
  segmentId: text(),
  modelId: text(),
  name: text(),
  filter: text(),
  createdAt: millis(),
});
const ofModel = one(monitoredModel, 'body.modelId');
const ofSegment = {
  path: '/api/mpm/v2/segments/{segmentId}',
  access: { needs: 'write', about: one(monitoredSegment, 'params.segmentId') },
  audit: true,
  params: object({ segmentId: text() }),
} as const;
const ofBaseline = {
  path: '/api/mpm/v2/baselines/{baselineId}',
  audit: true,
  params: object({ baselineId: text() }),
} as const;

const bounds = map(
  shape('MonitoredBounds', 'Where numbers of a feature are in range; a bound may be left out.', {
    min: optional(number()),
    max: optional(number()),
  }),
);
const settings = shape(
  'MonitoredModelSettings',
  'What is kept of a model and how long, which registered model it is, how much each of its features counts, and where its numbers are in range.',
  {
    modelId: text(),
    rawDays: integer(),
    sumDays: integer(),
    profileOnly: flag(),
    registryModelName: nullable(text()),
    importances: map(number()),
    labelPolicy: word(...labelPolicies),
    bounds,
  },
);

const ofWorkspace = {
  path: '/api/mpm/v2/workspaces/{workspaceName}/retention',
  params: object({ workspaceName: text() }),
} as const;
const retention = shape(
  'MonitoringRetention',
  'For how many days models of a workspace keep raw events and sums, where they do not say it themselves.',
  { workspaceId: text(), rawDays: integer(), sumDays: integer() },
);

export const settingRows = operations({
  getMonitoredModelSettings: {
    method: 'GET',
    path: '/api/mpm/v2/model/settings',
    access: { needs: 'read', about: one(monitoredModel, 'query.modelId') },
    summary: 'How long raw events and sums of a model are kept, and whether raw events are',
    query: object({ modelId: text() }),
    replies: { 200: settings },
    fails: ['absent'],
  },
  changeMonitoredModelSettings: {
    method: 'PATCH',
    path: '/api/mpm/v2/model/settings',
    access: { needs: 'write', about: ofModel },
    audit: true,
    summary:
      'Change how long raw events and sums of a model are kept, which registered model it is, how much each of its features counts, where their numbers are in range, and which label counts where one comes twice; with profileOnly, raw events are neither kept nor left',
    body: object({
      modelId: text(),
      rawDays: optional(integer()),
      sumDays: optional(integer()),
      profileOnly: optional(flag()),
      registryModelName: optional(text({ max: 256 })),
      importances: optional(map(number())),
      labelPolicy: optional(word(...labelPolicies)),
      bounds: optional(bounds),
    }),
    replies: { 200: settings },
    fails: ['invalid', 'absent'],
  },
  getMonitoringRetention: {
    ...ofWorkspace,
    method: 'GET',
    access: { needs: 'read', about: one(workspace, 'params.workspaceName') },
    summary:
      'How long raw events and sums are kept of the models of a workspace that do not say it themselves',
    replies: { 200: retention },
    fails: ['absent'],
  },
  changeMonitoringRetention: {
    ...ofWorkspace,
    method: 'PATCH',
    access: { needs: 'workspace-admin', about: one(workspace, 'params.workspaceName') },
    audit: true,
    summary:
      'Change how long raw events and sums are kept of the models of a workspace that do not say it themselves',
    body: object({ rawDays: optional(integer()), sumDays: optional(integer()) }),
    replies: { 200: retention },
    fails: ['invalid', 'absent'],
  },
  deleteMonitoredModel: {
    method: 'DELETE',
    path: '/api/mpm/model/{modelId}',
    access: { needs: 'write', about: one(monitoredModel, 'params.modelId') },
    audit: true,
    summary: 'Delete a monitored model with everything that is kept of it',
    params: object({ modelId: text() }),
    replies: { 200: object({ modelId: text() }) },
    fails: ['absent'],
  },
  deleteMonitoredEvents: {
    method: 'POST',
    path: '/api/mpm/v2/events/delete',
    access: { needs: 'write', about: ofModel },
    audit: true,
    summary:
      'Delete the events of one prediction, or those that pass a filter, with what came after them; sums are made anew without them, but for those of baselines',
    body: object({
      modelId: text(),
      predictionId: optional(text({ min: 1, max: 256 })),
      filter: optional(text({ min: 1, max: 4000 })),
      version: optional(text({ max: 256 })),
      from: optional(text()),
      to: optional(text()),
    }),
    replies: { 200: object({ deleted: integer(), days: integer() }) },
    fails: ['invalid', 'absent'],
  },
  exportMonitoredEvents: {
    method: 'GET',
    path: '/api/mpm/v2/events/export',
    access: { needs: 'read', about: one(monitoredModel, 'query.modelId') },
    summary:
      'The events of a span of time with what came after them, as a zip of one table and of `manifest.json`: how many rows and bytes the table has, its SHA-256, and how many events the sums count in the same span',
    query: object({
      modelId: text(),
      from: optional(text()),
      to: optional(text()),
      version: optional(text({ max: 256 })),
      filter: optional(text({ min: 1, max: 4000 })),
      format: optional(word('csv', 'parquet')),
    }),
    replies: { 200: bytes('application/zip') },
    fails: ['invalid', 'absent'],
  },
  listLabelChanges: {
    method: 'GET',
    path: '/api/mpm/v2/labels/changes',
    access: { needs: 'read', about: one(monitoredModel, 'query.modelId') },
    summary:
      'The labels that a prediction had before others took their place, the latest first; there are some where the labelPolicy of its model is latest',
    query: object({ modelId: text(), predictionId: text({ min: 1, max: 256 }) }),
    replies: {
      200: object({
        changes: list(object({ replacedAt: millis(), labels: map(anything()) })),
      }),
    },
    fails: ['absent'],
  },
  listSegments: {
    method: 'GET',
    path: '/api/mpm/v2/segments',
    access: { needs: 'read', about: one(monitoredModel, 'query.modelId') },
    summary: 'The segments of a monitored model, by name',
    query: object({ modelId: text() }),
    replies: { 200: object({ segments: list(segment) }) },
    fails: ['absent'],
  },
  createSegment: {
    method: 'POST',
    path: '/api/mpm/v2/segments',
    access: { needs: 'write', about: ofModel },
    audit: true,
    summary: 'Name a filter of a monitored model',
    body: object({
      modelId: text(),
      name: text({ min: 1, max: 100 }),
      filter: text({ min: 1, max: 4000 }),
    }),
    replies: { 200: segment },
    fails: ['invalid', 'absent', 'conflict'],
  },
  updateSegment: {
    ...ofSegment,
    method: 'PUT',
    summary: 'Change a segment; what is left out stays',
    body: object({
      name: optional(text({ min: 1, max: 100 })),
      filter: optional(text({ min: 1, max: 4000 })),
    }),
    replies: { 200: segment },
    fails: ['invalid', 'absent', 'conflict'],
  },
  deleteSegment: {
    ...ofSegment,
    method: 'DELETE',
    summary: 'Delete a segment; alerts that name it look at it no more',
    replies: { 200: object({ segmentId: text() }) },
    fails: ['absent'],
  },
  createBaseline: {
    method: 'POST',
    path: '/api/mpm/v2/baselines',
    access: { needs: 'write', about: ofModel },
    audit: true,
    summary:
      'Make a baseline of a span of the past: of all events, of one version, or of those outside of a segment; of days that move along; or of a CSV file of a version of an artifact or of the registered model',
    body: object({
      modelId: text(),
      kind: word('window', 'version', 'moving', 'complement', 'artifact'),
      name: optional(text({ max: 256 })),
      version: optional(text({ max: 256 })),
      from: optional(text()),
      to: optional(text()),
      movingDays: optional(integer()),
      gapDays: optional(integer()),
      filter: optional(text({ min: 1, max: 4000 })),
      segmentId: optional(text()),
      artifactVersionId: optional(text()),
      registryVersion: optional(text({ max: 100 })),
      fileName: optional(text({ max: 1000 })),
      isDefault: optional(flag()),
    }),
    replies: { 200: baseline },
    fails: ['invalid', 'absent', 'forbidden', 'conflict'],
  },
  changeBaseline: {
    ...ofBaseline,
    method: 'PATCH',
    access: { needs: 'write', about: ofModel },
    summary: 'Make a baseline what a model is compared with by default, or no longer',
    body: object({ modelId: text(), isDefault: flag() }),
    replies: { 200: baseline },
    fails: ['invalid', 'absent'],
  },
  deleteBaseline: {
    ...ofBaseline,
    method: 'DELETE',
    access: { needs: 'write', about: one(monitoredModel, 'query.modelId') },
    summary: 'Delete a baseline with its sums',
    query: object({ modelId: text() }),
    replies: { 200: object({ baselineId: text() }) },
    fails: ['absent'],
  },
});
