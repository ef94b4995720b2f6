// What the private wire promises of datasets, their items and versions.
import { expect } from 'chai';
import { v4, v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it

describe('datasets', () => {
  const { ask, read, send, lines, refusal } = privateClient();
  const item = (n: number, more: Json = {}): Json => ({
    id: v7(),
    source: 'sdk',
    data: { n, city: 'Rome' },
    ...more,
  });
  const put = (body: Json) => send('PUT', 'datasets/items', body);
  const open = async (more: Json = {}) => {
    const [id, name] = [v7(), freshName('dataset')];
    await send('POST', 'datasets', { id, name, ...more }, 201);
    return { id, name };
  };
  const stream = (dataset_name: string, more: Json = {}) =>
    lines('datasets/items/stream', { dataset_name, ...more });
  const versions = async (id: string) => rowsOf(await read(`datasets/${id}/versions`));

  it('are made in a project or in the workspace, and found by their name', async () => {
    const project_name = freshName('project');
    const { id, name } = await open({ project_name, tags: ['a'], type: 'test_suite' });
    const plain = await open();
    const retrieve = (dataset_name: string, project?: string) =>
      send('POST', 'datasets/retrieve', { dataset_name, project_name: project ?? null }, 200);

    expect(await retrieve(name, ` ${project_name.toUpperCase()} `)).to.deep.include({
      id,
      name,
      type: 'evaluation_suite',
      tags: ['a'],
      dataset_items_count: 0,
    });
    expect((await retrieve(name))['id']).to.equal(id);
    expect((await retrieve(plain.name, project_name))['id']).to.equal(plain.id);
    for (const body of [
      { dataset_name: name, project_name: freshName('other') },
      { dataset_name: freshName('none') },
    ])
      expect(await refusal('POST', 'datasets/retrieve', body)).to.deep.equal([
        404,
        'Dataset not found',
      ]);
    for (const body of [
      { name, project_name },
      { id: plain.id, name: freshName('x') },
    ])
      expect(await refusal('POST', 'datasets', body)).to.deep.equal([
        409,
        'Dataset already exists',
      ]);
    expect((await refusal('POST', 'datasets', { id: v4(), name: 'x' }))[0]).to.equal(400);
    expect((await refusal('POST', 'datasets', { name: ' ' }))[0]).to.equal(422);
  });

  it('are listed, changed and deleted, by name too', async () => {
    const word = freshName('word');
    const [a, b, c] = [
      await open({ name: `${word}-a`, description: 'first' }),
      await open({ name: `${word}-b` }),
      await open({ name: `${word}-c` }),
    ];
    const list = async (query = '') =>
      rowsOf(await read(`datasets?name=${word}${query}`)).map((one) => one['id']);

    expect(await list()).to.deep.equal([c.id, b.id, a.id]);
    expect(await list('&page=2&size=2')).to.deep.equal([a.id]);
    expect(await list('&page=3&size=2')).to.deep.equal([]);
    const sorting = encodeURIComponent(JSON.stringify([{ field: 'name', direction: 'asc' }]));
    expect(await list(`&sorting=${sorting}`)).to.deep.equal([a.id, b.id, c.id]);
    const filters = encodeURIComponent(
      JSON.stringify([{ field: 'description', operator: 'contains', value: 'FIR', key: '' }]),
    );
    expect(await list(`&filters=${filters}`)).to.deep.equal([a.id]);
    expect(await list('&with_experiments_only=true')).to.deep.equal([]);
    await send('PUT', `datasets/${a.id}`, { name: `${word}-z`, description: null, tags: ['t'] });
    expect(await read(`datasets/${a.id}`)).to.deep.include({
      name: `${word}-z`,
      description: 'first',
      tags: ['t'],
    });
    expect(await refusal('PUT', `datasets/${a.id}`, { name: `${word}-b` })).to.deep.equal([
      409,
      'Dataset already exists',
    ]);
    await send('POST', 'datasets/delete', { dataset_name: `${word}-z` });
    await send('POST', 'datasets/delete', { dataset_name: `${word}-z` });
    await send('POST', 'datasets/delete-batch', { ids: [b.id, v7()] });
    expect((await ask('DELETE', `datasets/${c.id}`)).status).to.equal(204);
    expect((await ask('DELETE', `datasets/${c.id}`)).status).to.equal(204);
    expect(await list()).to.deep.equal([]);
    expect((await refusal('GET', `datasets/${c.id}`))[0]).to.equal(404);
  });

  it('make one version of eight requests at once, and give every item once', async () => {
    const { id, name } = await open();
    const batch_group_id = v7();
    const all = Array.from({ length: 3000 }, (_, n) => item(n));
    const parts = Array.from({ length: 8 }, (_, n) => all.filter((__, at) => at % 8 === n));
    await Promise.all(parts.map((items) => put({ dataset_name: name, items, batch_group_id })));

    const [version, ...others] = await versions(id);
    expect(others).to.deep.equal([]);
    expect(version).to.deep.include({
      version_name: 'v1',
      items_total: 3000,
      items_added: 3000,
      is_latest: true,
      tags: ['latest'],
    });
    expect((await read(`datasets/${id}`))['dataset_items_count']).to.equal(3000);
    const hash = String(version?.['version_hash']);
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) =>
        read(`datasets/${id}/items?page=${page}&size=1000&version=${hash}`),
      ),
    );
    const wanted = all
      .map((one) => one['id'])
      .sort()
      .reverse();
    expect(pages.map((one) => one['total'])).to.deep.equal([3000, 3000, 3000, 3000]);
    expect(pages.flatMap(rowsOf).map((one) => one['id'])).to.deep.equal(wanted);
    expect(pages[0]?.['columns']).to.deep.equal([
      { name: 'city', types: ['string'], filter_field_prefix: 'data', filterField: 'data.city' },
      { name: 'n', types: ['number'], filter_field_prefix: 'data', filterField: 'data.n' },
    ]);
    const first = await stream(name, { steam_limit: 2000 });
    const rest = await stream(name, {
      steam_limit: 2000,
      last_retrieved_id: first.at(-1)?.['id'],
    });
    expect([...first, ...rest].map((one) => one['id'])).to.deep.equal(wanted);
    expect((await stream(name, { steam_limit: 1 })).length).to.equal(1);
  });

  it('keep versions as they were while items are put, changed and deleted', async () => {
    const { id, name } = await open();
    const [a, b] = [item(1, { description: 'one', tags: ['x'] }), item(2)];
    await put({ dataset_id: id, items: [a, b], batch_group_id: v7() });
    await put({
      dataset_id: id,
      items: [{ ...a, data: { n: 10 } }, item(3)],
      batch_group_id: v7(),
    });
    await send('POST', 'datasets/items/delete', { item_ids: [b['id']], batch_group_id: v7() });
    const numbers = async (ref?: string) =>
      (await stream(name, ref === undefined ? {} : { dataset_version: ref }))
        .map((one) => (one['data'] as { readonly n: number }).n)
        .sort((x, y) => x - y);
    const [third, second, first] = await versions(id);

    expect(await numbers()).to.deep.equal([3, 10]);
    expect(await numbers(String(first?.['version_hash']))).to.deep.equal([1, 2]);
    expect(await numbers(String(second?.['version_hash']))).to.deep.equal([2, 3, 10]);
    expect(
      [second, third].map((one) => [
        one?.['items_total'],
        one?.['items_added'],
        one?.['items_modified'],
        one?.['items_deleted'],
      ]),
    ).to.deep.equal([
      [3, 1, 1, 0],
      [2, 0, 0, 1],
    ]);
    expect(
      await send('POST', `datasets/${id}/versions/retrieve`, { version_name: 'v1' }, 200),
    ).to.include({ version_hash: first?.['version_hash'], is_latest: false });
    for (const [version_name, status] of [
      ['v999', 404],
      ['latest', 422],
      ['v', 422],
      ['1', 422],
    ] as const)
      expect(
        (await refusal('POST', `datasets/${id}/versions/retrieve`, { version_name }))[0],
      ).to.equal(status);
    await send('POST', `datasets/${id}/versions/restore`, { version_ref: 'latest' }, 200);
    expect((await versions(id)).length).to.equal(3);
    await send(
      'POST',
      `datasets/${id}/versions/restore`,
      { version_ref: first?.['version_hash'] },
      200,
    );
    expect(await numbers()).to.deep.equal([1, 2]);
    const diff = await read(
      `datasets/${id}/versions/diff?from=${String(second?.['version_hash'])}&to=latest`,
    );
    expect(diff['statistics']).to.deep.equal({
      itemsAdded: 0,
      itemsModified: 1,
      itemsDeleted: 1,
      itemsUnchanged: 1,
    });
    const unnamed = await read(`datasets/${id}/versions/diff`);
    const [newest, before] = await versions(id);
    expect([unnamed['from_version'], unnamed['to_version']]).to.deep.equal([
      before?.['version_hash'],
      newest?.['version_hash'],
    ]);
  });

  it('take changes of the newest version alone, unless told to override', async () => {
    const { id } = await open({ type: 'evaluation_suite' });
    const path = `datasets/${id}/items/changes`;
    const a = item(1);
    const evaluators = [{ name: 'judge', type: 'llm_judge', config: { z: [null] } }];
    const first = await send(
      'POST',
      `${path}?override=true`,
      { evaluators, execution_policy: { runs_per_item: 2, pass_threshold: 1 } },
      201,
    );
    expect(first).to.deep.include({ version_name: 'v1', evaluators, items_total: 0 });
    const second = await send(
      'POST',
      path,
      { base_version: first['id'], added_items: [a], tags: ['good'], change_description: 'more' },
      201,
    );
    expect(second).to.deep.include({
      evaluators,
      execution_policy: { runs_per_item: 2, pass_threshold: 1 },
      tags: ['latest', 'good'],
      change_description: 'more',
    });
    expect((await refusal('POST', path, { base_version: first['id'] }))[0]).to.equal(409);
    const third = await send(
      'POST',
      `${path}?override=true`,
      {
        base_version: first['id'],
        edited_items: [{ id: a['id'], description: 'edited' }],
        clear_execution_policy: true,
      },
      201,
    );
    expect(third).to.include({ items_modified: 1 }).and.not.to.have.property('execution_policy');
    expect(await read(`datasets/items/${String(a['id'])}`)).to.deep.include({
      description: 'edited',
      data: a['data'],
      dataset_id: id,
    });
    const missing = { edited_items: [{ id: v7(), description: 'x' }] };
    expect((await refusal('POST', `${path}?override=true`, missing))[0]).to.equal(404);
    expect((await versions(id)).length).to.equal(3);
  });

  it('give versions tags, of which latest is always on the newest', async () => {
    const { id } = await open();
    await put({ dataset_id: id, items: [item(1)], batch_group_id: v7() });
    await put({ dataset_id: id, items: [item(2)], batch_group_id: v7() });
    const [newest, oldest] = await versions(id);
    const at = (version: Json | undefined) =>
      `datasets/${id}/versions/hash/${String(version?.['version_hash'])}`;
    await send('POST', `${at(oldest)}/tags`, { tag: 'good' });

    for (const version of [oldest, newest]) {
      expect((await refusal('POST', `${at(version)}/tags`, { tag: 'good' }))[0]).to.equal(409);
      expect((await refusal('PATCH', at(version), { tags_to_add: ['good'] }))[0]).to.equal(409);
    }
    expect((await refusal('POST', `${at(newest)}/tags`, { tag: 'latest' }))[0]).to.equal(400);
    expect((await refusal('POST', `${at(newest)}/tags`, { tag: 'a'.repeat(101) }))[0]).to.equal(
      422,
    );
    expect((await read(`datasets/${id}/items?version=good`))['total']).to.equal(1);
    expect(
      await send('PATCH', at(newest), { change_description: 'why', tags_to_add: ['b'] }, 200),
    ).to.deep.include({ change_description: 'why', tags: ['latest', 'b'] });
    const untag = `datasets/${id}/versions/${String(oldest?.['version_hash'])}/tags`;
    expect((await ask('DELETE', `${untag}/good`)).status).to.equal(204);
    expect((await ask('DELETE', `${untag}/latest`)).status).to.equal(400);
    expect((await refusal('GET', `datasets/${id}/items?version=good`))[0]).to.equal(404);
  });

  it('change items by ids or by what filters choose', async () => {
    const { id } = await open();
    const [a, b, c] = [item(1, { tags: ['x'] }), item(2), item(3)];
    await put({ dataset_id: id, items: [a, b, c] });
    await send('PATCH', 'datasets/items/batch', {
      ids: [a['id'], b['id'], v7()],
      update: { tags: ['y'], description: 'both' },
      merge_tags: true,
    });
    const filters = [{ field: 'data', key: 'n', operator: '>', value: '2' }];
    for (const tags_to_add of [['t'.repeat(101)], Array.from({ length: 101 }, () => 't')])
      expect(
        await refusal('PATCH', 'datasets/items/batch', {
          ...{ ids: [a['id']], update: { tags_to_add } },
        }),
      ).to.deep.equal([422, 'tags_to_add takes at most 100 tags of at most 100 characters']);
    await send('PATCH', 'datasets/items/batch', {
      dataset_id: id,
      filters,
      update: { data: { n: 30 }, execution_policy: { runs_per_item: 3 } },
    });
    await send('PATCH', `datasets/items/${String(b['id'])}`, { source: null, data: { n: 20 } });
    const shown = await read(`datasets/${id}/items`);

    expect(
      rowsOf(shown).map((one) => [one['data'], one['tags'], one['description']]),
    ).to.deep.equal([
      [{ n: 30 }, undefined, undefined],
      [{ n: 20 }, ['y'], 'both'],
      [a['data'], ['x', 'y'], 'both'],
    ]);
    // Each of the three made a version; what was before stays as it was.
    expect(
      (await versions(id)).map((one) => [one?.['items_total'], one?.['items_modified']]),
    ).to.deep.equal([
      [3, 1],
      [3, 1],
      [3, 2],
      [3, 0],
    ]);
    const { id: elsewhere } = await open();
    const far = item(1);
    await put({ dataset_id: elsewhere, items: [far] });
    const both = [a['id'], far['id']];
    for (const [method, path, body] of [
      ['PATCH', 'datasets/items/batch', { ids: both, update: { tags: ['z'] } }],
      ['POST', 'datasets/items/delete', { item_ids: both }],
    ] as const)
      expect((await refusal(method, path, body))[0], path).to.equal(400);
    expect(await read(`datasets/${elsewhere}/items`)).to.include({ total: 1 });
    const found = encodeURIComponent(JSON.stringify(filters));
    expect(await read(`datasets/${id}/items?filters=${found}`)).to.include({ total: 2 });
    await send('POST', 'datasets/items/delete', { dataset_id: id, filters: [] });
    expect(await read(`datasets/${id}/items`)).to.include({ total: 0, size: 0 });
    for (const body of [{}, { item_ids: [v7()], dataset_id: id }])
      expect((await refusal('POST', 'datasets/items/delete', body))[0]).to.equal(400);
  });

  it('take in traces and spans, with what is asked for', async () => {
    const { id } = await open();
    const [traceId, spanId, project_name] = [v7(), v7(), freshName('project')];
    const start_time = '2026-05-01T10:00:00.000000Z';
    const said = { project_name, start_time, input: { q: 'why?' }, output: 'because' };
    await send('POST', 'traces/batch', {
      traces: [{ ...said, id: traceId, tags: ['a'], metadata: { m: 1 } }],
    });
    await send('POST', 'spans/batch', {
      spans: [{ ...said, id: spanId, trace_id: traceId, name: 'part', usage: { total_tokens: 3 } }],
    });
    await send('PUT', 'traces/feedback-scores', {
      scores: [{ id: traceId, project_name, name: 'acc', value: 1, source: 'sdk' }],
    });
    await send('POST', `datasets/${id}/items/from-traces`, {
      trace_ids: [traceId, v7()],
      enrichment_options: {
        includeSpans: true,
        includeTags: true,
        includeFeedbackScores: true,
        includeUsage: true,
        includeMetadata: true,
      },
      execution_policy: { runs_per_item: 2 },
    });
    await send('POST', `datasets/${id}/items/from-spans`, {
      span_ids: [spanId],
      enrichment_options: {},
    });
    const [fromSpan, fromTrace, ...others] = rowsOf(await read(`datasets/${id}/items`));

    expect(others).to.deep.equal([]);
    expect(fromSpan).to.deep.include({
      source: 'span',
      trace_id: traceId,
      span_id: spanId,
      data: { input: { q: 'why?' }, expected_output: 'because' },
    });
    expect(fromTrace).to.deep.include({
      source: 'trace',
      trace_id: traceId,
      execution_policy: { runs_per_item: 2 },
    });
    expect(fromTrace?.['data']).to.deep.include({
      input: { q: 'why?' },
      expected_output: 'because',
      tags: ['a'],
      metadata: { m: 1 },
      usage: { total_tokens: 3 },
    });
    const data = fromTrace?.['data'] as Readonly<Record<'spans' | 'feedback_scores', Json[]>>; // as it was asked for
    expect(data.spans[0]).to.deep.include({ name: 'part', output: 'because' });
    expect(data.feedback_scores[0]).to.include({ name: 'acc', value: 1 });
    expect(
      (await refusal('POST', `datasets/${id}/items/from-traces`, { trace_ids: [] }))[0],
    ).to.equal(422);
  });

  it('take in fields of traces and spans by the paths that are asked for', async () => {
    const { id } = await open();
    const suite = await open({ type: 'evaluation_suite' });
    const [traceId, spanId, project_name] = [v7(), v7(), freshName('project')];
    const said = {
      ...{ project_name, start_time: '2026-05-01T10:00:00.000000Z', name: 'ask' },
      ...{ input: { messages: [{ content: 'why?' }] }, output: { text: 'because' } },
    };
    await send('POST', 'traces/batch', { traces: [{ ...said, id: traceId, tags: ['a'] }] });
    await send('POST', 'spans/batch', {
      spans: [{ ...said, id: spanId, trace_id: traceId, model: 'gpt', usage: { total_tokens: 3 } }],
    });
    const field_mappings = {
      question: 'input.messages[0].content',
      expected_output: 'output.text',
      tags: 'name',
      whole: 'output',
      model: 'model',
      tokens: 'usage.total_tokens',
      nowhere: 'output.text.more',
    };
    const copy = (to: string, kind: 'trace' | 'span', mappings: unknown = field_mappings) => ({
      path: `datasets/${to}/items/from-${kind}s`,
      body: {
        ...{ [`${kind}_ids`]: [kind === 'trace' ? traceId : spanId], field_mappings: mappings },
        enrichment_options: { includeTags: true },
      },
    });
    for (const kind of ['trace', 'span'] as const) {
      const { path, body } = copy(id, kind);
      await send('POST', path, body);
    }
    const toSuite = copy(suite.id, 'trace');
    await send('POST', toSuite.path, toSuite.body);
    const [fromSpan, fromTrace] = rowsOf(await read(`datasets/${id}/items`));
    const [fromSuite] = rowsOf(await read(`datasets/${suite.id}/items`));

    const mapped = {
      ...{ input: said.input, expected_output: 'because', question: 'why?' },
      ...{ tags: 'ask', whole: said.output, tokens: 3 },
    };
    expect(fromSpan?.['data']).to.deep.equal({ ...mapped, model: 'gpt' });
    expect(fromTrace?.['data']).to.deep.equal({ ...mapped });
    expect(fromSuite?.['data']).to.deep.equal({
      ...{ input: said.input, expected_output: said.output, tags: ['a'] },
    });
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, 'input']));
    for (const mappings of [{ a: 'input[' }, { a: '' }, many]) {
      const { path, body } = copy(id, 'trace', mappings);
      expect((await refusal('POST', path, body))[0], JSON.stringify(mappings)).to.equal(422);
    }
  });

  it('keep the ids of items that are copied from another one, and each its own', async () => {
    const [one, other] = [await open(), await open()];
    const a = item(1);
    await put({ dataset_id: one.id, items: [a] });

    await put({ dataset_id: other.id, items: [{ ...a, data: { n: 2 } }] });

    const dataOf = async (id: string) =>
      rowsOf(await read(`datasets/${id}/items`)).map((row) => [row['id'], row['data']]);
    expect(await dataOf(one.id)).to.deep.equal([[a['id'], a['data']]]);
    expect(await dataOf(other.id)).to.deep.equal([[a['id'], { n: 2 }]]);
    expect((await read(`datasets/items/${String(a['id'])}`))['dataset_id']).to.equal(other.id);
  });

  it('take over a version of another one, in place of what they have', async () => {
    const [one, other] = [await open(), await open()];
    const [a, b, c] = [item(1), item(2), item(3)];
    await put({ dataset_id: one.id, items: [a, b], batch_group_id: v7() });
    await put({ dataset_id: one.id, items: [{ ...a, data: { n: 7 } }], batch_group_id: v7() });
    await put({ dataset_id: other.id, items: [a, c] });
    const [, first] = await versions(one.id);
    const [base] = await versions(other.id);
    const copying = {
      base_version: base?.['id'],
      copy_from_dataset_id: one.id,
      copy_from_version_id: first?.['id'],
    };

    expect(
      (
        await refusal('POST', `datasets/${other.id}/items/changes`, {
          ...copying,
          copy_from_version_id: undefined,
        })
      )[0],
    ).to.equal(400);
    await send('POST', `datasets/${other.id}/items/changes`, copying, 201);

    const rows = rowsOf(await read(`datasets/${other.id}/items`));
    expect(rows.map((row) => [row['id'], row['data']])).to.have.deep.members([
      [a['id'], a['data']],
      [b['id'], b['data']],
    ]);
  });

  it('refuse items that say too little, or are too many', async () => {
    const one = await open();
    await put({ dataset_id: one.id, items: [item(1)] });
    const judge = { name: 'judge', type: 'llm_judge', config: {} };

    for (const [status, body] of [
      [404, { dataset_id: v7(), items: [item(1)] }],
      [422, { dataset_id: one.id, items: [] }],
      [422, { dataset_id: one.id, items: [item(1, { data: {} })] }],
      [422, { dataset_id: one.id, items: [item(1, { data: null })] }],
      [400, { dataset_id: one.id, items: [item(1, { data: 'text' })] }],
      [400, { dataset_id: one.id, items: [item(1)], batch_group_id: 'x' }],
      [400, { dataset_id: one.id, items: [item(1, { evaluators: [{ ...judge, type: 'x' }] })] }],
      [422, { dataset_id: one.id, items: [item(1, { evaluators: [{ ...judge, name: '' }] })] }],
      [422, { dataset_id: one.id, items: [item(1, { execution_policy: { runs_per_item: 0 } })] }],
      [422, { dataset_id: one.id, items: [item(1, { source: 'trace' })] }],
      [422, { dataset_id: one.id, items: Array.from({ length: 1001 }, () => item(1)) }],
      [422, { items: [item(1)] }],
      [400, { dataset_id: one.id, items: [item(1, { id: v4() })] }],
      [400, { dataset_id: one.id, items: [item(1, { source: 'elsewhere' })] }],
    ] as const)
      expect(
        (await refusal('PUT', 'datasets/items', body))[0],
        JSON.stringify(body).slice(0, 200),
      ).to.equal(status);
    expect((await read(`datasets/${one.id}/items`))['total']).to.equal(1);
    expect(await stream(freshName('nothing'))).to.deep.equal([]);
    const named = freshName('fresh');
    await put({ dataset_name: named, items: [item(5)], project_name: freshName('project') });
    expect((await stream(named)).length).to.equal(1);
  });
});
