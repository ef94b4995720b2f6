import { expect } from 'chai';
import { v4, v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const contentOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it
/** Who owns the server. */
const user = 'admin';
const start_time = '2026-05-01T10:00:00.123456Z';

describe('annotation queues', () => {
  const { ask, read, send, refusal, lines } = privateClient();
  const root = 'annotation-queues';

  const addTrace = async (project_name: string, more: Json = {}): Promise<string> => {
    const id = v7();
    await send('POST', 'traces', { id, project_name, start_time, ...more }, 201);
    return id;
  };
  const addProject = async (): Promise<readonly [id: string, name: string, traceId: string]> => {
    const name = freshName('project');
    const traceId = await addTrace(name, { thread_id: 'talk' });
    return [String((await read(`traces/${traceId}`))['project_id']), name, traceId];
  };
  const addQueue = async (project_id: string, more: Json = {}): Promise<string> => {
    const id = v7();
    await send('POST', root, { id, project_id, name: 'queue', scope: 'trace', ...more }, 201);
    return id;
  };
  const itemsOf = async (id: string, ids: readonly string[]) =>
    contentOf(await send('POST', `${root}/${id}/items/search`, { ids }, 200));
  const score = async (id: string, name: string, value: number) => {
    await send('PUT', `traces/${id}/feedback-scores`, { name, value, source: 'ui' });
  };
  const lock = (id: string, item: string) =>
    send('PUT', `${root}/${id}/items/${item}/lock`, {}, 200);

  it('are made with what they say, changed, listed and deleted', async () => {
    const [project_id, project_name] = await addProject();
    const view = { html: '<b>', n: [1, null] };
    const id = await addQueue(project_id, {
      ...{ name: 'Ümlaut', description: 'd', feedback_definition_names: ['a', 'a', 'b'] },
      ...{ annotator_view: view, comments_enabled: true, items_count: 7, reviewers: 'x' },
    });
    const shown = await read(`${root}/${id}`);

    expect(shown).to.deep.include({
      ...{ id, project_id, project_name, name: 'Ümlaut', description: 'd', scope: 'trace' },
      ...{ comments_enabled: true, feedback_definition_names: ['a', 'b'], annotator_view: view },
      ...{ annotators_per_item: 1, lock_timeout_seconds: 300, items_count: 0 },
      ...{ reviewers: [], feedback_scores: [], created_by: user },
    });
    expect(shown).not.to.have.property('automation');
    await send('PATCH', `${root}/${id}`, {
      ...{ name: null, description: null, instructions: 'i', annotators_per_item: 3 },
      ...{ scope: 'thread', feedback_definition_names: null },
    });
    expect(await read(`${root}/${id}`)).to.deep.include({
      ...{ name: 'Ümlaut', description: 'd', instructions: 'i', annotators_per_item: 3 },
      ...{ scope: 'trace', feedback_definition_names: ['a', 'b'] },
    });
    const second = await addQueue(project_id, { scope: 'thread' });
    const listed = async (query: string) =>
      contentOf(await read(`${root}?${query}`)).map((queue) => queue['id']);
    const filter = (field: string, value: string) =>
      `filters=${encodeURIComponent(JSON.stringify([{ field, type: 'string', operator: '=', key: '', value }]))}`;
    expect(await listed('name=%20%C3%BCML%20')).to.deep.equal([id]);
    expect(await listed(filter('project_id', project_id))).to.deep.equal([second, id]);
    expect(await listed(filter('scope', 'thread'))).to.deep.equal([second]);
    const sorting = encodeURIComponent(JSON.stringify([{ field: 'name', direction: 'DESC' }]));
    expect(await listed(`${filter('project_id', project_id)}&sorting=${sorting}`)).to.have.length(
      2,
    );
    const page = await read(`${root}?size=1&page=2&${filter('project_id', project_id)}`);
    expect(page).to.include({ page: 2, size: 1, total: 2 });
    expect(page['sortableBy']).to.deep.equal(page['sortable_by']);
    expect(
      (await refusal('GET', `${root}?sorting=${sorting.replace('name', 'scope')}`))[0],
    ).to.equal(400);
    await send('POST', `${root}/delete`, { ids: [id, second, v7()] });
    expect((await refusal('GET', `${root}/${id}`))[0]).to.equal(404);
  });

  it('are refused with the status that the specification lists', async () => {
    const [project_id] = await addProject();
    const sent = { project_id, name: 'queue', scope: 'trace' };
    const on = (groups: unknown, more: Json = {}) => ({
      ...sent,
      automation: { enabled: true, conditions: { groups }, ...more },
    });
    const condition = { score_name: 'a', operator: '>', value: 0.5 };
    const status = async (method: string, path: string, body: unknown) =>
      (await refusal(method, path, body))[0];

    for (const [expected, body] of [
      [422, { ...sent, name: ' ' }],
      [422, { ...sent, project_id: undefined }],
      [422, { ...sent, annotators_per_item: 0 }],
      [422, { ...sent, lock_timeout_seconds: 3601 }],
      [400, { ...sent, scope: 'span' }],
      [400, { ...sent, id: v4() }],
      [422, { ...sent, project_id: null }],
      [422, { ...sent, name: null }],
      [422, { ...sent, scope: null }],
      [404, { ...sent, project_id: v7() }],
      [400, { ...sent, project_id: v4() }],
      [400, { ...sent, project_id: 'x' }],
      [400, { ...sent, automation: { enabled: true } }],
      [400, on([])],
      [400, on(Array(6).fill({ conditions: [condition] }))],
      [400, on([{ conditions: [] }])],
      [400, on([{ conditions: [{ ...condition, score_name: ' ' }] }])],
      [400, on([{ conditions: [{ ...condition, operator: '>=' }] }])],
      [400, on([{ conditions: [condition] }], { max_items_in_queue: 0 })],
    ] as const)
      expect(await status('POST', root, body), JSON.stringify(body)).to.equal(expected);
    expect(
      await refusal('POST', `${root}/batch`, {
        annotation_queues: [{ ...sent, project_id: v4() }, sent],
      }),
    ).to.deep.equal([400, 'project id must be a version 7 UUID']);
    const id = await addQueue(project_id);
    for (const [expected, body] of [
      [400, { name: ' ' }],
      [400, { annotators_per_item: 1001 }],
      [400, { lock_timeout_seconds: 0 }],
      [400, { automation: { enabled: true } }],
    ] as const)
      expect(await status('PATCH', `${root}/${id}`, body)).to.equal(expected);
    // An empty object changes nothing; a request without one lost what it was to change.
    expect((await ask('PATCH', `${root}/${id}`, {})).status).to.equal(204);
    expect(await refusal('PATCH', `${root}/${id}`)).to.deep.equal([400, 'the body is required']);
    for (const [expected, ids] of [
      [422, []],
      [422, Array.from({ length: 1001 }, () => v7())],
      [400, [v4()]],
      [400, ['ffffffff-ffff-7fff-bfff-ffffffffffff']],
    ] as const)
      expect(await status('POST', `${root}/${id}/items/add`, { ids })).to.equal(expected);
    expect(await status('POST', `${root}/${v7()}/items/add`, { ids: [v7()] })).to.equal(404);
    expect(await status('PATCH', `${root}/${v7()}`, { name: 'a' })).to.equal(404);
  });

  it('are made again by a request that is sent again, and not by another one', async () => {
    const [project_id] = await addProject();
    const id = await addQueue(project_id);
    const sent = { id, project_id, name: 'queue', scope: 'trace' };

    await send('POST', root, sent, 201);
    expect((await refusal('POST', root, { ...sent, name: 'another' }))[0]).to.equal(409);
    const fresh = { ...sent, id: v7() };
    const batch = (...annotation_queues: readonly Json[]) =>
      refusal('POST', `${root}/batch`, { annotation_queues });
    expect((await batch(fresh, fresh))[0]).to.equal(400);
    expect((await batch(fresh, sent))[0]).to.equal(409);
    expect((await refusal('GET', `${root}/${fresh.id}`))[0]).to.equal(404);
    await send('POST', `${root}/batch`, { annotation_queues: [fresh, { ...sent, id: undefined }] });
    expect(await read(`${root}/${fresh.id}`)).to.include({ name: 'queue' });
  });

  it('hold traces and threads until they are taken out or deleted', async () => {
    const [project_id, project_name, traceId] = await addProject();
    const second = await addTrace(project_name);
    const id = await addQueue(project_id);
    const threads = await addQueue(project_id, { scope: 'thread' });
    const { thread_model_id: threadId } = await send(
      'POST',
      'traces/threads/retrieve',
      { project_id, thread_id: 'talk' },
      200,
    );
    await send('POST', `${root}/${id}/items/add`, { ids: [traceId, second, traceId] });
    await send('POST', `${root}/${threads}/items/add`, { ids: [threadId] });
    const filters = [{ field: 'annotation_queue_ids', operator: 'contains', key: '', value: id }];
    const found = async () =>
      (await lines('traces/search', { project_id, filters })).map((trace) => trace['id']);

    expect(await read(`${root}/${id}`)).to.include({ items_count: 2 });
    expect(await found()).to.deep.equal([second, traceId]);
    expect(
      contentOf(await read(`traces?project_id=${project_id}&annotation_queue_id=${id}`)),
    ).to.have.length(2);
    expect(
      contentOf(
        await read(`traces/threads?project_id=${project_id}&annotation_queue_id=${threads}`),
      ).map((thread) => thread['annotation_queues']),
    ).to.deep.equal([[{ id: threads, name: 'queue' }]]);
    expect((await read(`traces/${second}`))['annotation_queues']).to.deep.equal([
      { id, name: 'queue' },
    ]);
    expect(await itemsOf(id, [traceId, v7()])).to.deep.equal([{ id: traceId, source: 'manual' }]);
    await send('POST', `${root}/${id}/items/delete`, { ids: [second, v7()] });
    expect(await found()).to.deep.equal([traceId]);
    await send('POST', 'traces/delete', { ids: [traceId] });
    expect((await read(`${root}/${id}`))['items_count']).to.equal(0);
    expect((await read(`${root}/${threads}`))['items_count']).to.equal(0);
  });

  it('are added to by automation once scores match, but never what was taken out', async () => {
    const [project_id, project_name] = await addProject();
    const group = (score_name: string, operator: string, value: number) => ({
      conditions: [{ score_name, operator, value }],
    });
    const id = await addQueue(project_id, {
      automation: {
        enabled: true,
        conditions: { groups: [group('bad', '>', 0.5), group('odd', '=', 0.6)] },
        max_items_in_queue: 2,
      },
    });
    const traces = [
      await addTrace(project_name),
      await addTrace(project_name),
      await addTrace(project_name),
    ];
    const [first = '', second = '', third = ''] = traces;
    const sources = async () =>
      (await itemsOf(id, traces)).map((item) => [
        traces.indexOf(String(item['id'])),
        item['source'],
      ]);

    await score(first, 'bad', 0.5);
    expect(await sources()).to.deep.equal([]);
    await send('PUT', 'traces/feedback-scores', {
      scores: [
        { id: first, name: 'bad', value: 0.6, source: 'sdk', project_name },
        { id: second, name: 'odd', value: 0.6, source: 'sdk', project_name },
        { id: third, name: 'odd', value: 0.7, source: 'sdk', project_name },
      ],
    });
    expect(await sources()).to.deep.equal([
      [0, 'automated'],
      [1, 'automated'],
    ]);
    await score(third, 'bad', 1);
    expect(await sources()).to.have.length(2);
    await send('PATCH', `${root}/${id}`, { automation: { clear_max_items_in_queue: true } });
    await send('POST', `${root}/${id}/items/delete`, { ids: [first] });
    await score(first, 'bad', 0.9);
    await score(third, 'bad', 0.9);
    expect(await sources()).to.deep.equal([
      [1, 'automated'],
      [2, 'automated'],
    ]);
    await send('PATCH', `${root}/${id}`, { automation: { enabled: false } });
    expect((await read(`${root}/${id}`))['automation']).to.deep.equal({
      enabled: false,
      conditions: { groups: [group('bad', '>', 0.5), group('odd', '=', 0.6)] },
    });
    await send('POST', `${root}/${id}/items/add`, { ids: [first] });
    expect((await sources())[0]).to.deep.equal([0, 'manual']);
  });

  it('let an item be locked, extended and released, by scoring it too', async () => {
    const [project_id, , traceId] = await addProject();
    const id = await addQueue(project_id, { feedback_definition_names: ['quality'] });
    await send('POST', `${root}/${id}/items/add`, { ids: [traceId] });
    const locks = async (of = id) => (await read(`${root}/${of}/locks`))['locks'];

    const taken = await lock(id, traceId);
    expect(taken).to.include({ acquired: true, item_id: traceId, locked_by: user });
    expect(Date.parse(String(taken['expires_at']))).to.be.greaterThan(Date.now());
    const { expires_at } = await lock(id, traceId);
    expect(await locks()).to.deep.equal({
      [traceId]: { active_locks: 1, locked_by: [user], expires_at },
    });
    expect(await locks(v7())).to.deep.equal({});
    for (const _ of [1, 2]) {
      expect((await ask('DELETE', `${root}/${id}/items/${traceId}/lock`)).status).to.equal(204);
      expect(await locks()).to.deep.equal({});
    }
    expect(await lock(id, traceId)).to.include({ acquired: true });
    await score(traceId, 'quality', 1);
    expect(await locks()).to.deep.equal({});
    expect(await lock(id, traceId)).to.deep.equal({
      ...{ acquired: false, item_id: traceId, locked_by: user },
    });
    expect(await read(`${root}/${id}`)).to.deep.include({
      reviewers: [{ username: user, status: 1 }],
      feedback_scores: [{ name: 'quality', value: 1 }],
    });
    for (const path of [`${id}/items/${v7()}`, `${v7()}/items/${traceId}`, `${id}/items/x`])
      expect((await ask('PUT', `${root}/${path}/lock`)).status).to.equal(404);
  });

  it('keep the definitions of scores that they ask for from being deleted', async () => {
    const [project_id] = await addProject();
    const [definitionId, name] = [v7(), freshName('quality')];
    await send(
      'POST',
      'feedback-definitions',
      { id: definitionId, name, type: 'numerical', details: { min: 0, max: 1 } },
      201,
    );
    const id = await addQueue(project_id, { feedback_definition_names: [name] });

    expect((await refusal('DELETE', `feedback-definitions/${definitionId}`))[0]).to.equal(409);
    expect(
      (await refusal('POST', 'feedback-definitions/delete', { ids: [definitionId] }))[0],
    ).to.equal(409);
    await send('POST', `${root}/delete`, { ids: [id] });
    await send('DELETE', `feedback-definitions/${definitionId}`, undefined);
  });
});
