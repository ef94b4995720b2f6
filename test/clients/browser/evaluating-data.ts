// Datasets, experiments over them and prompts, as an SDK sends them.
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Screens } from './signed-in.js';
import { markup } from './trace-data.js';

const wire = '/opik/api/v1/private';
const count = 60;

export interface SentExperiments {
  readonly dataset: string;
  /** How many items it has; the one at `lost` got worse, and the last holds what would be markup. */
  readonly count: number;
  readonly items: readonly string[];
  readonly lost: number;
  /** Over the dataset: what others are held against, and one that lost an item and gained another. */
  readonly plain: string;
  readonly terse: string;
  /** Over another dataset. */
  readonly foreign: string;
  readonly prompt: string;
  readonly chat: string;
}
const [lost, gained, unscored] = [41, 7, 12] as const;

const question = (at: number): string =>
  at === count - 1 ? markup : `What is the capital of country ${at}?`;

type Scored = readonly [output: string, score: number | undefined];
const plainly = (at: number): Scored => [
  at === count - 1 ? markup : `It is city ${at}`,
  at === gained ? 0.25 : 1,
];
const tersely = (at: number): Scored => [
  `city ${at}`,
  at === lost ? 0 : at === unscored ? undefined : 1,
];

const sendExperiment = async (
  screens: Screens,
  name: string,
  datasetName: string,
  items: readonly string[],
  answer: (at: number) => Scored,
): Promise<string> => {
  const id = v7();
  await screens.ask('PUT', `${wire}/experiments/items/bulk`, {
    ...{ experiment_id: id, experiment_name: name, dataset_name: datasetName },
    project_name: 'vision',
    items: items.map((dataset_item_id, at) => {
      const [output, value] = answer(at);
      return {
        ...{ dataset_item_id, evaluate_task_result: { answer: output } },
        feedback_scores:
          value === undefined
            ? []
            : [{ name: 'right', value, reason: `because of ${at}`, source: 'sdk' }],
      };
    }),
  });
  await screens.ask('POST', `${wire}/experiments/finish`, { ids: [id] });
  return id;
};

const sendDataset = async (
  screens: Screens,
  name: string,
  items: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly [id: string, items: readonly string[]]> => {
  const id = v7();
  await screens.ask('POST', `${wire}/datasets`, { id, name });
  const sent = items.map((data) => ({ id: v7(), source: 'sdk', data }));
  await screens.ask('PUT', `${wire}/datasets/items`, { dataset_id: id, items: sent });
  return [id, sent.map((one) => one.id)];
};

const sendPrompts = async (screens: Screens) => {
  const version = async (name: string, structure: string, template: string, says: string) => {
    const { prompt_id: id } = await screens.ask('POST', `${wire}/prompts/versions`, {
      ...{ name, template_structure: structure },
      version: { template, change_description: says },
    });
    return String(id);
  };
  await version('greeting', 'text', 'Say hello to {{name}}.', 'the first');
  const prompt = await version('greeting', 'text', 'Say good day to {{name}}.', 'more polite');
  const chat = await version(
    'asker',
    'chat',
    JSON.stringify([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '{{question}}' },
    ]),
    'the first',
  );
  for (const name of ['production', 'staging'])
    await screens.ask('POST', `${wire}/environments`, { name });
  return { prompt, chat };
};

export const sendExperiments = async (screens: Screens): Promise<SentExperiments> => {
  const [dataset, items] = await sendDataset(
    screens,
    'capitals',
    Array.from({ length: count }, (_, at) => ({
      question: question(at),
      expected_output: `city ${at}`,
      country: { code: at },
    })),
  );
  const [, others] = await sendDataset(screens, 'rivers', [{ question: 'Which river?' }]);
  const plain = await sendExperiment(screens, 'plain', 'capitals', items, plainly);
  const terse = await sendExperiment(screens, 'terse', 'capitals', items, tersely);
  const foreign = await sendExperiment(screens, 'foreign', 'rivers', others, plainly);
  return {
    ...{ dataset, count, items, lost, plain, terse, foreign },
    ...(await sendPrompts(screens)),
  };
};

/** What the server has of a thing. */
export const readStored = (screens: Screens, path: string): Promise<Record<string, unknown>> =>
  screens.ask('GET', `${wire}/${path}`);

/** A rule of the project that has a model judge the answers that name it; it is off for all others. */
export const addRule = async (screens: Screens): Promise<string> => {
  const project = await screens.ask('POST', `${wire}/projects/retrieve`, { name: 'vision' });
  await screens.ask('POST', `${wire}/automations/evaluators`, {
    ...{ type: 'llm_as_judge', action: 'evaluator', name: 'judge' },
    ...{ project_ids: [project['id']], enabled: false },
    code: {
      model: { name: 'openai/script-says' },
      messages: [{ role: 'USER', content: 'Judge {{answer}}' }],
      variables: { answer: 'output' },
      schema: [{ name: 'Quality', type: 'DOUBLE', description: 'how good' }],
    },
  });
  const { content } = await readStored(screens, 'automations/evaluators');
  const [rule] = content as readonly Readonly<Record<string, unknown>>[]; // as the row says
  return String(rule?.['id']);
};

/** Whether a reply comes to hold a text within some seconds. */
export const readUntil = async (screens: Screens, path: string, text: string): Promise<boolean> => {
  for (let tries = 0; tries < 100; tries++) {
    if (JSON.stringify(await readStored(screens, path)).includes(text)) return true;
    await pause(100);
  }
  return false;
};

/** A trace of the project with this metadata. */
export const sendTraceWith = async (
  screens: Screens,
  name: string,
  metadata: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const start_time = new Date().toISOString();
  const one = {
    id: v7(),
    project_name: 'vision',
    name,
    start_time,
    end_time: start_time,
    metadata,
  };
  await screens.ask('POST', `${wire}/traces/batch`, { traces: [one] });
};
