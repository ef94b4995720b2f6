import { monitoredModel } from '#plugins/monitoring/models';
import { kindIn, type AreaFixtures, type RowFixture, type World } from '#test/api/fixtures';
import { monitoredEvent, monitoredModels } from './things.js';

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
const ofField: RowFixture = {
  with: () => ({ 'body.name': 'age', 'body.source': 'model_input_features' }),
};

const ofScore: RowFixture = {
  with: () => ({ 'body.scoreName': 'probability', 'body.labelName': 'value' }),
};

export const fixtures: AreaFixtures = {
  areas: ['monitoring-intake', 'monitoring'],
  kinds: [
    kindIn(monitoredModel, monitoredModels, {
      name: ({ modelId }) => modelId,
      unknown: () => '0123456789abcdef0123456789abcdef',
    }),
  ],
  rows: {
    monitoringAlive: { open: 'is asked before a key is there, and tells nothing' },
    logMonitoredEvents: intake(({ workspace }) => monitoredEvent(workspace)),
    logMonitoredEvent: intake(({ workspace }) => monitoredEvent(workspace)),
    logMonitoredLabels: intake(label),
    logMonitoredLabel: intake(label),
    uploadMonitoredEvents: upload('predictionId,feature_age,prediction_value\r\nc1,40,yes\r\n'),
    uploadMonitoredLabels: upload('predictionId,label_value_value\r\np1,yes\r\n'),
    uploadTrainingEvents: upload('feature_age,prediction_value\r\n40,yes\r\n', {
      datasetName: 'training',
    }),
    listMonitoredModels: { aboutCaller: 'lists what lies in the workspaces of the caller' },
    queryMonitoredMetric: { with: () => ({ 'body.cometSql': 'SELECT count(*) FROM model' }) },
    readDrift: ofField,
    readDistribution: ofField,
    readDensity: ofField,
    readClassificationCurve: ofScore,
    readGainsTable: ofScore,
  },
};
