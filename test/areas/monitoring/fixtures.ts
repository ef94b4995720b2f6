import { monitoredModel } from '#plugins/monitoring/models';
import { monitoredAlert } from '#plugins/monitoring/alerts';
import { monitoredSegment } from '#plugins/monitoring/segments';
import { kindIn, type AreaFixtures, type RowFixture, type World } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import {
  monitoredAlerts,
  monitoredBaselines,
  monitoredEvent,
  monitoredModels,
  monitoredSegments,
} from './things.js';

const itemByItem = 'may be about several workspaces, each of which is asked for item by item';
const ofTheFile =
  'is about the workspace that a part of the body names, which the handler asks for';

const intake = (item: (world: World) => object): RowFixture => ({
  aboutCaller: itemByItem,
  with: (world) => ({ 'body.data': [item(world)] }),
});
const label = ({ workspace }: World) => {
  const { features: _, predictions: __, ...ids } = monitoredEvent(workspace);
  return { ...ids, labels: { value: 'yes' } };
};
const upload = (content: string, more: object = {}): RowFixture => ({
  aboutCaller: ofTheFile,
  parts: (world) => [
    ...Object.entries({
      workspaceName: world.workspace,
      modelName: 'watched',
      modelVersion: '1.0',
      ...more,
    }).map(([name, value]) => ({ name, content: String(value) })),
    { name: 'file', fileName: 'events.csv', type: 'text/csv', content },
  ],
});
const ofSeries = { 'body.predicates.*.segmentId': 'is looked for in the model alone' };
const ofField: RowFixture = {
  with: () => ({ 'body.name': 'age', 'body.source': 'model_input_features' }),
  notOurs: ofSeries,
};

const ofScore: RowFixture = {
  with: () => ({ 'body.scoreName': 'probability', 'body.labelName': 'value' }),
  notOurs: ofSeries,
};

const ofTheModel = 'is looked for in the model alone';
const writing: RowFixture = {
  with: () => ({ 'body.name': freshName('watch'), 'body.type': 'SILENCE', 'body.warning': 1 }),
  own: () => ({ 'body.comparator': 'below' }),
  ownNames: ['body.name'],
  notOurs: { 'body.baselineId': ofTheModel },
};
const ofABaseline: RowFixture = {
  with: (world) => ({ 'params.baselineId': world.of(monitoredBaselines).baselineId }),
  notOurs: { 'params.baselineId': ofTheModel },
};

export const fixtures: AreaFixtures = {
  areas: [
    'monitoring-intake',
    'monitoring',
    'monitoring-alerts',
    'monitoring-settings',
    'monitoring-clients',
    'monitoring-lineage',
    'monitoring-recent',
  ],
  things: [monitoredBaselines],
  kinds: [
    kindIn(monitoredModel, monitoredModels, {
      name: ({ modelId }) => modelId,
      unknown: () => '0123456789abcdef0123456789abcdef',
    }),
    kindIn(monitoredAlert, monitoredAlerts, {
      name: ({ alertId }) => alertId,
      unknown: () => unknownId,
    }),
    kindIn(monitoredSegment, monitoredSegments, {
      name: ({ segmentId }) => segmentId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    monitoringAlive: { open: 'is asked before a key is there, and tells nothing' },
    logMonitoredEvents: intake(({ workspace }) => monitoredEvent(workspace)),
    logMonitoredEvent: intake(({ workspace }) => monitoredEvent(workspace)),
    logMonitoredLabels: intake(label),
    logMonitoredLabel: intake(label),
    logMonitoredProfiles: {
      with: () => ({
        'body.modelName': freshName('summed'),
        'body.profileId': freshName('profile'),
        'body.profiles': [
          {
            timestamp: Date.now(),
            events: 2,
            fields: [
              { name: 'age', source: 'feature', numbers: { centroids: [[40, 2]], exact: true } },
            ],
          },
        ],
      }),
      ownNames: ['body.modelName', 'body.profileId'],
    },
    uploadMonitoredEvents: upload('predictionId,feature_age,prediction_value\r\nc1,40,yes\r\n'),
    uploadMonitoredLabels: upload('predictionId,label_value_value\r\np1,yes\r\n'),
    uploadTrainingEvents: upload('feature_age,prediction_value\r\n40,yes\r\n', {
      datasetName: 'training',
    }),
    listMonitoredModels: { aboutCaller: 'lists what lies in the workspaces of the caller' },
    countPredictions: { notOurs: ofSeries },
    queryMonitoredMetric: {
      with: () => ({ 'body.cometSql': 'SELECT count(*) FROM model' }),
      notOurs: ofSeries,
    },
    readDrift: {
      ...ofField,
      notOurs: { ...ofSeries, 'body.baselineId': 'is looked for in the model alone' },
    },
    readDistribution: ofField,
    readDensity: ofField,
    compareField: {
      ...ofField,
      notOurs: { ...ofSeries, 'body.baselineId': 'is looked for in the model alone' },
    },
    readDataQuality: { notOurs: { 'query.segmentId': ofTheModel } },
    readClassificationCurve: ofScore,
    readGainsTable: ofScore,
    readMonitoredSchema: {
      with: (world) => ({ 'query.modelName': world.of(monitoredModels).modelName }),
      ownNames: ['query.modelName'],
    },
    askMonitoredSchema: {
      with: (world) => ({ 'body.modelName': world.of(monitoredModels).modelName }),
      ownNames: ['body.modelName'],
    },
    queryMonitoredEvents: {
      with: (world) => ({
        'body.modelName': world.of(monitoredModels).modelName,
        'body.sql': 'SELECT * FROM model LIMIT 1',
      }),
      ownNames: ['body.modelName'],
    },
    queryModelMetric: {
      with: () => ({ 'body.cometSql': 'SELECT count(*) FROM model' }),
      notOurs: ofSeries,
    },
    readModelDensity: ofField,
    readModelDrift: {
      ...ofField,
      notOurs: { ...ofSeries, 'body.baselineId': 'is looked for in the model alone' },
    },
    createMonitoringAlert: writing,
    updateMonitoringAlert: writing,
    changeMonitoringAlert: { notOurs: { 'body.baselineId': ofTheModel } },
    deleteMonitoringAlert: { consumes: true },
    listMonitorNotifications: { notOurs: { 'query.alertId': ofTheModel } },
    createSegment: {
      with: () => ({ 'body.name': freshName('segment'), 'body.filter': 'region=eu' }),
      ownNames: ['body.name'],
    },
    updateSegment: {
      with: () => ({ 'body.name': freshName('segment'), 'body.filter': 'region=us' }),
      ownNames: ['body.name'],
    },
    changeMonitoredModelSettings: { ownNames: ['body.registryModelName'] },
    findMonitoredVersions: {
      with: () => ({ 'query.registryModelName': 'watched' }),
      ownNames: ['query.registryModelName'],
    },
    deleteMonitoredModel: { consumes: true },
    deleteMonitoredEvents: {
      with: () => ({ 'body.predictionId': 'p2' }),
      notOurs: { 'body.predictionId': ofTheModel },
      consumes: true,
    },
    deleteSegment: { consumes: true },
    createBaseline: {
      with: () => ({ 'body.kind': 'moving' }),
      ownNames: ['body.name'],
      notOurs: {
        'body.segmentId': ofTheModel,
        'body.artifactVersionId': 'is asked of the product as the caller',
      },
    },
    changeBaseline: ofABaseline,
    deleteBaseline: { ...ofABaseline, consumes: true },
  },
};
