// Suites of tests that a model judges, as the JavaScript client runs them: what is stored of each assertion.
import { createServer } from 'node:http';
import { Opik, runTests } from 'opik';
import { check, fresh, journey } from './journey.mjs';

/** What the model says of each assertion: those hold that do not speak of money. */
const judge = (schema) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(schema.properties).map(([name, { description }]) => [
        name,
        { score: !String(description).includes('money'), reason: 'as asked', confidence: 1 },
      ]),
    ),
  );

/** A server of both interfaces in which OpenAI's models are asked. */
const model = createServer((request, reply) => {
  let text = '';
  request.on('data', (piece) => (text += piece));
  request.on('end', () => {
    const asked = JSON.parse(text);
    const format = asked.text?.format ?? asked.response_format?.json_schema;
    const said = judge(format.schema);
    const usage = { input_tokens: 1, output_tokens: 1, prompt_tokens: 1, completion_tokens: 1 };
    const content = [{ type: 'output_text', text: said, annotations: [] }];
    const shared = { id: 'r1', model: asked.model, usage };
    reply.writeHead(200, { 'Content-Type': 'application/json' });
    reply.end(
      JSON.stringify(
        request.url.endsWith('/responses')
          ? {
              ...shared,
              created_at: 1,
              output: [{ type: 'message', role: 'assistant', id: 'm1', content }],
            }
          : {
              ...shared,
              created: 1,
              choices: [
                {
                  index: 0,
                  message: { role: 'assistant', content: said },
                  finish_reason: 'stop',
                },
              ],
            },
      ),
    );
  });
});

await journey(async () => {
  await new Promise((resolve) => {
    model.listen(0, '127.0.0.1', resolve);
  });
  process.env.OPENAI_API_KEY = 'none';
  process.env.OPENAI_BASE_URL = `http://127.0.0.1:${model.address().port}/v1`;
  const client = new Opik({ projectName: fresh('testing') });
  const name = fresh('suite');
  const suite = await client.createTestSuite({ name, globalAssertions: ['is polite'] });
  await suite.insert([
    { data: { q: 1 } },
    { data: { q: 2 }, assertions: ['speaks of money'] },
    { data: { q: 3 }, assertions: ['is brief'] },
  ]);
  await client.flush();
  const result = await runTests({
    ...{ testSuite: suite, experimentName: fresh('tested'), model: 'gpt-4o-mini' },
    task: async (data) => ({ input: data, output: `said ${data.q}` }),
  });
  await client.flush();
  check('two of three pass', [result.itemsPassed, result.itemsTotal], [2, 3]);
  const stored = await client.api.experiments.getExperimentById(result.experimentId);
  check('an experiment tells the same', [stored.passedCount, stored.totalCount], [2, 3]);
  check('as a rate', Number(stored.passRate?.toFixed(6)), 0.666667);
  const scores = (stored.assertionScores ?? []).map((one) => [one.name, one.value]);
  check('each assertion has its mean', Object.fromEntries(scores), {
    ...{ 'is polite': 1, 'speaks of money': 0, 'is brief': 1 },
  });
  const compared = await client.api.datasets.findDatasetItemsWithExperimentItems(suite.id, {
    ...{ experimentIds: JSON.stringify([result.experimentId]), size: 10 },
  });
  const told = compared.content.map(({ data, experimentItems: [item] }) => [
    data.q,
    item.assertionResults.map((one) => [one.value, one.passed]).sort(),
  ]);
  check('items have what was said of them', Object.fromEntries(told), {
    1: [['is polite', true]],
    2: [
      ['is polite', true],
      ['speaks of money', false],
    ],
    3: [
      ['is brief', true],
      ['is polite', true],
    ],
  });
  check(
    'the suite has its experiment',
    (await client.getTestSuiteExperiments(name)).map(({ id }) => id),
    [result.experimentId],
  );
  await new Promise((resolve) => {
    model.close(resolve);
    model.closeAllConnections();
  });
});
