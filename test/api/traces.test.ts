// What the private wire promises of traces and spans that are written several times, in any order.
import { expect } from 'chai';
import { v7, v4 } from 'uuid';
import { startServer, type StartedServer } from '#test/clients/server';
import { freshName } from '#test/contract/storage/builders';

type Json = Readonly<Record<string, unknown>>;
const start_time = '2026-05-01T10:00:00.123456Z';
const end_time = '2026-05-01T10:00:01.623456Z';

describe('traces and spans', () => {
  let server: StartedServer;
  before(async () => {
    const started = await startServer({ storage: 'embedded' });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
  });
  after(() => server?.stop());

  const ask = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const reply = await fetch(`${server.url}/api/v1/private/${path}`, {
      method,
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const read = async (path: string): Promise<Json> => {
    const { status, text } = await ask('GET', path);
    expect(status, text).to.equal(200);
    return JSON.parse(text) as Json;
  };
  const accept = async (method: string, path: string, body: unknown, expected = 204) => {
    const { status, text } = await ask(method, path, body);
    expect(status, text).to.equal(expected);
  };
  const search = async (path: string, body: Json): Promise<readonly Json[]> => {
    const { status, text } = await ask('POST', `${path}/search`, body);
    expect(status, text).to.equal(200);
    return text
      .split('\r\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Json);
  };

  it('show a trace that was updated before it came as if it had come first', async () => {
    const [id, project_name] = [v7(), freshName('project')];
    const nulls = { name: null, tags: null, error_info: null };
    await accept('PATCH', `traces/${id}`, { project_name, output: { n: 0.1 }, end_time, ...nulls });
    expect(await read(`traces/${id}`)).to.include({ start_time: '1970-01-01T00:00:00.000000Z' });
    const trace = { id, project_name, name: 'a', start_time, input: ['x'], output: 'too late' };
    await accept('POST', 'traces/batch', { traces: [trace] });
    await accept('POST', 'traces/batch', { traces: [{ ...trace, last_updated_at: start_time }] });

    const shown = await read(`traces/${id}`);
    expect(shown).to.deep.include({ name: 'a', input: ['x'], output: { n: 0.1 }, start_time });
    expect(shown).to.deep.include({ end_time, duration: 1500, span_count: 0 });
    expect(shown).not.to.have.any.keys('tags', 'error_info', 'metadata', 'usage');
  });

  for (const order of ['older first', 'newer first', 'at once'])
    it(`keep the later of two whole rows, ${order}`, async () => {
      const [id, project_name] = [v7(), freshName('project')];
      const older = { id, project_name, start_time, name: 'older', input: { n: 1 } };
      const stamped = { ...older, last_updated_at: '2026-05-01T10:00:00.000001Z' };
      const newer = {
        ...{ id, project_name, start_time, end_time, name: 'newer' },
        last_updated_at: '2026-05-01T10:00:00.000002Z',
      };
      const batches = order === 'newer first' ? [newer, stamped] : [stamped, newer];
      const send = (one: Json) => accept('POST', 'traces/batch', { traces: [one] });
      if (order === 'at once') await Promise.all([...batches, ...batches].map(send));
      else for (const one of batches) await send(one);

      const shown = await read(`traces/${id}`);
      expect(shown['name']).to.equal('newer');
      expect(shown).not.to.have.property('input');
      expect(await search('traces', { project_name })).to.have.lengthOf(1);
    });

  it('keep one row of an id that stands twice in a batch', async () => {
    const [id, project_name] = [v7(), freshName('project')];
    const row = (name: string, last_updated_at?: string) => ({
      ...{ id, project_name, start_time, name },
      ...(last_updated_at === undefined ? {} : { last_updated_at }),
    });
    await accept('POST', 'traces/batch', {
      traces: [row('late', '2026-05-01T10:00:09Z'), row('early', '2026-05-01T10:00:01Z')],
    });
    expect((await read(`traces/${id}`))['name']).to.equal('late');
    await accept('POST', 'traces/batch', { traces: [row('first'), row('second')] });
    expect((await read(`traces/${id}`))['name']).to.equal('second');
  });

  it('are refused one by one where they are there as a whole, or in another project', async () => {
    const [id, spanId, trace_id] = [v7(), v7(), v7()];
    const [project_name, other] = [freshName('project'), freshName('project')];
    await accept('POST', 'traces', { id, project_name, start_time }, 201);
    await accept('POST', 'spans', { id: spanId, project_name, trace_id, start_time }, 201);

    const again = await ask('POST', 'traces', { id, project_name, start_time });
    expect([again.status, (JSON.parse(again.text) as Json)['errors']]).to.deep.equal([
      409,
      ['Trace already exists'],
    ]);
    for (const [method, path, body] of [
      ['POST', 'traces', { id, project_name: other, start_time }],
      ['PATCH', `traces/${id}`, { project_name: other, name: 'x' }],
      ['POST', 'spans', { id: spanId, project_name, trace_id, start_time }],
      ['PATCH', `spans/${spanId}`, { project_name, trace_id: v7() }],
      ['PATCH', `spans/${spanId}`, { project_name, trace_id, parent_span_id: v7() }],
      ['PATCH', `spans/${spanId}`, { project_name: other, trace_id }],
    ] as const)
      expect((await ask(method, path, body)).status, `${method} ${path}`).to.equal(409);
    expect((await ask('PATCH', `spans/${spanId}`, { project_name })).status).to.equal(422);
    await accept('PATCH', `spans/${spanId}`, { project_name, trace_id, output: { ok: true } });
    expect(await read(`spans/${spanId}`)).to.deep.include({ output: { ok: true }, start_time });
  });

  it('add and remove tags, up to fifty', async () => {
    const [id, project_name] = [v7(), freshName('project')];
    const tags = Array.from({ length: 49 }, (_, n) => `t${n}`);
    await accept('POST', 'traces', { id, project_name, start_time, tags }, 201);
    await accept('PATCH', `traces/${id}`, {
      project_name,
      tags_to_add: ['new'],
      tags_to_remove: ['t0'],
    });
    expect((await read(`traces/${id}`))['tags']).to.deep.equal([...tags.slice(1), 'new']);
    // What is added stands in place of tags as a whole.
    await accept('PATCH', `traces/${id}`, { project_name, tags: ['z'], tags_to_remove: ['t1'] });
    expect((await read(`traces/${id}`))['tags']).to.deep.equal([...tags.slice(2), 'new']);
    const most = await ask('PATCH', `traces/${id}`, {
      project_name,
      tags_to_add: ['x', 'y', 'z', 'u'],
    });
    expect(most.status).to.equal(422);
  });

  it('take ids of version 7 alone, and store nothing of a batch with another', async () => {
    const project_name = freshName('project');
    const { status, text } = await ask('POST', 'traces/batch', {
      traces: [
        { id: v7(), project_name, start_time },
        { id: v4(), project_name, start_time },
      ],
    });

    expect([status, (JSON.parse(text) as Json)['message']]).to.deep.equal([
      400,
      'trace id must be a version 7 UUID',
    ]);
    expect(await search('traces', { project_name })).to.deep.equal([]);
  });

  it('are streamed behind a cursor without a hole, and an unknown project is empty or absent', async () => {
    const project_name = freshName('project');
    const ids = Array.from({ length: 450 }, () => v7())
      .sort()
      .reverse();
    await accept('POST', 'traces/batch', {
      traces: ids.map((id) => ({ id, project_name, start_time })),
    });
    const seen: unknown[] = [];
    for (let after: unknown = null; ; after = seen.at(-1)) {
      const page = await search('traces', {
        project_name: ` ${project_name.toUpperCase()} `,
        ...{ project_id: null, filters: null, exclude: null },
        ...{ limit: 200, last_retrieved_id: after },
      });
      seen.push(...page.map((row) => row['id']));
      if (page.length < 200) break;
    }

    expect(seen).to.deep.equal(ids);
    expect(await search('traces', { project_name: freshName() })).to.deep.equal([]);
    expect((await ask('POST', 'traces/search', { project_id: v7() })).status).to.equal(404);
    expect((await ask('POST', 'traces/search', {})).status).to.equal(400);
    expect((await ask('POST', 'spans/search', { project_name, limit: 2001 })).status).to.equal(422);
  });

  it('cut long members where they are asked to, and give them whole by the id', async () => {
    const [id, project_name] = [v7(), freshName('project')];
    const input = { text: 'é'.repeat(20_000) };
    await accept('POST', 'traces', { id, project_name, start_time, input }, 201);

    const [cut] = await search('traces', { project_name });
    expect(cut?.['input']).to.equal(JSON.stringify(input).slice(0, 10_001));
    expect(await search('traces', { project_name, truncate: false })).to.have.nested.property(
      '0.input.text',
      input.text,
    );
    expect((await read(`traces/${id}`))['input']).to.deep.equal(input);
  });

  it('are gone with their trace, and stay where an id is of nothing', async () => {
    const [id, spanId, project_name] = [v7(), v7(), freshName('project')];
    await accept('POST', 'traces', { id, project_name, start_time }, 201);
    await accept('POST', 'spans', { id: spanId, trace_id: id, project_name, start_time }, 201);
    await accept('POST', 'traces/delete', { ids: [v7(), id] });

    expect((await ask('GET', `traces/${id}`)).status).to.equal(404);
    expect((await ask('GET', `spans/${spanId}`)).status).to.equal(404);
    expect((await ask('POST', 'traces/delete', { ids: [] })).status).to.equal(422);
  });

  it('are scored before or after they come, by several authors, with values as they were sent', async () => {
    const [id, spanId, project_name] = [v7(), v7(), freshName('project')];
    const score = { name: 'quality', value: 0.1, source: 'sdk', project_name };
    await accept('PUT', 'traces/feedback-scores', { scores: [{ ...score, id }] });
    await accept('POST', 'traces/batch', { traces: [{ id, project_name, start_time }] });
    await accept('POST', 'spans', { id: spanId, trace_id: id, project_name, start_time }, 201);
    await accept('PUT', `spans/${spanId}/feedback-scores`, {
      ...{ name: 'speed', value: -3.5, source: 'ui', reason: 'slow', category_name: 'bad' },
    });

    const trace = await read(`traces/${id}`);
    expect(trace).to.have.nested.property('feedback_scores[0].value', 0.1);
    expect(trace).to.deep.nested.include({
      'span_feedback_scores[0].name': 'speed',
      'span_feedback_scores[0].value': -3.5,
    });
    expect(await read(`spans/${spanId}`)).to.deep.nested.include({
      'feedback_scores[0].reason': 'slow',
      'feedback_scores[0].category_name': 'bad',
      'feedback_scores[0].source': 'ui',
    });
    expect(await read('traces/feedback-scores/names')).to.deep.nested.include({
      'scores[0].name': 'quality',
    });
    await accept('POST', `traces/${id}/feedback-scores/delete`, { name: 'quality' });
    await accept('POST', `traces/${v7()}/feedback-scores/delete`, { name: 'quality' });
    expect(await read(`traces/${id}`)).not.to.have.property('feedback_scores');
    const absent = await ask('PUT', `traces/${v7()}/feedback-scores`, { ...score });
    expect(absent.status).to.equal(404);
  });

  it('lose no score of a batch to one that is not a number', async () => {
    const [id, other, project_name] = [v7(), v7(), freshName('project')];
    for (const one of [id, other])
      await accept('POST', 'traces', { id: one, project_name, start_time }, 201);
    const reply = await fetch(`${server.url}/v1/private/traces/feedback-scores`, {
      method: 'PUT',
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
      body: `{"scores":[{"id":"${id}","name":"a","value":NaN,"source":"sdk","project_name":"${project_name}"},{"id":"${other}","name":"a","value":2,"source":"sdk","project_name":"${project_name}"}]}`,
    });
    expect(reply.status).to.equal(204);
    expect(await read(`traces/${other}`)).to.have.nested.property('feedback_scores[0].value', 2);
    const most = { id, name: 'a', value: 1e9, source: 'sdk', project_name };
    expect((await ask('PUT', 'traces/feedback-scores', { scores: [most] })).status).to.equal(422);
    const odd = { ...most, value: 1, source: 'nobody' };
    expect((await ask('PUT', 'traces/feedback-scores', { scores: [odd] })).status).to.equal(400);
  });

  it('are commented on, as spans and threads are, and a comment is found only under what it is about', async () => {
    const [traceId, spanId, project_name, thread_id] = [v7(), v7(), freshName('project'), 'talk'];
    await accept('POST', 'traces', { id: traceId, project_name, start_time, thread_id }, 201);
    await accept('POST', 'spans', { id: spanId, project_name, start_time, trace_id: traceId }, 201);
    const findThread = async () =>
      JSON.parse(
        (await ask('POST', 'traces/threads/retrieve', { project_name, thread_id })).text,
      ) as Json;
    const threadId = String((await findThread())['thread_model_id']);
    for (const [kind, other, id] of [
      ['traces', 'spans', traceId],
      ['spans', 'traces', spanId],
      ['traces/threads', 'spans', threadId],
    ] as const) {
      const made = await ask('POST', `${kind}/${id}/comments`, { text: 'first' });
      expect(made.status).to.equal(201);
      const { id: commentId } = JSON.parse(made.text) as { id: string };
      await accept('PATCH', `${kind}/comments/${commentId}`, { text: 'second' });

      expect(await read(`${kind}/${id}/comments/${commentId}`)).to.include({ text: 'second' });
      const shown = id === threadId ? await findThread() : await read(`${kind}/${id}`);
      expect(shown).to.have.nested.property('comments[0].text', 'second');
      expect((await ask('GET', `${kind}/${v7()}/comments/${commentId}`)).status).to.equal(404);
      expect((await ask('GET', `${other}/${id}/comments/${commentId}`)).status).to.equal(404);
      await accept('POST', `${kind}/comments/delete`, { ids: [commentId, v7()] });
      expect((await ask('GET', `${kind}/${id}/comments/${commentId}`)).status).to.equal(404);
    }
  });

  it('are filtered, sorted, paged, excluded and counted', async () => {
    const project_name = freshName('project');
    const rows = ['b', 'a', 'c'].map((name, n) => ({
      ...{ id: v7(), project_name, start_time, name, tags: [`t${n}`] },
      metadata: { n, deep: { list: [n] } },
    }));
    await accept('POST', 'traces/batch', { traces: rows });
    const page = async (query: Readonly<Record<string, string>>) => {
      const found = await read(`traces?${new URLSearchParams({ project_name, ...query })}`);
      return (found['content'] as readonly Json[]).map((row) => row['name']);
    };
    const by = (field: string, operator: string, value: string, key = '') =>
      page({ filters: JSON.stringify([{ field, operator, value, key, type: 'x' }]) });

    expect(await page({ sorting: '[{"field":"name","direction":"ASC"}]' })).to.deep.equal([
      'a',
      'b',
      'c',
    ]);
    const spans = rows.map(({ id: trace_id }, n) => ({
      ...{ id: v7(), trace_id, project_name, start_time, name: rows[n]?.name },
      usage: { total_tokens: [2, 10, 9][n] },
    }));
    await accept('POST', 'spans/batch', { spans });
    for (const kind of ['traces', 'spans'])
      for (const field of ['usage', 'usage.total_tokens']) {
        const sorting = JSON.stringify([{ field, direction: 'DESC' }]);
        const found = await read(`${kind}?${new URLSearchParams({ project_name, sorting })}`);
        const names = (found['content'] as readonly Json[]).map((row) => row['name']);
        expect([kind, field, names]).to.deep.equal([kind, field, ['a', 'c', 'b']]);
      }
    expect(await page({ size: '2', page: '2' })).to.deep.equal(['b']);
    expect(await page({ page: '7' })).to.deep.equal([]);
    expect(await by('tags', 'contains', 'T1')).to.deep.equal(['a']);
    expect(await by('metadata', '>', '0', 'deep.list[0]')).to.deep.equal(['c', 'a']);
    expect(await by('custom', '=', '2', 'metadata.n')).to.deep.equal(['c']);
    const [{ ...shown }] = (
      await read(`traces?${new URLSearchParams({ project_name, exclude: '["name","metadata"]' })}`)
    )['content'] as [Json];
    expect(shown).not.to.have.any.keys('name', 'metadata');
    for (const odd of [
      { filters: '[{"field":"nope","operator":"=","value":"x"}]' },
      { sorting: '[{"field":"nope","direction":"ASC"}]' },
      { exclude: '{}' },
      { exclude: '["nope"]' },
      { page: '0' },
      { from_time: '2026-05-02T00:00:00Z', to_time: '2026-05-01T00:00:00Z' },
    ]) {
      const query = new URLSearchParams({ project_name, ...odd });
      expect((await ask('GET', `traces?${query}`)).status, `${query}`).to.equal(400);
    }
    for (const path of ['spans', 'spans/stats']) {
      const query = new URLSearchParams({ project_name, type: 'nope' });
      expect((await ask('GET', `${path}?${query}`)).status).to.equal(400);
    }
    const { stats } = await read(`traces/stats?${new URLSearchParams({ project_name })}`);
    expect((stats as readonly Json[])[0]).to.deep.equal({
      ...{ name: 'trace_count', type: 'COUNT', value: 3 },
    });
    expect(await read(`traces/exists?${new URLSearchParams({ project_name })}`)).to.deep.equal({
      exists: true,
    });
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await page({ from_time: soon })).to.deep.equal([]);
    expect(await page({ to_time: soon })).to.have.length(3);
  });

  it('change together, their tags replaced or united', async () => {
    const project_name = freshName('project');
    const ids = [v7(), v7()];
    await accept('POST', 'traces/batch', {
      traces: ids.map((id) => ({ id, project_name, start_time, tags: ['old'] })),
    });
    const tagsOf = async () => (await read(`traces/${ids[1]}`))['tags'];
    await accept('PATCH', 'traces/batch', {
      ...{ ids: [...ids, v7()], update: { tags: ['new'], name: 'n' }, merge_tags: true },
    });
    expect(await tagsOf()).to.deep.equal(['old', 'new']);
    await accept('PATCH', 'traces/batch', { ids, update: { tags: ['only'] } });
    expect(await tagsOf()).to.deep.equal(['only']);
    expect(await read(`traces/${ids[0]}`)).to.include({ name: 'n' });
  });

  it('cost what their client says, else what the list of prices has', async () => {
    const [trace_id, project_name] = [v7(), freshName('project')];
    const llm = {
      ...{ trace_id, project_name, start_time, type: 'llm', provider: 'OpenAI' },
      ...{
        model: 'gpt-4o-mini-2024-07-18',
        usage: { prompt_tokens: 1000, completion_tokens: 500 },
      },
    };
    const spans = [
      { ...llm, id: v7() },
      { ...llm, id: v7(), total_estimated_cost: 0.25 },
      { ...llm, id: v7(), model: 'unknown' },
    ];
    await accept('POST', 'spans/batch', { spans });
    await accept('POST', 'traces', { id: trace_id, project_name, start_time }, 201);

    const priced = await read(`spans/${spans[0]?.id}`);
    expect(priced['total_estimated_cost']).to.equal(0.00045);
    expect(priced['total_estimated_cost_version']).to.match(/^orrery/);
    expect(await read(`spans/${spans[1]?.id}`)).to.include({
      ...{ total_estimated_cost: 0.25, total_estimated_cost_version: '' },
    });
    expect(await read(`spans/${spans[2]?.id}`)).not.to.have.property('total_estimated_cost');
    expect(await read(`traces/${trace_id}`)).to.include({ total_estimated_cost: 0.25045 });
  });

  it('belong to threads that close, reopen with a trace, are tagged, scored and removed', async () => {
    const project_name = freshName('project');
    const thread_id = 'talk 1';
    const named = { project_name, thread_id };
    const add = (n: number) =>
      accept(
        'POST',
        'traces',
        { id: v7(), ...named, start_time, end_time, input: { n }, output: { n } },
        201,
      );
    await add(1);
    const retrieve = async (): Promise<Json> => {
      const { status, text } = await ask('POST', 'traces/threads/retrieve', named);
      expect(status, text).to.equal(200);
      return JSON.parse(text) as Json;
    };
    const score = { ...named, name: 'good', value: 1, source: 'sdk' };
    await accept('PUT', 'traces/threads/feedback-scores', { scores: [score] });
    const thread = await retrieve();
    expect(thread).to.deep.include({ id: thread_id, status: 'active', number_of_messages: 2 });
    expect(thread).to.deep.include({ first_message: { n: 1 }, duration: 1500 });
    expect(thread).to.have.nested.property('feedback_scores[0].value', 1);

    await accept('PUT', 'traces/threads/close', { project_name, thread_ids: [thread_id] });
    expect(await retrieve()).to.include({ status: 'inactive' });
    const missing = await ask('PUT', 'traces/threads/close', { project_name, thread_id: 'none' });
    expect(missing.status).to.equal(404);
    await add(2);
    expect(await retrieve()).to.deep.include({ status: 'active', number_of_messages: 4 });
    await accept('PATCH', `traces/threads/${thread['thread_model_id']}`, { tags: ['x'] });
    const filters = [{ field: 'tags', operator: 'contains', value: 'x' }];
    expect(await search('traces/threads', { project_name, filters })).to.have.length(1);
    const modelId = thread['thread_model_id'];
    const update = { tags: ['y'] };
    await accept('PATCH', 'traces/threads/batch', { ids: [modelId], update, merge_tags: true });
    expect((await retrieve())['tags']).to.deep.equal(['x', 'y']);
    const names = { thread_id, names: ['good'] };
    expect((await ask('POST', 'traces/threads/feedback-scores/delete', names)).status).to.equal(
      422,
    );
    await accept('POST', 'traces/threads/feedback-scores/delete', { project_name, ...names });
    expect((await retrieve())['feedback_scores'] ?? []).to.deep.equal([]);
    await accept('PUT', 'traces/threads/close', named);
    await accept('PUT', 'traces/threads/open', named);
    expect(await retrieve()).to.include({ status: 'active' });
    const stats = await read(`traces/threads/stats?${new URLSearchParams({ project_name })}`);
    expect(stats).to.deep.nested.include({ 'stats[0].value': 1 });

    expect((await ask('POST', 'traces/threads/delete', { thread_ids: ['x'] })).status).to.equal(
      422,
    );
    await accept('POST', 'traces/threads/delete', { project_name, thread_ids: [thread_id] });
    expect((await ask('POST', 'traces/threads/retrieve', named)).status).to.equal(404);
    expect(await search('traces', { project_name })).to.deep.equal([]);
  });

  it('show what guardrails found, and keep assertions that come as scores out of the scores', async () => {
    const [id, other, spanId, project_name] = [v7(), v7(), v7(), freshName('project')];
    for (const one of [id, other])
      await accept('POST', 'traces', { id: one, project_name, start_time }, 201);
    const guardrail = {
      ...{ entity_id: id, secondary_id: spanId, project_name, config: {}, details: {} },
      ...{ name: 'PII', result: 'failed' },
    };
    await accept('POST', 'guardrails', { guardrails: [guardrail] });
    const assertion = { name: 'is polite', value: 1, source: 'sdk', project_name };
    await accept('PUT', 'traces/feedback-scores', {
      scores: [{ ...assertion, id, category_name: 'suite_assertion' }],
    });

    const shown = await read(`traces/${id}`);
    expect(shown['guardrails_validations']).to.deep.equal([
      { span_id: spanId, checks: [{ name: 'PII', result: 'failed' }] },
    ]);
    expect(shown).not.to.have.property('feedback_scores');
    const filters = [{ field: 'guardrails', operator: '=', value: 'failed' }];
    const found = await search('traces', { project_name, filters });
    expect(found.map((row) => row['id'])).to.deep.equal([id]);
  });

  it('follow what the workspace has settled, which is put, read, refused and forgotten', async () => {
    const path = 'workspaces/configurations';
    expect((await ask('GET', path)).status).to.equal(404);
    const put = await ask('PUT', path, {
      ...{ timeout_to_mark_thread_as_inactive: 'PT90M', color_map: { a: '#fff' } },
      truncation_on_tables: null,
    });
    const settled = { timeout_to_mark_thread_as_inactive: 'PT1H30M', color_map: { a: '#fff' } };
    expect([put.status, JSON.parse(put.text)]).to.deep.equal([200, settled]);
    expect(await read(path)).to.deep.equal(settled);
    const long = { timeout_to_mark_thread_as_inactive: 'P8D' };
    expect((await ask('PUT', path, long)).status).to.equal(422);
    expect(await read(path)).to.include({ timeout_to_mark_thread_as_inactive: 'PT1H30M' });
    expect((await ask('DELETE', path)).status).to.equal(204);
    expect((await ask('DELETE', path)).status).to.equal(404);
    const flags = await read('toggles');
    for (const built of [
      'alerts',
      'spanLlmAsJudge',
      'datasetExport',
      'datasetVersioning',
      'agentInsights',
    ])
      expect(flags[`${built}Enabled`], built).to.equal(true);
    for (const other of ['pythonEvaluator', 'spanUserDefinedMetricPython', 'opikAI', 'ollie'])
      expect(flags[`${other}Enabled`], other).to.equal(false);
  });

  it('say where what was made is to be found', async () => {
    const reply = await fetch(`${server.url}/api/v1/private/traces`, {
      method: 'POST',
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ start_time }),
    });
    const address = reply.headers.get('Location') ?? '';
    expect(address).to.match(/^http.*\/v1\/private\/traces\/[0-9a-f-]{36}$/);
    const found = await fetch(address, { headers: { Authorization: server.apiKey } });
    expect(found.status).to.equal(200);
  });

  it('are asked for by SDKs that wait, without a key', async () => {
    const alive = await fetch(`${server.url}/opik/api/is-alive/ping`);
    const version = await fetch(`${server.url}/api/is-alive/ver`);

    expect(await alive.json()).to.deep.equal({ message: 'Healthy Server', healthy: true });
    const [major = 0, minor = 0, patch = 0] = (
      (await version.json()) as { version: string }
    ).version
      .split('.')
      .map(Number);
    expect(major * 1e6 + minor * 1e3 + patch).to.be.at.least(2_002_008); // below it, one SDK sends items one after another
  });
});
