// Methods of the JavaScript client that no other journey calls, with ordinary and odd arguments, read back.
import { generateId, Opik } from 'opik';
import { check, fresh, journey } from './journey.mjs';

const odd = 'Ä \u202e <b>"\'`; DROP TABLE x; -- {{y}} \u{1f600} \t%_\\';
/** Whether a call is refused. */
const refused = (work) =>
  work.then(
    () => false,
    () => true,
  );

const suites = async (client) => {
  const name = fresh('suite');
  const suite = await client.createTestSuite({
    ...{ name, description: odd, globalAssertions: ['is polite', odd], tags: ['t', odd] },
    globalExecutionPolicy: { runsPerItem: 2, passThreshold: 1 },
  });
  await suite.insert([
    { data: { q: odd }, assertions: ['says why'], description: 'd' },
    { data: { q: '2' }, executionPolicy: { runsPerItem: 3, passThreshold: 2 } },
    { data: { q: '3', deep: [1, { a: null }] } },
  ]);
  await client.flush();
  const byName = async () =>
    Object.fromEntries((await suite.getItems()).map((item) => [item.data.q, item]));
  const items = await byName();
  check('a suite has its items', Object.keys(items).sort(), ['2', '3', odd].sort());
  check('values of items are as they were', items['3']?.data.deep, [1, { a: null }]);
  check('an item has its assertions', items[odd]?.assertions, ['says why']);
  check('an item has its policy', items['2']?.executionPolicy, {
    runsPerItem: 3,
    passThreshold: 2,
  });
  check('the count', await suite.getItemsCount(), 3);
  check('assertions of all', (await suite.getGlobalAssertions()).sort(), ['is polite', odd].sort());
  check('the policy of all', await suite.getGlobalExecutionPolicy(), {
    ...{ runsPerItem: 2, passThreshold: 1 },
  });
  check('its tags', (await suite.getTags()).sort(), ['t', odd].sort());
  const before = await suite.getCurrentVersionName();
  await suite.updateTestSettings({
    ...{
      globalAssertions: ['is brief'],
      globalExecutionPolicy: { runsPerItem: 1, passThreshold: 1 },
    },
  });
  await suite.updateItemAssertions(items['2'].id, ['counts', odd]);
  await suite.updateItemExecutionPolicy(items['3'].id, { runsPerItem: 4, passThreshold: 4 });
  await suite.delete([items[odd].id]);
  await client.flush();
  const again = await client.getTestSuite(name);
  check('settings are changed', await again.getGlobalAssertions(), ['is brief']);
  const changed = await byName();
  check('items are deleted', Object.keys(changed).sort(), ['2', '3']);
  check('assertions are changed', changed['2']?.assertions.sort(), ['counts', odd].sort());
  check('a policy is changed', changed['3']?.executionPolicy, { runsPerItem: 4, passThreshold: 4 });
  const view = await suite.getVersionView(before);
  check('an older version has its items', (await view.getItems()).length, 3);
  check('a suite is made once', (await client.getOrCreateTestSuite({ name })).id, suite.id);
  check(
    'it is listed',
    (await client.getTestSuites(1000)).some((one) => one.name === name),
  );
  check('without experiments', await client.getTestSuiteExperiments(name), []);
  await suite.clear();
  await client.flush();
  check('a cleared suite is empty', await suite.getItems(), []);
  await client.deleteTestSuite(name);
  check('a deleted one is not found', await refused(client.getTestSuite(name)));
};

const datasets = async (client) => {
  const name = fresh('set');
  const dataset = await client.createDataset(name, odd);
  await dataset.insertFromJson(
    JSON.stringify([
      { Question: 'q1', n: 1.5, skip: 1 },
      { Question: odd, n: null, skip: 2 },
    ]),
    { Question: 'input' },
    ['skip'],
  );
  await client.flush();
  const items = await dataset.getItems();
  check('items come from JSON', items.map(({ input }) => input).sort(), ['q1', odd].sort());
  check(
    'left out keys are not there',
    items.some((item) => 'skip' in item),
    false,
  );
  const first = items.find(({ input }) => input === 'q1');
  await dataset.update([{ ...first, n: 2 }]);
  await client.flush();
  const found = JSON.parse(await dataset.toJson({ input: 'Question' }));
  check('items become JSON', found.map(({ Question }) => Question).sort(), ['q1', odd].sort());
  check('a changed item', found.find(({ Question }) => Question === 'q1')?.n, 2);
  const version = await dataset.getVersionInfo();
  check('a version', [version?.isLatest, version?.itemsTotal], [true, 2]);
  check('an absent version', await refused(dataset.getVersionView('v999')));
  const dup = await refused(client.createDataset(name).then(() => client.flush()));
  check(
    'a name that is taken makes no second one',
    [(await client.getDatasets(1000)).filter((one) => one.name === name).length, typeof dup],
    [1, 'boolean'],
  );
  return name;
};

const experiments = async (client, datasetName) => {
  const name = fresh('e');
  const made = await client.createExperiment({
    ...{ datasetName, name, experimentConfig: { k: odd }, tags: ['t', odd] },
  });
  // Of a renamed one, the client reads items by the name that it was given.
  await client.updateExperiment(made.id, { name: `${name} ${odd}`, experimentConfig: { k: 2 } });
  const stored = await client.api.experiments.getExperimentById(made.id);
  check('an experiment is changed', [stored.name, stored.metadata], [`${name} ${odd}`, { k: 2 }]);
  const found = await client.getExperimentsByName(`${name} ${odd}`);
  check(
    'it is found by its name',
    found.map(({ id }) => id),
    [made.id],
  );
  const [item] = await (await client.getDataset(datasetName)).getItems();
  const trace = client.trace({ name: 'late', output: { said: odd } });
  trace.end();
  await client.flush();
  const renamed = await client.getExperimentById(made.id);
  await renamed.insert([{ datasetItemId: item.id, traceId: trace.data.id }]);
  await client.flush();
  check(
    'its items',
    (await renamed.getItems({ maxResults: 5 })).map((one) => one.traceId),
    [trace.data.id],
  );
  check('its address', (await made.getUrl()).startsWith('http'));
  await client.deleteExperiment(made.id);
  check('a deleted one is not found', await refused(client.getExperimentById(made.id)));
  check('nor an unknown one', await refused(client.getExperimentById(generateId())));
};

const prompts = async (client) => {
  const name = fresh('chat');
  const messages = [
    { role: 'system', content: odd },
    { role: 'user', content: 'Hi {{who}}' },
  ];
  const first = await client.createChatPrompt({ name, messages, metadata: { m: [1, null] } });
  const same = await client.createChatPrompt({ name, messages, metadata: { m: [1, null] } });
  const second = await client.createChatPrompt({
    ...{ name, messages: [{ role: 'user', content: odd }], changeDescription: odd },
  });
  check('the same messages make no version', same.commit, first.commit);
  const read = await client.getChatPrompt({ name, commit: first.commit });
  check(
    'messages are as they were',
    [read?.messages, read?.metadata],
    [messages, { m: [1, null] }],
  );
  check('the newest', (await client.getChatPrompt({ name }))?.commit, second.commit);
  check(
    'values stand in their places',
    read?.format({ who: odd, y: 'y' }).at(1)?.content,
    `Hi ${odd}`,
  );
  check('its versions', (await second.getVersions()).length, 2);
  check('an unknown one', await client.getChatPrompt({ name: fresh('none') }), null);
  check('it is no text', await refused(client.getPrompt({ name })));
  await client.deletePrompts([first.id]);
  check('a deleted one', await client.getChatPrompt({ name }), null);
};

const queues = async (client) => {
  const queue = await client.createTracesAnnotationQueue({ name: fresh('queue') });
  await client.deleteTracesAnnotationQueue(queue.id);
  check('a deleted queue', await refused(client.getTracesAnnotationQueue(queue.id)));
};

// The client makes the model of its judges beforehand, which is asked nothing here.
process.env.OPENAI_API_KEY ??= 'none';
await journey(async () => {
  const client = new Opik({ projectName: fresh('remaining') });
  await suites(client);
  await experiments(client, await datasets(client));
  await prompts(client);
  await queues(client);
});
