// What the private wire promises of evaluations, which it calls experiments.
import { expect } from 'chai';
import { v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it
const start_time = '2026-05-01T10:00:00.000000Z';

describe('evaluations', () => {
  const { ask, read, send, lines, refusal } = privateClient();

  /** A dataset of three items and an evaluation of it. */
  const open = async (more: Json = {}) => {
    const [datasetId, dataset_name, id] = [v7(), freshName('dataset'), v7()];
    const name = freshName('experiment');
    const itemIds = [v7(), v7(), v7()];
    await send('POST', 'datasets', { id: datasetId, name: dataset_name }, 201);
    await send('PUT', 'datasets/items', {
      dataset_id: datasetId,
      batch_group_id: v7(),
      items: itemIds.map((item, n) => ({
        id: item,
        source: 'sdk',
        data: { n, city: `Town ${n}` },
        description: `item ${n}`,
      })),
    });
    await send('POST', 'experiments', { id, name, dataset_name, ...more }, 201);
    return { datasetId, dataset_name, id, name, itemIds };
  };
  /** Stores runs of an evaluation as SDKs do: the item first, then the trace. */
  const run = async (
    experiment_id: string,
    project_name: string,
    runs: readonly { readonly itemId: string; readonly ms: number }[],
  ) => {
    const traceIds = runs.map(() => v7());
    await send('POST', 'experiments/items', {
      experiment_items: runs.map(({ itemId }, at) => ({
        id: v7(),
        experiment_id,
        dataset_item_id: itemId,
        trace_id: traceIds[at],
        project_name,
        execution_policy: { runs_per_item: 2, pass_threshold: 1 },
      })),
    });
    await send('POST', 'traces/batch', {
      traces: runs.map(({ itemId, ms }, at) => ({
        id: traceIds[at],
        project_name,
        name: 'evaluation_task',
        start_time,
        end_time: new Date(Date.parse(start_time) + ms).toISOString(),
        input: { id: itemId },
        output: { answer: 'x'.repeat(at === 0 ? 20_000 : 1) },
        metadata: { at },
      })),
    });
    return traceIds;
  };

  it('add up what is known of their traces, whenever that comes', async () => {
    const project_name = freshName('project');
    const { id, datasetId, dataset_name, name, itemIds } = await open({
      project_name,
      metadata: { _opik_resume: '{"a": 1}', z: [null, 0.1] },
      tags: ['a'],
    });
    const [a = '', b = ''] = itemIds;
    const traceIds = await run(id, project_name, [
      { itemId: a, ms: 100 },
      { itemId: a, ms: 300 },
      { itemId: b, ms: 200 },
    ]);
    await send('POST', 'spans/batch', {
      spans: [
        {
          id: v7(),
          trace_id: traceIds[0],
          project_name,
          start_time,
          usage: { total_tokens: 9 },
          total_estimated_cost: 0.5,
        },
      ],
    });
    const result = (at: number, assertion: string, status: string) => ({
      entity_id: traceIds[at],
      project_name,
      name: assertion,
      status,
      source: 'sdk',
      reason: 'because',
    });
    await send('PUT', 'assertion-results', {
      entity_type: 'TRACE',
      assertion_results: [
        result(0, 'polite', 'failed'),
        result(1, 'polite', 'passed'),
        result(2, 'polite', 'failed'),
        result(2, 'short', 'passed'),
      ],
    });

    const shown = await read(`experiments/${id}`);
    expect(shown).to.deep.include({
      name,
      dataset_name,
      dataset_id: datasetId,
      project_name,
      type: 'regular',
      evaluation_method: 'dataset',
      metadata: { _opik_resume: '{"a": 1}', z: [null, 0.1] },
      tags: ['a'],
      trace_count: 3,
      dataset_item_count: 2,
      duration: { p50: 200, p90: 280, p99: 298 },
      total_estimated_cost: 0.5,
      total_estimated_cost_avg: 0.5,
      usage: { total_tokens: 9 },
      pass_rate: 0.5,
      passed_count: 1,
      total_count: 2,
    });
    expect(shown['dataset_version_summary']).to.include({ version_name: 'v1' });
    const listed = rowsOf(await read(`experiments?datasetId=${datasetId}&page=1&size=100`));
    expect(listed).to.deep.equal([shown]);
    expect(rowsOf(await read(`experiments?datasetId=${datasetId}&page=2&size=100`))).to.deep.equal(
      [],
    );
    const compared = await read(
      `datasets/${datasetId}/items/experiments/items?experiment_ids=${encodeURIComponent(JSON.stringify([id]))}`,
    );
    expect((await read(`traces/${traceIds[2]}`))['experiment']).to.deep.equal({
      ...{ id, name, dataset_id: datasetId, dataset_item_id: b },
    });
    const ofItems = `datasets/${datasetId}/items/experiments/items`;
    const chosen = `experiment_ids=${encodeURIComponent(JSON.stringify([id]))}`;
    const { stats } = await read(`${ofItems}/stats?${chosen}`);
    const entries = (stats as readonly Json[]).map(({ name: of, type, value }) => [
      of,
      type,
      value,
    ]); // as the wire has it
    expect(entries).to.deep.include.members([
      ['experiment_items_count', 'COUNT', 3],
      ['trace_count', 'COUNT', 3],
      ['total_estimated_cost', 'AVG', 0.5],
      ['total_estimated_cost', 'PERCENTAGE', { p50: 0.5, p90: 0.5, p99: 0.5 }],
      ['duration', 'PERCENTAGE', { p50: 200, p90: 280, p99: 298 }],
      ['usage.total_tokens', 'AVG', 9],
      ['usage.total_tokens', 'PERCENTAGE', { p50: 9, p90: 9, p99: 9 }],
    ]);
    const columns = [
      {
        ...{ name: 'answer', types: ['string'] },
        ...{ filter_field_prefix: 'output', filterField: 'output.answer' },
      },
    ];
    expect(await read(`${ofItems}/output/columns?${chosen}`)).to.deep.equal({ columns });
    expect(await read(`${ofItems}/output/columns`)).to.deep.equal({ columns });
    expect(compared).to.include({ total: 2, size: 2 });
    const [second, first] = rowsOf(compared);
    expect([first?.['id'], second?.['id']]).to.deep.equal([a, b]);
    expect(first?.['run_summaries_by_experiment']).to.deep.equal({
      [id]: { passed_runs: 1, total_runs: 2, status: 'passed' },
    });
    expect(second?.['run_summaries_by_experiment']).to.deep.equal({
      [id]: { passed_runs: 0, total_runs: 1, status: 'failed' },
    });
    const [only] = second?.['experiment_items'] as readonly Json[]; // as the page has it
    expect(only).to.deep.include({
      experiment_id: id,
      dataset_item_id: b,
      trace_id: traceIds[2],
      input: { id: b },
      output: { answer: 'x' },
      trace_metadata: { at: 2 },
      duration: 200,
      status: 'failed',
      description: 'item 1',
      project_name,
      execution_policy: { runs_per_item: 2, pass_threshold: 1 },
      assertion_results: [
        { value: 'polite', passed: false, reason: 'because' },
        { value: 'short', passed: true, reason: 'because' },
      ],
    });
  });

  it('give their items as a stream that ends, with long values cut unless told not to', async () => {
    const { id, name, itemIds } = await open();
    const runs = await run(id, freshName('project'), [
      { itemId: itemIds[0] ?? '', ms: 1 },
      { itemId: itemIds[1] ?? '', ms: 1 },
    ]);
    const stream = (more: Json = {}) =>
      lines('experiments/items/stream', { experiment_name: name.toUpperCase(), ...more });
    const all = await stream({ limit: 2000, truncate: false });

    expect(all.map((one) => one['trace_id'])).to.deep.equal([...runs].reverse());
    expect((all[1]?.['output'] as { answer: string }).answer).to.have.lengthOf(20_000); // as it was sent
    expect((await stream({}))[1]?.['output'])
      .to.be.a('string')
      .with.lengthOf(10_001);
    const [first] = await stream({ limit: 1 });
    expect(first?.['id']).to.equal(all[0]?.['id']);
    const rest = await stream({ limit: 1, last_retrieved_id: first?.['id'] });
    expect(rest.map((one) => one['id'])).to.deep.equal([all[1]?.['id']]);
    expect(await stream({ last_retrieved_id: rest[0]?.['id'] })).to.deep.equal([]);
    expect(await stream({ project_name: freshName('none') })).to.deep.equal([]);
    const item = await read(`experiments/items/${String(first?.['id'])}`);
    expect(item).to.include({ experiment_id: id, trace_id: runs[1] });
    await send('POST', 'experiments/items/delete', { ids: [first?.['id'], v7()] });
    expect((await stream()).length).to.equal(1);
  });

  it('of a name are not mixed with those whose names hold it', async () => {
    const name = freshName('e');
    const one = await open({ name });
    const ten = await open({ name: `${name}0` });
    await run(ten.id, freshName('project'), [{ itemId: ten.itemIds[0] ?? '', ms: 1 }]);
    const stream = async (asked: string, more: Json = {}) =>
      (await lines('experiments/stream', { name: asked, ...more })).map((found) => found['id']);

    expect(await stream(name.toUpperCase())).to.deep.equal([one.id]);
    expect(await stream(name.slice(0, -1))).to.deep.equal([ten.id, one.id]);
    expect(await stream(name.slice(0, -1), { limit: 1 })).to.deep.equal([ten.id]);
    expect(await stream(name, { project_name: freshName('none') })).to.deep.equal([]);
    expect(await lines('experiments/items/stream', { experiment_name: name })).to.deep.equal([]);
  });

  it('are made once, named when they have no name, changed, finished and deleted', async () => {
    const { id, name, dataset_name } = await open({ name: null });
    const shown = await read(`experiments/${id}`);
    expect(shown['name']).to.be.a('string').and.not.equal('');
    await send('POST', 'experiments', { id, name, dataset_name }, 201);
    expect((await read(`experiments/${id}`))['name']).to.equal(shown['name']);
    await send('PATCH', `experiments/${id}`, {
      name: 'new',
      metadata: { k: 1 },
      ...{ tags: ['in vain'], tags_to_add: ['x'] },
      experiment_scores: [{ name: 'Acc', value: 0.1 }],
      status: null,
    });
    await send('POST', 'experiments/finish', { ids: [id, v7()] });
    const changed = await read(`experiments/${id}`);

    expect(changed).to.deep.include({
      name: 'new',
      metadata: { k: 1 },
      tags: ['x'],
      status: 'completed',
      experiment_scores: [{ name: 'Acc', value: 0.1 }],
    });
    expect(changed['finished_at']).to.be.a('string');
    await send('PUT', 'experiments/cancel', { ids: [id] });
    await send('PATCH', 'experiments/batch', {
      ids: [id],
      update: { tags: ['y'] },
      merge_tags: true,
    });
    expect(await read(`experiments/${id}`)).to.deep.include({
      status: 'cancelled',
      tags: ['x', 'y'],
    });
    expect((await refusal('PATCH', `experiments/${v7()}`, { name: 'x' }))[0]).to.equal(404);
    expect(
      (await refusal('POST', 'experiments', { dataset_name, prompt_version: { id: v7() } }))[0],
    ).to.equal(409);
    await send('POST', 'experiments/delete', { ids: [id] });
    expect((await refusal('GET', `experiments/${id}`))[0]).to.equal(404);
    expect(await lines('experiments/items/stream', { experiment_name: 'new' })).to.deep.equal([]);
  });

  it('come whole in one request, which may be sent again', async () => {
    const [experiment_id, experiment_name] = [v7(), freshName('bulk')];
    const { datasetId, dataset_name, itemIds } = await open();
    const [traceId, project_name] = [v7(), freshName('project')];
    const items = [
      {
        dataset_item_id: itemIds[0],
        evaluate_task_result: { answer: 1 },
        feedback_scores: [
          { name: 'Acc', value: 0.1, source: 'sdk' },
          { name: 'Came as NaN', value: null, source: 'sdk' },
        ],
      },
      {
        dataset_item_id: itemIds[1],
        trace: { id: traceId, start_time, end_time: start_time, output: 'text' },
        spans: [{ start_time, name: 'part', type: 'llm', usage: { total_tokens: 3 } }],
        feedback_scores: [{ name: 'Acc', value: 0.3, source: 'sdk', reason: 'why' }],
      },
    ];
    const body = { experiment_id, experiment_name, dataset_name, project_name, items };
    await Promise.all([1, 2, 3].map(() => send('PUT', 'experiments/items/bulk', body)));

    await send('PATCH', `experiments/${experiment_id}`, {
      experiment_scores: [
        { name: 'f1', value: 0.5 },
        { name: 'Came as NaN', value: null },
      ],
    });
    expect(await read(`experiments/${experiment_id}`)).to.deep.include({
      name: experiment_name,
      dataset_id: datasetId,
      trace_count: 2,
      usage: { total_tokens: 3 },
      feedback_scores: [{ name: 'Acc', value: 0.2 }],
      experiment_scores: [{ name: 'f1', value: 0.5 }],
    });
    const rows = await lines('experiments/items/stream', { experiment_name });
    expect(rows).to.have.lengthOf(2);
    expect(rows.find((one) => one['trace_id'] === traceId)).to.deep.include({ output: 'text' });
    expect(
      (rows.find((one) => one['trace_id'] === traceId)?.['feedback_scores'] as readonly Json[])[0], // as the wire has it
    ).to.include({ name: 'Acc', value: 0.3, reason: 'why' });
    expect(
      await read(
        'experiments/feedback-scores/names?experiment_ids=' +
          encodeURIComponent(JSON.stringify([experiment_id])),
      ),
    ).to.deep.equal({
      scores: [{ name: 'Acc' }],
    });
    const other = freshName('dataset');
    for (const [status, more] of [
      [409, { dataset_name: other }],
      [409, { experiment_name: other }],
      [400, { items: [{ ...items[1], evaluate_task_result: 1 }] }],
      [400, { items: [{ ...items[1], evaluate_task_result: null }] }],
      [400, { items: [{ ...items[0], trace: null }] }],
      [422, { items: [] }],
      [
        422,
        {
          items: [{ ...items[0], feedback_scores: Array(101).fill(items[0]?.feedback_scores[0]) }],
        },
      ],
    ] as const)
      expect((await refusal('PUT', 'experiments/items/bulk', { ...body, ...more }))[0]).to.equal(
        status,
      );
  });

  it('of a project are listed below it, as are its datasets, prompts and optimizations', async () => {
    const project_name = freshName('project');
    const dataset_name = freshName('dataset');
    const put = async (path: string, body: Json): Promise<string> => {
      const { status, text, location } = await ask('POST', path, { project_name, ...body });
      expect(status, text).to.equal(201);
      return location?.split('/').at(-1) ?? '';
    };
    const made = {
      datasets: await put('datasets', { name: dataset_name }),
      experiments: await put('experiments', { name: 'e', dataset_name }),
      prompts: await put('prompts', { name: freshName('prompt') }),
      optimizations: await put('optimizations', {
        ...{ dataset_name, objective_name: 'o', status: 'running' },
      }),
    };
    const elsewhere = freshName('project');
    await put('experiments', { name: 'e', dataset_name, project_name: elsewhere });
    const { id } = await send('POST', 'projects/retrieve', { name: project_name }, 200);

    for (const [path, only] of Object.entries(made)) {
      const { content, total } = await read(`projects/${String(id)}/${path}`);
      expect([total, (content as readonly Json[]).map((one) => one['id'])], path).to.deep.equal([
        1,
        [only],
      ]);
      expect((await refusal('GET', `projects/${v7()}/${path}`))[0]).to.equal(404);
    }
  });

  it('are grouped by dataset, tags and metadata, with what they add up to', async () => {
    const name = freshName('grouped');
    const first = await open({ name, tags: ['x', 'y'], metadata: { model: { id: 'm' } } });
    await send(
      'POST',
      'experiments',
      {
        id: v7(),
        name,
        dataset_name: first.dataset_name,
        tags: ['y'],
        experiment_scores: [{ name: 'acc', value: 0.5 }],
      },
      201,
    );
    await run(first.id, freshName('project'), [{ itemId: first.itemIds[0] ?? '', ms: 10 }]);
    const groups = encodeURIComponent(
      JSON.stringify([
        { field: 'dataset_id', type: 'string' },
        { field: 'tags', type: 'list' },
        { field: 'metadata', key: 'model.id', type: 'dictionary' },
      ]),
    );
    const plain = await read(`experiments/groups?name=${name}&groups=${groups}`);

    expect(plain['content']).to.deep.equal({
      [first.datasetId]: {
        label: first.dataset_name,
        groups: {
          x: { label: 'x', groups: { m: { label: 'm' } } },
          y: { label: 'y', groups: { '': { label: '' }, m: { label: 'm' } } },
        },
      },
    });
    expect(plain['details']).to.deep.equal({
      groups_details: [
        { group_sorting: [first.datasetId] },
        { group_sorting: ['x', 'y'] },
        { group_sorting: ['m', ''] },
      ],
    });
    const summed = await read(`experiments/groups/aggregations?name=${name}&groups=${groups}`);
    const of = (summed['content'] as Readonly<Record<string, Json>>)[first.datasetId]; // as it was asked for
    expect(of?.['aggregations']).to.deep.include({
      experiment_count: 2,
      trace_count: 1,
      duration: { p50: 10, p90: 10, p99: 10 },
      experiment_scores: [{ name: 'acc', value: 0.5 }],
    });
    for (const bad of ['', '[]', '[{"field":"other"}]', '[{"field":"metadata"}]'])
      expect(
        (await refusal('GET', `experiments/groups?groups=${encodeURIComponent(bad)}`))[0],
      ).to.equal(400);
  });

  it('outlive their dataset, without its name', async () => {
    const { id, datasetId, dataset_name } = await open();
    await send('POST', 'datasets/delete', { dataset_name });

    expect(await read(`experiments/${id}`)).not.to.have.property('dataset_name');
    const orphans = rowsOf(await read('experiments?dataset_deleted=true&size=100'));
    expect(orphans.map((one) => one['id'])).to.include(id);
    expect((await refusal('GET', `datasets/${datasetId}/items/experiments/items`))[0]).to.equal(
      404,
    );
  });

  it('refuse items without ids of version 7, and comparing nothing', async () => {
    const { datasetId, id } = await open();
    const item = { experiment_id: id, dataset_item_id: v7(), trace_id: v7() };

    for (const [status, body] of [
      [422, { experiment_items: [] }],
      [400, { experiment_items: [{ ...item, trace_id: 'x' }] }],
      [422, { experiment_items: [{ experiment_id: id }] }],
      [422, { experiment_items: [{ ...item, trace_id: null }] }],
    ] as const)
      expect((await refusal('POST', 'experiments/items', body))[0]).to.equal(status);
    await send('POST', 'experiments/items', { experiment_items: [item, { ...item }] });
    expect((await read(`experiments/${id}`))['trace_count']).to.equal(1);
    const path = `datasets/${datasetId}/items/experiments/items`;
    for (const query of ['', '?experiment_ids=[]', '?experiment_ids=x', `?experiment_ids=["x"]`])
      for (const of of [path, `${path}/stats`])
        expect((await refusal('GET', of + query))[0], of + query).to.equal(400);
    expect((await refusal('GET', `experiments?types=["other"]`))[0]).to.equal(400);
    const bad = { entity_type: 'THREAD', assertion_results: [] };
    expect((await refusal('PUT', 'assertion-results', bad))[0]).to.equal(422);
  });
});
