import { flushAll, Opik, track } from 'opik';
import { check, fresh, journey } from './journey.mjs';

const filters = [
  'name = "a"',
  'name contains "A"',
  'name starts_with "a"',
  'metadata.late = "true"',
  'input_json.deep > 1',
  'feedback_scores.acc = 0.1',
  'feedback_scores.none is_empty',
  'duration < 100000',
  'tags contains "x"',
  'usage.total_tokens > 3',
  'start_time > "2020-01-01T00:00:00Z"',
  'thread_id = "talk"',
  'total_estimated_cost > 0',
  'llm_span_count = 1',
  'error_info is_empty',
  'environment not_in ("a", "b")',
];

await journey(async () => {
  const client = new Opik({ projectName: fresh('js') });
  const trace = client.trace({
    ...{ name: 'a', input: { q: 1, deep: 2 }, threadId: 'talk', tags: ['x'], metadata: { m: 1 } },
  });
  const span = trace.span({
    ...{ name: 's', type: 'llm', model: 'gpt-4o', provider: 'openai', input: { a: 1 } },
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  });
  span.end();
  trace.score({ name: 'acc', value: 0.1 });
  span.score({ name: 'speed', value: 0.5 });
  trace.update({ output: { r: 2 } });
  trace.end();
  await client.flush();

  const [first, ...others] = await client.searchTraces({ waitForAtLeast: 1, truncate: false });
  check('one trace is found', others.length, 0);
  check('input', first.input, { q: 1, deep: 2 });
  check('output', first.output, { r: 2 });
  check('usage', first.usage, { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
  check('a score of 0.1 stays 0.1', first.feedbackScores?.[0]?.value, 0.1);
  check('it has a duration', typeof first.duration, 'number');

  const startTime = first.startTime.toISOString?.() ?? first.startTime;
  trace.update({ metadata: { late: true } });
  span.update({ output: { o: 1 } });
  await client.flush();
  const [later] = await client.searchTraces({ waitForAtLeast: 1 });
  check(
    'an update after the flush merges',
    [later.metadata, later.output],
    [{ m: 1, late: true }, { r: 2 }],
  );
  check('the start stays', later.startTime.toISOString?.() ?? later.startTime, startTime);
  const [stored] = await client.searchSpans({ waitForAtLeast: 1 });
  check('a span of the trace', [stored.traceId, stored.output], [first.id, { o: 1 }]);
  const [thread] = await client.searchThreads({ waitForAtLeast: 1 });
  check('a thread', [thread.id, thread.status, thread.numberOfMessages], ['talk', 'active', 2]);
  for (const filterString of filters)
    check(filterString, (await client.searchTraces({ filterString })).length, 1);
  client.logTracesFeedbackScores([{ id: first.id, name: 'more', value: -1.25 }]);
  client.logSpansFeedbackScores([{ id: stored.id, name: 'more', value: 3 }]);
  await client.flush();
  const [scored] = await client.searchTraces({ waitForAtLeast: 1 });
  check('scores that are logged', scored.feedbackScores.map(({ name }) => name).sort(), [
    'acc',
    'more',
  ]);

  const projectName = fresh('tracked');
  const tool = track({ name: 'tool', type: 'tool' }, (n) => {
    if (n > 1) throw new TypeError('bad');
    return n;
  });
  const middle = track({ name: 'middle' }, async (n) => {
    try {
      await tool(n);
    } catch {
      // the error is the span's
    }
    return { v: n };
  });
  await track({ name: 'top', projectName }, (n) => middle(n))(2);
  await flushAll();
  const tracked = new Opik({ projectName });
  const spans = await tracked.searchSpans({ waitForAtLeast: 3 });
  const named = Object.fromEntries(spans.map((one) => [one.name, one]));
  check('three spans', spans.length, 3);
  check(
    'parents',
    [named.middle.parentSpanId, named.tool.parentSpanId],
    [named.top.id, named.middle.id],
  );
  check('the error of the tool', named.tool.errorInfo?.exceptionType, 'TypeError');
  check('one trace', (await tracked.searchTraces({ waitForAtLeast: 1 })).length, 1);
});
