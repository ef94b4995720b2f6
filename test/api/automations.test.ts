// Rules that score what is logged, over the wire.
import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import { startJudgeServer } from '#test/core/automations/judge-server';
import { pendingUnlessAll } from '#test/pending';
import { testPython } from '#test/servers/python';
import { freshName } from './fresh.js';
import { privateClient, type Json } from './private-client.js';

const root = 'automations/evaluators';

describe('automation rules', () => {
  const { ask, read, send, refusal } = privateClient({
    ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
  });

  const project = async (name = freshName('rules')): Promise<string> => {
    const { location } = await ask('POST', 'projects', { name });
    return location?.split('/').at(-1) ?? '';
  };
  const judge = (projectIds: readonly string[], more: Json = {}): Json => ({
    type: 'llm_as_judge',
    action: 'evaluator',
    name: freshName('rule'),
    project_ids: projectIds,
    code: {
      model: { name: 'openai/script-says', temperature: 0.5, custom_parameters: { top_k: 3 } },
      messages: [{ role: 'USER', content: 'Judge {{answer}}', string_content: true }],
      variables: { answer: 'output' },
      schema: [{ name: 'Quality', type: 'DOUBLE', description: 'how good' }],
    },
    ...more,
  });
  const metric = (projectIds: readonly string[], more: Json = {}): Json => ({
    ...judge(projectIds),
    type: 'user_defined_metric_python',
    code: { metric: 'class M: pass', arguments: { output: 'output.text' } },
    ...more,
  });
  const create = async (body: Json): Promise<string> => {
    const { status, text, location } = await ask('POST', root, body);
    expect([status, text], text).to.deep.equal([201, '']);
    expect(location).to.match(/\/v1\/private\/automations\/evaluators\/[0-9a-f-]{36}$/);
    return location?.split('/').at(-1) ?? '';
  };
  const list = async (query: string): Promise<readonly unknown[]> => {
    const { total, content } = await read(`${root}?${query}`);
    return [total, ...(content as readonly Json[]).map(({ id }) => id)]; // as every page has it
  };
  const filter = (field: string, operator: string, value: string): string =>
    `filters=${encodeURIComponent(JSON.stringify([{ field, operator, value }]))}`;

  it('are shown with their type and action, their projects by name, and what their messages are', async () => {
    const [b, a] = [await project(`b-${v7()}`), await project(`a-${v7()}`)];
    const filters = [
      { field: 'feedback_scores', operator: '>=', key: 'Correct', value: '0.5', type: 'number' },
      { field: 'error_info', operator: 'is_empty', value: '' },
    ];
    const made = judge([b, b], { project_id: a, filters });
    const id = await create(made);

    const shown = await read(`${root}/${id}`);
    expect(shown).to.deep.include({
      ...{ id, type: 'llm_as_judge', action: 'evaluator', name: made['name'] },
      ...{ project_id: a, sampling_rate: 1, enabled: true },
    });
    expect((shown['projects'] as readonly Json[]).map((one) => one['project_id'])).to.deep.equal([
      ...[a, b],
    ]);
    expect(shown['project_name']).to.match(/^a-/);
    expect(shown['filters']).to.deep.equal([
      { field: 'feedback_scores', operator: '>=', key: 'Correct', value: '0.5' },
      { field: 'error_info', operator: 'is_empty', value: '' },
    ]);
    expect(shown['code']).to.deep.equal({
      ...(made['code'] as Json),
      messages: [
        {
          ...{ role: 'USER', content: 'Judge {{answer}}' },
          ...{ string_content: true, structured_content: false },
        },
      ],
    });
    expect(shown['created_at']).to.equal(shown['last_updated_at']);
    expect((await refusal('GET', `${root}/${id}?project_id=${await project()}`))[0]).to.equal(404);
    expect((await read(`${root}/${id}?project_id=${b}`))['id']).to.equal(id);
  });

  it('of every type are kept, filtered, sorted and found by parts of names and ids', async () => {
    const id = await project();
    const { code, ...rest } = judge([id]);
    const { variables: _, ...withoutVariables } = code as Json;
    const made: Record<string, string> = {};
    for (const body of [
      judge([id], { name: 'Alpha', sampling_rate: 0.5 }),
      metric([id], { name: 'beta', enabled: false }),
      { ...rest, type: 'trace_thread_llm_as_judge', code: withoutVariables },
      { ...rest, type: 'trace_thread_user_defined_metric_python', code: { metric: 'x' } },
      judge([id], { type: 'span_llm_as_judge' }),
      metric([id], { type: 'span_user_defined_metric_python' }),
    ] as readonly Json[])
      made[String(body['type'])] = await create(body);
    const ids = Object.values(made);

    const of = `project_id=${id}`;
    expect(await list(of)).to.deep.equal([6, ...[...ids].reverse()]);
    expect(await list(`${of}&size=2&page=2`)).to.deep.equal([6, ids[3], ids[2]]);
    expect(await list(`${of}&name=ALPH`)).to.deep.equal([1, ids[0]]);
    expect(await list(`id=${ids[1]?.slice(-12)}`)).to.deep.equal([1, ids[1]]);
    expect(await list(`project_id=${v7()}`)).to.deep.equal([0]);
    const span = 'span_llm_as_judge';
    expect(await list(`${of}&${filter('type', '=', span)}`)).to.deep.equal([1, made[span]]);
    expect(await list(`${of}&${filter('enabled', '=', 'false')}`)).to.deep.equal([1, ids[1]]);
    expect(await list(`${of}&${filter('sampling_rate', '<', '1')}`)).to.deep.equal([1, ids[0]]);
    const sorting = encodeURIComponent(JSON.stringify([{ field: 'type', direction: 'ASC' }]));
    const sorted = await list(`${of}&sorting=${sorting}`);
    expect(sorted.slice(0, 3)).to.deep.equal([6, ids[0], made[span]]);
    const { sortable_by: sortable } = await read(`${root}?${of}`);
    expect(sortable).to.include('sampling_rate');
    for (const query of [filter('code', '=', 'x'), 'sorting=[]x', 'size=0', 'project_id=x'])
      expect((await refusal('GET', `${root}?${query}`))[0], query).to.equal(400);
  });

  it('are refused with the rule that they break', async () => {
    const id = await project();
    const { code, ...rest } = judge([id]);
    const codeWith = (more: Json) => ({ ...rest, code: { ...(code as Json), ...more } });
    const output = { name: 'a', type: 'DOUBLE', description: '' };
    for (const [status, body] of [
      [422, judge([])],
      [422, judge([id], { sampling_rate: 1.5 })],
      [422, judge([id], { sampling_rate: -0.1 })],
      [422, judge([id], { name: ' ' })],
      [422, { ...rest, code: undefined }],
      [422, codeWith({ model: undefined })],
      [422, codeWith({ variables: undefined })],
      [422, codeWith({ schema: [] })],
      [422, codeWith({ schema: [output, output] })],
      [422, codeWith({ messages: [{ role: 'USER' }] })],
      [422, metric([id], { code: { metric: ' ', arguments: {} } })],
      [422, metric([id], { code: { metric: 'x'.repeat(200_001), arguments: {} } })],
      [400, judge([id], { type: 'other' })],
      [400, judge([id], { action: 'other' })],
      [400, codeWith({ messages: [{ role: 'OTHER', content: 'x' }] })],
      [400, judge([id], { filters: [{ field: 'status', operator: '=', value: 'x' }] })],
      [400, judge([id], { filters: [{ field: 'duration', operator: '=', value: 'x' }] })],
      [400, judge(['x'])],
      [404, judge([id, v7()])],
    ] as const)
      expect((await refusal('POST', root, body))[0], JSON.stringify(body).slice(0, 300)).to.equal(
        status,
      );
    expect((await list(`project_id=${id}`))[0]).to.equal(0);
  });

  it('are replaced as a whole but for their type, and deleted with their logs', async () => {
    const [one, other] = [await project(), await project()];
    const id = await create(judge([one], { sampling_rate: 0.25, enabled: false }));

    await send(
      'PATCH',
      `${root}/${id}`,
      judge([other], { name: 'New', id: v7(), created_at: 'x' }),
    );
    const shown = await read(`${root}/${id}`);
    expect(shown).to.include({ id, name: 'New', project_id: other, sampling_rate: 1 });
    expect(shown['enabled']).to.equal(true);
    expect((await refusal('PATCH', `${root}/${id}`, metric([other])))[0]).to.equal(400);
    expect((await refusal('PATCH', `${root}/${id}`, judge([])))[0]).to.equal(422);
    expect((await refusal('PATCH', `${root}/${v7()}`, judge([one])))[0]).to.equal(404);

    await send('POST', `${root}/delete?project_id=${one}`, { ids: [id] });
    expect((await read(`${root}/${id}`))['id']).to.equal(id);
    await send('POST', `${root}/delete?project_id=${other}`, { ids: [id, v7(), id] });
    expect((await refusal('GET', `${root}/${id}`))[0]).to.equal(404);
    expect((await refusal('POST', `${root}/delete`, { ids: [] }))[0]).to.equal(422);
    for (const unknown of [id, v7(), 'no-such-id'])
      expect(await read(`${root}/${unknown}/logs?size=5`)).to.deep.equal({
        ...{ page: 1, size: 0, total: 0, content: [] },
      });
    expect((await refusal('GET', `${root}/${id}/logs?size=0`))[0]).to.equal(400);
  });

  it('tell in their logs what became of what was logged', async () => {
    const name = freshName('rules');
    const id = await project(name);
    const rule = await create(metric([id]));
    const judging = await create(judge([id]));
    const traceId = v7();
    const trace = { id: traceId, project_name: name, start_time: new Date().toISOString() };
    await send('POST', 'traces/batch', { traces: [{ ...trace, output: { text: 'x' } }] });

    const logs = async (of: string) => {
      for (let tries = 0; tries < 100; tries++) {
        const { content } = await read(`${root}/${of}/logs?size=1`);
        const [last] = content as readonly Json[]; // as the row has it
        if (last !== undefined) return last;
        await pause(50);
      }
      throw new Error('no line came');
    };
    const line = await logs(rule);
    expect(line).to.deep.include({ rule_id: rule, level: 'WARN', markers: { trace_id: traceId } });
    expect(line['message']).to.match(/runs no Python metrics/);
    expect(line['timestamp']).to.match(/^\d{4}-.*Z$/);
    expect((await logs(judging))['level']).to.be.oneOf(['INFO', 'ERROR']); // no key is stored
  });

  it('score what is there already once they are asked to, by a model', async () => {
    const judges = await startJudgeServer({
      judge: () => JSON.stringify({ Quality: { score: 0.25, reason: 'short' } }),
    });
    try {
      const name = freshName('rules');
      const [id, elsewhere] = [await project(name), await project()];
      await ask('POST', 'llm-provider-key', {
        ...{ provider: 'custom-llm', provider_name: name, api_key: 'sk-of-a-judge' },
        base_url: judges.url,
      });
      const { code, ...rest } = judge([id], { enabled: false, sampling_rate: 0 });
      const model = { name: `custom-llm/${name}/judge` };
      const { variables: _, ...threadCode } = code as Json;
      const ofTraces = await create({ ...rest, code: { ...(code as Json), model } });
      const ofSpans = await create({
        ...{ ...rest, type: 'span_llm_as_judge' },
        code: { ...(code as Json), model },
      });
      const ofThreads = await create({
        ...{ ...rest, type: 'trace_thread_llm_as_judge' },
        code: { ...threadCode, model },
      });
      const far = await create(judge([elsewhere]));
      const [traceId, spanId, threadId] = [v7(), v7(), freshName('thread')];
      const said = { start_time: new Date().toISOString(), output: { text: 'x' } };
      const trace = { id: traceId, project_name: name, thread_id: threadId, ...said };
      await send('POST', 'traces/batch', { traces: [trace] });
      const span = { id: spanId, trace_id: traceId, project_name: name, ...said };
      await send('POST', 'spans/batch', { spans: [span] });
      const thread = () =>
        send('POST', 'traces/threads/retrieve', { project_id: id, thread_id: threadId }, 200);
      const threadModelId = String((await thread())['thread_model_id']);
      const body = (entity_type: string, entity: string, rule: string): Json => ({
        ...{ project_id: id, entity_ids: [entity, entity], rule_ids: [rule], entity_type },
      });

      for (const [path, sent] of [
        ['traces', body('trace', traceId, ofTraces)],
        ['spans', body('span', spanId, ofSpans)],
        ['threads', body('thread', threadModelId, ofThreads)],
      ] as const) {
        const { status, text } = await ask('POST', `manual-evaluation/${path}`, sent);
        expect([status, JSON.parse(text)], text).to.deep.equal([
          ...[202, { entities_queued: 1, rules_applied: 1 }],
        ]);
      }

      for (const show of [() => read(`traces/${traceId}`), () => read(`spans/${spanId}`), thread]) {
        let scores: readonly Json[] = [];
        for (let tries = 0; tries < 100 && scores.length === 0; tries++) {
          scores = ((await show())['feedback_scores'] ?? []) as readonly Json[]; // as the row has it
          if (scores.length === 0) await pause(50);
        }
        expect(scores[0]).to.include({ name: 'Quality', value: 0.25, reason: 'short' });
      }
      const ok = body('trace', traceId, ofTraces);
      for (const [status, path, sent] of [
        [404, 'traces', { ...ok, entity_ids: [traceId, v7()] }],
        [404, 'traces', { ...ok, rule_ids: [ofTraces, v7()] }],
        [404, 'traces', { ...ok, rule_ids: [far] }],
        [404, 'traces', { ...ok, project_id: elsewhere, rule_ids: [far] }],
        [404, 'traces', { ...ok, project_id: v7() }],
        [404, 'threads', body('thread', traceId, ofThreads)],
        [400, 'traces', { ...ok, rule_ids: [ofSpans] }],
        [400, 'spans', ok],
        [400, 'traces', { ...ok, entity_ids: ['x'] }],
        [400, 'traces', { ...ok, entity_type: 'other' }],
        [422, 'traces', { ...ok, entity_ids: [] }],
        [422, 'traces', { ...ok, rule_ids: [] }],
        [422, 'traces', { ...ok, entity_ids: Array.from({ length: 1001 }, () => v7()) }],
      ] as const)
        expect(
          (await refusal('POST', `manual-evaluation/${path}`, sent))[0],
          JSON.stringify(sent).slice(0, 300),
        ).to.equal(status);
      expect(judges.asked).to.have.length(3);
    } finally {
      await judges.stop();
    }
  });
});

describe('previews of automation rules', () => {
  const { ask, read, send, refusal } = privateClient({
    ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
  });

  it('tell what a model would give a thing, and store nothing', async () => {
    const judges = await startJudgeServer({
      judge: () => JSON.stringify({ Quality: { score: 0.25, reason: 'short' } }),
      broken: () => 400,
    });
    try {
      const name = freshName('rules');
      const { location } = await ask('POST', 'projects', { name });
      const project_id = location?.split('/').at(-1) ?? '';
      await ask('POST', 'llm-provider-key', {
        ...{ provider: 'custom-llm', provider_name: name, api_key: 'sk-of-a-judge' },
        base_url: judges.url,
      });
      const entity_id = v7();
      const trace = { id: entity_id, project_name: name, start_time: new Date().toISOString() };
      await send('POST', 'traces/batch', { traces: [{ ...trace, output: { text: 'x' } }] });
      const code = (model: string) => ({
        model: { name: `custom-llm/${name}/${model}` },
        messages: [{ role: 'USER', content: 'Judge {{answer}}' }],
        variables: { answer: 'output.text' },
        schema: ['Quality', 'Tone'].map((one) => ({ name: one, type: 'DOUBLE', description: '' })),
      });
      const asked = { project_id, entity_id, type: 'llm_as_judge', code: code('judge') };

      const found = await send('POST', `${root}/preview`, asked, 200);
      const broken = await send('POST', `${root}/preview`, { ...asked, code: code('broken') }, 200);

      expect(found).to.deep.include({
        messages: [{ role: 'user', content: 'Judge x' }],
        scores: [{ name: 'Quality', value: 0.25, reason: 'short' }],
        left: ['Tone'],
      });
      expect(broken).to.deep.include({ scores: [], left: ['Quality', 'Tone'] });
      expect(String(broken['fault'])).to.not.equal('');
      expect((await read(`traces/${entity_id}`))['feedback_scores']).to.equal(undefined);
      for (const [status, change] of [
        [404, { entity_id: v7() }],
        [404, { project_id: v7() }],
        [400, { entity_id: 'x' }],
        [400, { code: { ...code('judge'), model: { name: 'anthropic/unknown' } } }],
        [422, { code: { ...code('judge'), schema: [] } }],
      ] as const)
        expect(
          (await refusal('POST', `${root}/preview`, { ...asked, ...change }))[0],
          JSON.stringify(change),
        ).to.equal(status);
    } finally {
      await judges.stop();
    }
  });
});

describe('automation rules in Python', function () {
  if (process.platform !== 'linux') {
    it('score what is logged', function () {
      pendingUnlessAll(this, 'they are run on Linux alone');
    });
    return;
  }
  this.timeout(60_000);
  const { ask, read, send } = privateClient({ ORRERY_PYTHON_METRICS: testPython() });
  const create = async (path: string, body: Json): Promise<string> =>
    (await ask('POST', path, body)).location?.split('/').at(-1) ?? '';
  const until = async <T>(find: () => Promise<T | undefined>): Promise<T> => {
    for (let tries = 0; tries < 300; tries++) {
      const found = await find();
      if (found !== undefined) return found;
      await pause(50);
    }
    throw new Error('it did not come');
  };
  const metric = (body: string): string => `
from opik.evaluation.metrics import base_metric, score_result
class Metric(base_metric.BaseMetric):
    def score(self, output, **ignored):
        ${body}
`;
  const stage = async (source: string) => {
    const name = freshName('rules');
    const id = await create('projects', { name });
    const rule = await create(root, {
      ...{ type: 'user_defined_metric_python', action: 'evaluator', name, project_ids: [id] },
      code: { metric: source, arguments: { output: 'output' } },
    });
    const traceId = v7();
    const trace = { id: traceId, project_name: name, start_time: new Date().toISOString() };
    await send('POST', 'traces/batch', {
      traces: [{ ...trace, output: { words: ['grüezi', 'mitenand'] } }],
    });
    return { rule, traceId };
  };
  const lastLine = (rule: string) =>
    until(async () => {
      const { content } = await read(`${root}/${rule}/logs`);
      const lines = content as readonly Json[]; // as the row has it
      return lines.find(({ level, message }) => level !== 'INFO' || /stored/.test(String(message)));
    });

  it('score what is logged, and are shown as switched on', async () => {
    const { rule, traceId } = await stage(
      metric("return score_result.ScoreResult('Words', len(output['words']), output['words'][0])"),
    );

    const line = await lastLine(rule);
    const { feedback_scores: scores } = await read(`traces/${traceId}`);
    const toggles = await read('toggles');

    expect(line).to.deep.include({ level: 'INFO', markers: { trace_id: traceId } });
    expect((scores as readonly Json[])[0]).to.include({
      ...{ name: 'Words', value: 2, reason: 'grüezi', source: 'online_scoring' },
    });
    for (const name of ['pythonEvaluator', 'traceThreadPythonEvaluator'])
      expect(toggles[`${name}Enabled`], name).to.equal(true);
    expect(toggles['spanUserDefinedMetricPythonEnabled']).to.equal(true);
  });

  it('tell in their logs why they gave no score', async () => {
    const { rule, traceId } = await stage(metric("return output['missing']"));

    expect(await lastLine(rule)).to.deep.include({
      ...{ level: 'ERROR', markers: { trace_id: traceId } },
    });
    expect((await lastLine(rule))['message']).to.match(/its metric failed in line 5: KeyError/);
    expect((await read(`traces/${traceId}`))['feedback_scores']).to.be.oneOf([undefined, null]);
  });
});
