// Every address that the web UI has, over what the demo stores: at least one for each screen, or this does not compile.
import { openClient } from '#config/demo/client';
import { besideProject, fewestRuns, fillDemo } from '#config/demo/fill';
import type { Place } from '#plugins/web-ui/pure/address';
import type { Screens } from './signed-in.js';

const project = 'street-signs';
const { assistant } = besideProject(project);

type Screen = Exclude<Place['screen'], 'nothing'>;
type Row = Readonly<Record<string, unknown>>;

const settings = [
  ...['account', 'keys', 'programs', 'report', 'users', 'workspaces', 'service-accounts'],
  ...['statuses', 'audit', 'usage', 'in-force', 'jobs', 'upkeep'],
];

/** Fills the workspace of the server with the demo, a model that is monitored and an optimization, and gives the addresses. */
export const everyRoute = async ({
  server: { url, apiKey, workspace },
  ask,
}: Screens): Promise<readonly string[]> => {
  const where = { workspace, project, now: Date.now() };
  const { runs, models } = await fillDemo(openClient(url, apiKey, workspace), where, {
    count: fewestRuns,
    progress: () => undefined,
  });
  await ask('POST', '/mpm/v2/events/batch', {
    data: Array.from({ length: 40 }, (_, at) => ({
      ...{ workspaceName: workspace, modelName: 'churn', modelVersion: '1.0.0' },
      ...{ predictionId: `churn-${at}`, timestamp: where.now - at * 1000 },
      ...{ features: { age: at }, prediction: { value: 'stays' } },
    })),
  });
  const wire = '/opik/api/v1/private';
  const listed = async (path: string) =>
    (await ask('GET', `${wire}/${path}`))['content'] as readonly Row[]; // as every list of the wire
  const first = async (path: string) => String((await listed(path))[0]?.['id']);
  const dataset = (await listed('datasets?size=1'))[0];
  await ask('POST', `${wire}/optimizations`, {
    ...{ name: 'shorter', dataset_name: dataset?.['name'], objective_name: 'accuracy' },
    status: 'completed',
  });
  const { id: project_id } = await ask('POST', `${wire}/projects/retrieve`, { name: assistant });
  await ask('POST', `${wire}/automations/evaluators`, {
    ...{ name: 'kind', type: 'llm_as_judge', action: 'evaluator', enabled: false },
    project_ids: [project_id],
    code: {
      model: { name: 'street-small', temperature: 0 },
      messages: [{ role: 'USER', content: 'Is {{answer}} kind?' }],
      variables: { answer: 'output' },
      schema: [{ name: 'Kind', type: 'INTEGER', description: 'from 0 to 1' }],
    },
  });
  const { artifacts } = await ask('GET', `/api/rest/v2/artifacts/get-all?workspace=${workspace}`);
  const artifact = String((artifacts as readonly Row[])[0]?.['name']); // as the row says
  const at = `${url}/w/${workspace}`;
  const of = (name: string) => `${at}/p/${name}`;
  const ids = {
    experiment: await first('experiments?size=1'),
    optimization: await first('optimizations?size=1'),
    dataset: String(dataset?.['id']),
    prompt: await first('prompts?size=1'),
    board: await first('dashboards?size=1'),
    queue: await first('annotation-queues?size=1'),
    evaluator: await first('automations/evaluators?size=1'),
    alert: await first('alerts?size=1'),
    trace: await first(`traces?project_name=${assistant}&size=1`),
    thread: await first(`traces/threads?project_name=${assistant}&size=1`),
  };
  const compared = runs.slice(0, 3).map(({ key }) => key);
  const run = `${of(project)}/run/${compared[0] ?? ''}`;
  const list = (name: string) => [`${at}/${name}`];
  const entry = (name: string, id: string) => [`${at}/${name}/${id}`];
  const routes: Readonly<Record<Screen, readonly string[]>> = {
    home: [`${url}/w`],
    workspace: [at],
    experiments: list('experiments'),
    optimizations: list('optimizations'),
    datasets: list('datasets'),
    prompts: list('prompts'),
    playground: list('playground'),
    queues: list('queues'),
    evaluators: [...list('evaluators'), `${at}/evaluators/new?project=${assistant}`],
    alerts: [...list('alerts'), `${at}/alerts/new?project=${assistant}`],
    models: list('models'),
    artifacts: list('artifacts'),
    providers: list('providers'),
    boards: list('boards'),
    sql: list('sql'),
    members: list('members'),
    notifications: list('notifications'),
    retention: list('retention'),
    experiment: entry('experiments', ids.experiment),
    optimization: entry('optimizations', ids.optimization),
    dataset: entry('datasets', ids.dataset),
    prompt: entry('prompts', ids.prompt),
    board: entry('boards', ids.board),
    queue: entry('queues', ids.queue),
    evaluator: entry('evaluators', ids.evaluator),
    alert: entry('alerts', ids.alert),
    settings: settings.map((part) => `${url}/settings/${part}`),
    model: ['', '?tab=review', '?tab=metrics', '?tab=webhooks', '?tab=notes'].map(
      (tab) => `${at}/model/${models[0] ?? ''}${tab}`,
    ),
    artifact: ['', '?tab=changes', '?tab=lineage'].map(
      (tab) => `${at}/artifact/${encodeURIComponent(artifact)}${tab}`,
    ),
    runs: ['', '?group=parameter:arch', '?plot=parallel', '?plot=images'].map(
      (shown) => `${of(project)}/runs${shown}`,
    ),
    compare: [
      'params',
      'metrics',
      'charts',
      'divergence',
      'code',
      'packages',
      'artifacts',
      'media',
    ].map((tab) => `${of(project)}/compare?runs=${compared.join()}&tab=${tab}`),
    about: [`${of(project)}/about`],
    seeds: [`${of(project)}/seeds`],
    traces: [`${of(assistant)}/traces`],
    threads: [`${of(assistant)}/threads`],
    insights: [`${of(assistant)}/insights`],
    run: [
      '',
      'charts',
      'params',
      'media',
      'logs',
      'system',
      'code',
      'artifacts',
      'graph',
      'html',
      'files',
    ].map((tab) => `${run}/${tab}`),
    trace: ['', '?view=chat', '?view=log', '?guide=on'].map(
      (view) => `${of(assistant)}/trace/${ids.trace}${view}`,
    ),
    thread: [`${of(assistant)}/thread/${encodeURIComponent(ids.thread)}`],
    plugin: [`${at}/x/monitoring/models`],
  };
  return Object.values(routes).flat();
};
