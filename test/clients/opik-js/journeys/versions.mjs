// Versions of datasets and prompts as the JavaScript client has them, and an experiment of an older version.
import { evaluate, ExactMatch, Opik } from 'opik';
import { check, fresh, journey } from './journey.mjs';

const datasets = async (client, projectName) => {
  const dataset = await client.createDataset(fresh('versions'));
  await dataset.insert([{ q: 1 }, { q: 2 }]);
  await client.flush();
  await dataset.insert([{ q: 3 }]);
  await client.flush();
  const items = await dataset.getItems();
  await dataset.update([{ ...items.find(({ q }) => q === 1), q: 10 }]);
  await dataset.delete([items.find(({ q }) => q === 2).id]);
  await client.flush();

  const newest = await dataset.getVersionInfo();
  check('a change makes a version', [newest.versionName, newest.itemsTotal], ['v4', 2]);
  const first = await dataset.getVersionView('v1');
  const old = await first.getItems();
  check('an older one has its items', old.map(({ q }) => q).sort(), [1, 2]);
  check(
    'under the ids that they keep',
    old.map(({ id }) => id).sort(),
    items
      .filter(({ q }) => q !== 3)
      .map(({ id }) => id)
      .sort(),
  );
  const rest = await first.getItems(10, old[0].id);
  check(
    'and behind a cursor',
    rest.map(({ id }) => id),
    [old[1].id],
  );

  const { experimentId } = await evaluate({
    ...{ dataset: first, client, projectName, experimentName: fresh('of-v1') },
    task: async ({ q }) => ({ output: q, expected: 1 }),
    scoringMetrics: [new ExactMatch()],
  });
  await client.flush();
  const stored = await client.api.experiments.getExperimentById(experimentId);
  check(
    'an experiment is of the version that it was given',
    [stored.datasetVersionId, stored.datasetVersionSummary?.versionName, stored.traceCount],
    [first.versionId, 'v1', 2],
  );
};

const prompts = async (client) => {
  const name = fresh('prompt');
  const first = await client.createPrompt({ name, prompt: 'One {{x}}', metadata: { a: 1 } });
  const second = await client.createPrompt({ name, prompt: 'Two {{x}}' });
  const found = await second.getVersion(first.commit);
  check(
    'a version is found by its commit',
    [found?.prompt, found?.metadata],
    ['One {{x}}', { a: 1 }],
  );
  check('an unknown commit is none', await second.getVersion('00000000'), null);
  const versions = await second.getVersions();
  const used = await second.useVersion(versions[1]);
  check('an older version is used again', used.prompt, 'One {{x}}');
  check('as a new one', (await used.getVersions()).length, 3);
  check('versions are searched', (await used.getVersions({ search: 'Two' })).length, 1);
  await used.updateProperties({ name: `${name}-2`, description: 'new', tags: ['u'] });
  const renamed = await client.getPrompt({ name: `${name}-2` });
  check('a prompt is renamed', [renamed?.description, renamed?.commit], ['new', used.commit]);
};

await journey(async () => {
  const projectName = fresh('js-versions');
  const client = new Opik({ projectName });
  await datasets(client, projectName);
  await prompts(client);
});
