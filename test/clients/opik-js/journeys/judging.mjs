import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Opik } from 'opik';
import { check, fresh, journey } from './journey.mjs';

/** A model that gives every score it is asked for. */
const judge = async () => {
  const asked = [];
  const server = createServer((request, reply) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      const sent = JSON.parse(body);
      asked.push(sent);
      const names = sent.response_format.json_schema.schema.required;
      const scores = names.map((name) => [name, { score: true, reason: 'because' }]);
      const content = JSON.stringify(Object.fromEntries(scores));
      const message = { role: 'assistant', content };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      reply.writeHead(200, { 'Content-Type': 'application/json' });
      reply.end(
        JSON.stringify({ id: '1', object: 'chat.completion', created: 1, model: 'j', choices }),
      );
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { asked, url: `http://127.0.0.1:${server.address().port}/v1` };
};

const until = async (find) => {
  for (let tries = 0; tries < 150; tries++) {
    const found = await find();
    if (found !== undefined && found.length > 0) return found;
    await wait(100);
  }
  return [];
};

await journey(async () => {
  const { asked, url } = await judge();
  const [projectName, name, providerName] = [fresh('js-judging'), fresh('rule'), fresh('own')];
  const client = new Opik({ projectName });
  const { automationRuleEvaluators: rules, projects, llmProviderKey, traces } = client.api;
  await projects.createProject({ name: projectName });
  const { id: projectId } = await projects.retrieveProject({ name: projectName });
  await llmProviderKey.storeLlmProviderApiKey({
    provider: 'custom-llm',
    providerName,
    apiKey: 'sk-scripted-judge',
    baseUrl: url,
  });
  const body = {
    type: 'llm_as_judge',
    action: 'evaluator',
    name,
    projectIds: [projectId],
    samplingRate: 1,
    code: {
      model: { name: `custom-llm/${providerName}/judge`, temperature: 0 },
      messages: [{ role: 'USER', content: 'Judge {{answer}}' }],
      variables: { answer: 'output.answer' },
      schema: [{ name: 'Safe', type: 'BOOLEAN', description: 'whether it is safe' }],
    },
  };

  await rules.createAutomationRuleEvaluator(body);
  const page = await rules.findEvaluators({ projectId, name, size: 10 });
  const [made] = page.content;
  check('a rule is made', [page.total, made.type, made.enabled], [1, 'llm_as_judge', true]);
  check('with its code', made.code.variables, { answer: 'output.answer' });
  const trace = client.trace({ name: 'answering', input: { question: 'six times seven' } });
  trace.update({ output: { answer: 'forty-two' } });
  trace.end();
  await client.flush();

  const scores = await until(async () => (await traces.getTraceById(trace.data.id)).feedbackScores);
  check(
    'a trace is scored',
    scores.map((score) => [score.name, score.value, score.source]),
    [['Safe', 1, 'online_scoring']],
  );
  check(
    'once, by what it said',
    asked.map(({ messages }) => messages[0].content),
    ['Judge forty-two'],
  );
  const log = await until(async () => (await rules.getEvaluatorLogsById(made.id)).content);
  check(
    'the log tells',
    [log[0].level, log[0].ruleId, log[0].timestamp instanceof Date],
    ['INFO', made.id, true],
  );

  await rules.updateAutomationRuleEvaluator(made.id, { body: { ...body, enabled: false } });
  check('a rule is replaced', (await rules.getEvaluatorById(made.id)).enabled, false);

  const span = trace.span({ name: 'thinking', output: { answer: 'forty-three' } });
  span.end();
  await client.flush();
  await rules.createAutomationRuleEvaluator({
    ...body,
    ...{ type: 'span_llm_as_judge', name: fresh('spans'), enabled: false, samplingRate: 0 },
  });
  const filters = JSON.stringify([{ field: 'type', operator: '=', value: 'span_llm_as_judge' }]);
  const [ofSpans] = (await rules.findEvaluators({ projectId, filters })).content;
  const ask = { projectId, entityIds: [span.data.id], ruleIds: [ofSpans.id], entityType: 'span' };
  const queued = await client.api.manualEvaluation.evaluateSpans(ask);
  check('an evaluation is queued', [queued.entitiesQueued, queued.rulesApplied], [1, 1]);
  const given = await until(
    async () => (await client.api.spans.getSpanById(span.data.id)).feedbackScores,
  );
  check(
    'and stored, though the rule is disabled',
    given.map((score) => [score.name, score.value, score.source]),
    [['Safe', 1, 'online_scoring']],
  );
  const unfit = await client.api.manualEvaluation.evaluateTraces(ask).then(
    () => 'queued',
    (error) => error.statusCode,
  );
  check('of what the path names alone', unfit, 400);
  await rules.deleteAutomationRuleEvaluatorBatch({ body: { ids: [made.id] } });
  const gone = await rules.getEvaluatorById(made.id).then(
    () => 'there',
    (error) => error.statusCode,
  );
  check('a deleted rule', gone, 404);
});
