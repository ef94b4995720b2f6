// The screens of which pictures are kept.
import type { Page } from 'playwright-core';
import { writeList } from '#plugins/web-ui/pure/address';
import { writeColumn, type RunColumn } from '#plugins/web-ui/pure/columns';

export interface Screen {
  /** The name of the file, without its ending. */
  readonly name: string;
  readonly path: string;
  /** What is there when the screen is. */
  readonly shows: string;
  readonly dark?: boolean;
  /** In points, where a part of the screen tells enough. */
  readonly height?: number;
  readonly then?: (page: Page) => Promise<void>;
}

interface Demo {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string;
  readonly project: string;
  readonly assistant: string;
  readonly models: readonly string[];
  /** Where the model of the playground is asked. */
  readonly modelUrl: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Asks a row of LLM observability. */
const ask = async (
  { url, apiKey, workspace }: Demo,
  method: string,
  path: string,
  body?: unknown,
): Promise<Row> => {
  const reply = await fetch(`${new URL(url).origin}/v1/private/${path}`, {
    method,
    headers: {
      authorization: apiKey,
      'comet-workspace': workspace,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Row; // an object, as every reply of the wire
};

const listOf = async (demo: Demo, path: string): Promise<readonly Row[]> =>
  (await ask(demo, 'GET', path))['content'] as readonly Row[]; // as every list of the wire

const firstId = async (demo: Demo, path: string): Promise<string> =>
  String((await listOf(demo, path))[0]?.['id']);

/** Keys of the runs of the versions of the first model, the newest first. */
const registeredRuns = async ({ url, apiKey, workspace, models: [model = ''] }: Demo) => {
  const query = new URLSearchParams({ workspaceName: workspace, modelName: model }).toString();
  const address = `${new URL(url).origin}/api/rest/v2/registry-model/details?${query}`;
  const reply = await fetch(address, { headers: { authorization: apiKey } });
  const { versions } = (await reply.json()) as {
    readonly versions: readonly { readonly experimentModel: { readonly experimentKey: string } }[];
  }; // as the row says
  return versions.map(({ experimentModel: { experimentKey } }) => experimentKey);
};

const columns: readonly (readonly [RunColumn, number])[] = [
  [{ kind: 'metadata', name: 'state' }, 96],
  [{ kind: 'parameter', name: 'arch' }, 118],
  [{ kind: 'parameter', name: 'lr' }, 80],
  [{ kind: 'metric', name: 'val/accuracy', value: 'max' }, 176],
  [{ kind: 'metric', name: 'val/loss', value: 'min' }, 150],
];

/** The part of an address that chooses the columns and their widths. */
const chosen = new URLSearchParams({
  cols: writeList(columns.map(([column]) => writeColumn(column))),
  widths: writeList(columns.map(([column, width]) => `${writeColumn(column)}~${width}`)),
}).toString();

/** What the second half of the pages looks like: traces, and all that is about them. */
const assistantScreens = async (demo: Demo): Promise<readonly Screen[]> => {
  const { workspace, assistant, modelUrl } = demo;
  const at = `/w/${workspace}`;
  const project = `${at}/p/${assistant}`;
  await ask(demo, 'POST', 'llm-provider-key', {
    ...{ provider: 'openai', name: 'a model nearby', api_key: 'none', base_url: modelUrl },
    configuration: { models: 'street-small' },
  });
  const slow = encodeURIComponent(
    JSON.stringify([{ field: 'tags', operator: 'contains', key: '', value: 'lights' }]),
  );
  const trace = await firstId(
    demo,
    `traces?project_name=${assistant}&size=1&filters=${slow}&sorting=${encodeURIComponent('[{"field":"duration","direction":"DESC"}]')}`,
  );
  const threads = await listOf(demo, `traces/threads?project_name=${assistant}&size=50`);
  const thread = threads.find((one) => Number(one['number_of_messages']) > 2) ?? threads[0];
  const experiments = await listOf(demo, 'experiments?size=10');
  const idOf = (name: string) => String(experiments.find((one) => one['name'] === name)?.['id']);
  const prompt = await firstId(demo, 'prompts?size=1');
  const sql = `select name, type, count(*) as spans, round(avg(duration)) as mean_ms, sum(total_estimated_cost) as cost
from spans group by name, type order by spans desc`;
  return [
    { name: 'traces', height: 560, path: `${project}/traces?range=7d`, shows: '.row[data-key]' },
    { name: 'trace', path: `${project}/trace/${trace}`, shows: '[role=treegrid]' },
    {
      name: 'thread',
      path: `${project}/thread/${encodeURIComponent(String(thread?.['id']))}`,
      shows: 'main h1',
    },
    {
      name: 'queue',
      path: `${at}/queues/${await firstId(demo, 'annotation-queues?size=1')}`,
      shows: 'aside',
    },
    {
      name: 'dataset',
      height: 560,
      path: `${at}/datasets/${await firstId(demo, 'datasets?size=1')}`,
      shows: 'main h1',
    },
    {
      name: 'experiments',
      path: `${at}/experiments/${idOf('first prompt')}?with=${idOf('with examples')}`,
      shows: 'main h1',
    },
    { name: 'prompt', path: `${at}/prompts/${prompt}`, shows: 'main h1' },
    {
      name: 'playground',
      path: `${at}/prompts/${prompt}`,
      shows: 'main h1',
      then: async (page) => {
        await page.getByRole('link', { name: 'Try it' }).click();
        await page.getByLabel('Model of Variant A').fill('openai/street-small');
        await page.getByLabel('question').fill('May I park in Mill Lane on Sundays?');
        await page.getByRole('button', { name: 'Run Variant A' }).click();
        await page.getByText('come first.').waitFor();
      },
    },
    {
      name: 'board',
      path: `${at}/boards/${await firstId(demo, 'dashboards?size=1')}?range=7d`,
      shows: 'canvas',
    },
    {
      name: 'sql',
      path: `${at}/sql?${new URLSearchParams({ sql, project: assistant }).toString()}`,
      shows: '.row[data-key]',
    },
    {
      name: 'alert',
      path: `${at}/alerts/${await firstId(demo, 'alerts?size=1')}`,
      shows: 'main h1',
    },
    {
      name: 'insights',
      path: `${project}/insights`,
      shows: 'main table',
      then: async (page) => {
        await page.getByRole('link', { name: 'The search of permits times out' }).click();
        await page.waitForTimeout(1000);
      },
    },
  ];
};

export const screensOf = async (demo: Demo): Promise<readonly Screen[]> => {
  const { workspace, project, models } = demo;
  const keys = await registeredRuns(demo);
  const at = `/w/${workspace}`;
  const runs = `${at}/p/${project}/runs`;
  const best = keys[0] ?? '';
  return [
    { name: 'home', path: at, shows: 'table' },
    { name: 'runs', path: `${runs}?${chosen}&smooth=0.3`, shows: 'canvas' },
    { name: 'groups', path: `${runs}?${chosen}&group=parameter:arch`, shows: 'canvas' },
    { name: 'parallel', path: `${runs}?${chosen}&plot=parallel`, shows: 'svg' },
    { name: 'run', path: `${at}/p/${project}/run/${best}/charts`, shows: 'canvas' },
    { name: 'media', path: `${at}/p/${project}/run/${best}/media`, shows: 'img' },
    {
      name: 'compare',
      path: `${at}/p/${project}/compare?runs=${keys.join()}&tab=params`,
      shows: 'table',
    },
    {
      name: 'registry',
      path: `${at}/model/${models[0] ?? ''}/3.0.0`,
      shows: 'main',
      then: async (page) => {
        await page.getByRole('button', { name: 'history' }).click();
        await page.waitForTimeout(1000);
      },
    },
    {
      name: 'lineage',
      path: `${at}/artifact/${project}-report/1.0.0?tab=lineage`,
      shows: 'svg',
    },
    ...(await assistantScreens(demo)),
    { name: 'runs-dark', path: `${runs}?${chosen}&smooth=0.3`, shows: 'canvas', dark: true },
  ];
};
