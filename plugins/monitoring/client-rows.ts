// Further rows that clients ask: models and features of a workspace, statements of administrators, and the newest events.
import { trackingFamily } from '#ports/api/families/tracking';
import { lineageEdge, lineageNode } from '#ports/api/lineage';
import { one, operations } from '#ports/api/operation';
import {
  anything,
  flag,
  integer,
  list,
  map,
  millis,
  nullable,
  object,
  optional,
  shape,
  text,
  word,
} from '#ports/api/schema';
import { workspace } from '#ports/model/workspaces';
import { monitoredModel } from './models.js';
import {
  bodies,
  densityReply,
  details,
  driftReply,
  ofEngine,
  series,
  workspaceModels,
} from './rows.js';

/** The family of the one row that stands among those of experiments. */
export const recentFamily = trackingFamily;

const column = shape('MonitoringColumn', 'A column of the table model.', {
  name: text(),
  type: word('VARCHAR', 'DOUBLE', 'TIMESTAMP'),
  kind: word('INPUT_FEATURE', 'OUTPUT_PREDICTION', 'LABEL', 'SYSTEM'),
});
const schemaReply = object({ columns: list(column) });
const ofPath = one(monitoredModel, 'params.modelId');
const metric = {
  method: 'POST',
  access: { needs: 'read', about: ofPath, changes: false },
  params: object({ modelId: text() }),
  fails: ['invalid', 'absent'],
} as const;

export const clientRows = operations({
  listWorkspaceModels: {
    method: 'GET',
    path: '/api/mpm/v3/workspaces/{workspaceName}',
    access: { needs: 'read', about: one(workspace, 'params.workspaceName') },
    summary: 'The monitored models of one workspace',
    params: object({ workspaceName: text() }),
    replies: {
      200: workspaceModels,
    },
    fails: ['absent'],
  },
  getMonitoredModelById: {
    method: 'GET',
    path: '/api/mpm/model/{modelId}',
    access: { needs: 'read', about: ofPath },
    summary: 'A monitored model with its features, labels, versions and when it was last heard of',
    params: object({ modelId: text() }),
    replies: {
      200: object({
        ...details,
        versions: list(text()),
        events: integer(),
        lastEventAt: nullable(millis()),
      }),
    },
    fails: ['absent'],
  },
  searchMonitoredModels: {
    method: 'POST',
    path: '/api/mpm/v2/model/search',
    access: { needs: 'read', about: one(workspace, 'body.workspaceName'), changes: false },
    summary: 'A page of the monitored models of a workspace, by name',
    body: object({
      workspaceName: text(),
      search: optional(text({ max: 256 })),
      page: optional(integer({ minimum: 1 })),
      pageSize: optional(integer({ minimum: 1, maximum: 1000 })),
    }),
    replies: {
      200: object({
        models: list(
          object({
            modelId: text(),
            modelName: text(),
            workspaceName: text(),
            createdAt: millis(),
            features: integer(),
            lastEventAt: nullable(millis()),
          }),
        ),
        total: integer(),
        page: integer(),
        pageSize: integer(),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  searchFeatures: {
    method: 'GET',
    path: '/api/mpm/v2/features/search',
    access: { needs: 'read', about: one(workspace, 'query.workspaceName') },
    summary:
      'The fields of all monitored models of a workspace; with metrics, how many values the last seven days had and how many were missing',
    query: object({ workspaceName: text(), includeMetrics: optional(flag()) }),
    replies: {
      200: object({
        features: list(
          object({
            name: text(),
            type: word('CATEGORICAL', 'NUMERICAL'),
            source: word('model_input_features', 'model_output_features', 'model_labels'),
            modelId: text(),
            modelName: text(),
            firstSeen: millis(),
            lastSeen: millis(),
            metrics: optional(object({ values: integer(), missing: integer() })),
          }),
        ),
      }),
    },
    fails: ['absent'],
  },
  readMonitoredSchema: {
    method: 'GET',
    path: '/api/mpm/v2/admin/model/schema',
    access: { needs: 'workspace-admin', about: one(workspace, 'query.workspaceName') },
    summary: 'The columns of the table model, for administrators',
    query: object({ workspaceName: text(), modelName: text() }),
    replies: { 200: schemaReply },
    fails: ['absent'],
  },
  askMonitoredSchema: {
    method: 'POST',
    path: '/api/mpm/v2/admin/model/schema',
    access: {
      needs: 'workspace-admin',
      about: one(workspace, 'body.workspaceName'),
      changes: false,
    },
    summary: 'The same, asked by a body',
    body: object({ workspaceName: text(), modelName: text() }),
    replies: { 200: schemaReply },
    fails: ['invalid', 'absent'],
  },
  queryMonitoredEvents: {
    method: 'POST',
    path: '/api/mpm/v2/admin/query',
    access: {
      needs: 'workspace-admin',
      about: one(workspace, 'body.workspaceName'),
      changes: false,
    },
    summary: 'One SELECT over the events of a model, for administrators; at most 10,000 rows',
    body: object({
      workspaceName: text(),
      modelName: text(),
      sql: text({ max: 32_000 }),
      maxRows: optional(integer({ minimum: 1 })),
    }),
    replies: {
      200: object({
        columns: list(text()),
        rows: list(map(anything())),
        rowCount: integer(),
        truncated: flag(),
      }),
    },
    ...ofEngine,
  },
  queryModelMetric: {
    ...metric,
    path: '/api/mpm/v3/model/{modelId}/metric/custom',
    ...ofEngine,
    summary: 'A metric by hour or day: one SELECT of one value over the table model',
    body: object(bodies.metric),
    replies: { 200: series },
  },
  readModelDensity: {
    ...metric,
    path: '/api/mpm/v3/model/{modelId}/metric/density',
    summary: 'The density of a field of numbers over the whole span',
    body: object(bodies.field),
    replies: { 200: densityReply },
  },
  readModelDrift: {
    ...metric,
    path: '/api/mpm/v3/model/{modelId}/metric/drift',
    summary: 'How far a field is from its baseline, by hour or day',
    body: object(bodies.drift),
    replies: { 200: driftReply },
  },
});

const versionSeen = {
  version: text(),
  events: integer(),
  lastEventAt: nullable(millis()),
};

export const lineageRows = operations({
  readMonitoredLineage: {
    method: 'GET',
    path: '/api/mpm/v2/lineage',
    access: { needs: 'read', about: one(monitoredModel, 'query.modelId') },
    summary:
      'Which registered versions the versions of a monitored model are, with the run, artifacts and datasets that each came of, as far as the caller may see them',
    query: object({ modelId: text() }),
    replies: {
      200: object({
        registryModelName: text(),
        versions: list(
          object({
            ...versionSeen,
            registered: nullable(
              object({
                registryModelItemId: text(),
                status: text(),
                experimentKey: text(),
                nodes: list(lineageNode),
                edges: list(lineageEdge),
              }),
            ),
          }),
        ),
      }),
    },
    fails: ['absent'],
  },
  findMonitoredVersions: {
    method: 'GET',
    path: '/api/mpm/v2/lineage/monitored',
    access: { needs: 'read', about: one(workspace, 'query.workspaceName') },
    summary: 'Where the versions of a registered model, or one of them, are monitored',
    query: object({
      workspaceName: text(),
      registryModelName: text(),
      version: optional(text()),
    }),
    replies: {
      200: object({
        models: list(
          object({ modelId: text(), modelName: text(), versions: list(object(versionSeen)) }),
        ),
      }),
    },
    fails: ['absent'],
  },
});

export const recentRows = operations({
  listRecentEvents: {
    method: 'GET',
    path: '/api/rest/v2/mpm/recent_events',
    access: { needs: 'read', about: one(monitoredModel, 'query.modelId') },
    summary: 'The newest events of a monitored model with what they hold',
    query: object({ modelId: text(), limit: optional(integer({ minimum: 1 })) }),
    replies: {
      200: object({
        events: list(
          object({
            predictionId: text(),
            timestamp: millis(),
            serverTimestamp: nullable(millis()),
            modelVersion: text(),
            features: map(anything()),
            prediction: map(anything()),
            labels: map(anything()),
          }),
        ),
      }),
    },
    fails: ['invalid', 'absent'],
  },
});
