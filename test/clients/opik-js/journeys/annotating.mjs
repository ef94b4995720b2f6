import { Opik } from 'opik';
import { check, fresh, journey } from './journey.mjs';

await journey(async () => {
  const client = new Opik({ projectName: fresh('queues') });
  const made = ['a', 'b'].map((name) => client.trace({ name, threadId: `talk ${name}` }));
  for (const trace of made) trace.end();
  await client.flush();
  const traces = await client.searchTraces({ waitForAtLeast: 2 });
  const threads = await client.searchThreads({ waitForAtLeast: 2 });

  const queue = await client.createTracesAnnotationQueue({
    name: fresh('traces'),
    description: 'words',
    instructions: 'how',
    commentsEnabled: true,
    feedbackDefinitionNames: ['quality'],
  });
  check('a queue begins empty', await queue.getItemsCount(), 0);
  await queue.addTraces(traces);
  await queue.addTraces(traces);
  check('traces are added once', await queue.getItemsCount(), 2);
  await queue.removeTraces([traces[0]]);
  check('a trace is taken out', await queue.getItemsCount(), 1);
  const found = await client.searchTraces({
    filterString: `annotation_queue_ids contains "${queue.id}"`,
  });
  check(
    'traces of a queue are found',
    found.map(({ id }) => id),
    [traces[1].id],
  );
  const name = fresh('changed');
  await queue.update({ name, instructions: 'otherwise' });
  const read = await client.getTracesAnnotationQueue(queue.id);
  check(
    'a queue is changed, and keeps what was not sent',
    [read.name, read.description, read.instructions, read.feedbackDefinitionNames],
    [name, 'words', 'otherwise', ['quality']],
  );

  const talks = await client.createThreadsAnnotationQueue({ name: fresh('threads') });
  await talks.addThreads(threads);
  check('threads are added', await talks.getItemsCount(), 2);
  await talks.removeThreads([threads[0]]);
  check('a thread is taken out', await talks.getItemsCount(), 1);

  check(
    'queues of traces are listed',
    (await client.getTracesAnnotationQueues()).map(({ id }) => id),
    [queue.id],
  );
  check(
    'queues of threads are listed',
    (await client.getThreadsAnnotationQueues()).map(({ id }) => id),
    [talks.id],
  );
  const refused = await client.getThreadsAnnotationQueue(queue.id).then(
    () => 'found',
    () => 'refused',
  );
  check('a queue of traces is none of threads', refused, 'refused');

  await queue.delete();
  await client.deleteThreadsAnnotationQueue(talks.id);
  check('queues are deleted', (await client.getTracesAnnotationQueues()).length, 0);
  const gone = await client.getTracesAnnotationQueue(queue.id).then(
    () => 'found',
    (error) => error.message,
  );
  check('a deleted queue is not found', /not found/i.test(gone), true);
});
