import { evaluate, ExactMatch, Opik } from 'opik';
import { check, fresh, journey } from './journey.mjs';

await journey(async () => {
  const projectName = fresh('js');
  const client = new Opik({ projectName });
  const [datasetName, experimentName] = [fresh('set'), fresh('e')];
  const items = [
    { input: 'q1', expected: 'a1' },
    { input: 'q2', expected: 'a2' },
  ];
  const dataset = await client.getOrCreateDataset(datasetName, 'questions');
  await dataset.insert(items);
  await (await client.getOrCreateDataset(datasetName)).insert(items);
  check('items are kept once', (await dataset.getItems()).length, 2);
  check('some items', (await dataset.getItems(1)).length, 1);

  const result = await evaluate({
    ...{ dataset, client, projectName, experimentName },
    task: async ({ expected, input }) => ({ output: input === 'q1' ? expected : 'wrong' }),
    scoringMetrics: [new ExactMatch()],
  });
  await client.flush();
  const experiment = await client.getExperiment(experimentName);
  check('the experiment', experiment.id, result.experimentId);
  check('its items', (await experiment.getItems()).length, 2);
  const stored = await client.api.experiments.getExperimentById(experiment.id);
  check('traces and mean score', [stored.traceCount, stored.feedbackScores?.[0]?.value], [2, 0.5]);
  const unnamed = await client.createExperiment({ datasetName });
  check('a name is invented', (await client.getExperimentById(unnamed.id)).name?.length > 0);
  await client.createExperiment({ datasetName, name: `${experimentName}0` });
  check('names are not mixed', (await client.getExperiment(experimentName)).id, experiment.id);
  check('experiments of a dataset', (await client.getDatasetExperiments(datasetName)).length, 3);

  const name = fresh('prompt');
  const first = await client.createPrompt({ name, prompt: 'Hi {{x}}' });
  const same = await client.createPrompt({ name, prompt: 'Hi {{x}}' });
  const other = await client.createPrompt({ name, prompt: 'Hello {{x}}', tags: ['t'] });
  check('the same prompt makes no version', same.commit, first.commit);
  check('another one does', (await other.getVersions()).length, 2);
  check('an unknown prompt', await client.getPrompt({ name: fresh('none') }), null);
  check('a search', (await client.searchPrompts(`name = "${name}"`)).length, 1);

  const environment = await client.createEnvironment(fresh('prod'), { description: 'live' });
  const all = await client.getEnvironments();
  check('an environment', all.filter(({ id }) => id === environment.id).length, 1);

  await dataset.clear();
  await client.flush();
  check('a cleared dataset', (await dataset.getItems()).length, 0);
  await client.deleteDataset(datasetName);
  await client.flush();
  const gone = await client.getDataset(datasetName).then(
    () => false,
    () => true,
  );
  check('a deleted dataset is not found', gone);
});
