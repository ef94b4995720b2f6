// How the assistant is judged: questions with their right answers, three experiments over them, and the prompt that came of it.
import { v7 } from 'uuid';
import { chances } from '../chances.js';
import type { DemoClient } from '../client.js';
import { wire } from './answers.js';
import { questions } from './questions.js';

const districts = [
  '',
  ' I live in the old town.',
  ' Please be quick.',
  ' My mother asks.',
] as const;

interface Item {
  readonly id: string;
  readonly data: {
    readonly question: string;
    readonly expected_output: string;
    readonly topic: string;
  };
}
const items = (): readonly Item[] =>
  districts.flatMap((more) =>
    questions.map(({ asks, answer, topic }) => ({
      id: v7(),
      data: { question: asks + more, expected_output: answer, topic },
    })),
  );

/** What an experiment is like: how often it is right, how brief, and where it is worse than the others. */
const experiments = [
  { name: 'first prompt', right: 0.72, brief: 0.5, weak: 'permits', seed: 1 },
  { name: 'with examples', right: 0.9, brief: 0.74, weak: 'bins', seed: 2 },
  { name: 'smaller model', right: 0.8, brief: 0.86, weak: 'roadworks', seed: 3 },
] as const;

const logExperiment = async (
  client: DemoClient,
  project: string,
  dataset: string,
  all: readonly Item[],
  { name, right, brief, weak, seed }: (typeof experiments)[number],
): Promise<void> => {
  const chance = chances(seed * 97);
  const id = v7();
  await client.ask('PUT', `${wire}/experiments/items/bulk`, {
    ...{ experiment_id: id, experiment_name: name, dataset_name: dataset, project_name: project },
    items: all.map(({ id: dataset_item_id, data }) => {
      const isRight = chance.next() < (data.topic === weak ? right - 0.45 : right);
      const words = data.expected_output.split(' ');
      const answer = isRight
        ? data.expected_output
        : `${words.slice(0, Math.ceil(words.length / 2)).join(' ')} … I am not sure about the rest.`;
      const short = Math.max(0, Math.min(1, brief + chance.around(0.5)));
      return {
        ...{ dataset_item_id, evaluate_task_result: { answer } },
        feedback_scores: [
          {
            ...{ name: 'right', value: isRight ? 1 : 0, source: 'sdk' },
            reason: isRight ? 'says what is expected' : 'leaves out what was asked for',
          },
          { name: 'brief', value: Math.round(short * 100) / 100, source: 'sdk' },
        ],
      };
    }),
  });
  await client.ask('POST', `${wire}/experiments/finish`, { ids: [id] });
};

const chat = (rules: string) =>
  JSON.stringify([
    { role: 'system', content: `You answer people about the streets of the city. ${rules}` },
    { role: 'user', content: '{{question}}' },
  ]);

const logPrompt = async (client: DemoClient, name: string): Promise<void> => {
  const environments = ['production', 'staging'];
  for (const environment of environments)
    await client.ask('POST', `${wire}/environments`, { name: environment }).catch(() => undefined); // it may be there already
  const versions: string[] = [];
  for (const [rules, says] of [
    ['Be helpful.', 'the first'],
    ['Be brief, and name your source.', 'shorter, with a source'],
    [
      'Be brief, and name your source. Say so where you are not sure, and who can be asked.',
      'says who can be asked',
    ],
  ] as const) {
    const made = await client.ask('POST', `${wire}/prompts/versions`, {
      ...{ name, template_structure: 'chat' },
      version: { template: chat(rules), change_description: says },
    });
    versions.push(String(made['id']));
  }
  for (const [at, environment] of [
    [1, 'production'],
    [2, 'staging'],
  ] as const)
    await client.ask('PATCH', `${wire}/prompts/versions/${versions[at] ?? ''}/environments`, {
      environments: [environment],
    });
};

/** Logs a dataset, three experiments over it, and a prompt of three versions. */
export const logJudged = async (
  client: DemoClient,
  { assistant, judged }: { readonly assistant: string; readonly judged: string },
): Promise<void> => {
  const dataset = `${assistant}-questions`;
  const all = items();
  const id = v7();
  await client.ask('POST', `${wire}/datasets`, {
    ...{ id, name: dataset, description: 'What residents ask, with what is right to answer' },
  });
  await client.ask('PUT', `${wire}/datasets/items`, {
    dataset_id: id,
    items: all.map((one) => ({ ...one, source: 'sdk' })),
  });
  for (const one of experiments) await logExperiment(client, judged, dataset, all, one);
  await logPrompt(client, `${assistant}-answer`);
};
