// A client that was given no key, as on a machine of one's own where authentication is off.
import { Opik, track } from 'opik';
import { check, fresh, journey } from './journeys/journey.mjs';

await journey(async () => {
  const project = fresh('without-key');
  const client = new Opik({ projectName: project, apiKey: '', workspaceName: 'default' });
  const trace = client.trace({ name: 'a', input: { q: 1 } });
  trace.span({ name: 's', type: 'tool', input: { q: 2 } }).end();
  trace.score({ name: 'right', value: 1 });
  trace.end();
  await client.flush();
  const [found] = await client.searchTraces({ waitForAtLeast: 1, truncate: false });
  check('the trace is there', [found.name, found.input], ['a', { q: 1 }]);
  check('with its score', found.feedbackScores?.[0]?.value, 1);
  const dataset = await client.getOrCreateDataset(fresh('items'));
  await dataset.insert([{ input: 1 }]);
  check(
    'a dataset is kept',
    (await dataset.getItems()).map(({ input }) => input),
    [1],
  );

  const elsewhere = new Opik({ projectName: project, apiKey: '', workspaceName: 'of-nobody' });
  check(
    'any workspace is that of the user',
    (await elsewhere.searchTraces({ waitForAtLeast: 1 })).length,
    1,
  );
  const add = track({ name: 'add', projectName: project }, (one, two) => one + two);
  check('functions are tracked', add(1, 2), 3);
});
