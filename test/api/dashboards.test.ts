import { expect } from 'chai';
import { v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it

describe('dashboards', () => {
  const { ask, read, send, refusal, server } = privateClient();

  for (const [path, scope] of [
    ['dashboards', 'workspace'],
    ['insights-views', 'insights'],
  ] as const)
    it(`at ${path} are made, changed and deleted, in the scope ${scope}`, async () => {
      const name = freshName('Größe & Kosten');
      const config = { version: 4, sections: [{ id: 's', widgets: [] }], big: 1.5 };
      const reply = await ask('POST', path, { name, config, description: 'd' });
      expect(reply.status).to.equal(201);
      const made = JSON.parse(reply.text) as Json;
      const id = String(made['id']);
      expect(reply.location).to.match(new RegExp(`/v1/private/${path}/${id}$`));
      expect(made).to.deep.include({
        name,
        config,
        description: 'd',
        scope,
        type: 'multi_project',
      });
      expect(made['slug']).to.equal(name.toLowerCase().replace('größe & ', 'gro-e-'));
      expect(made).not.to.have.property('project_id');
      expect(await read(`${path}/${id}`)).to.deep.equal(made);
      const other = path === 'dashboards' ? 'insights-views' : 'dashboards';
      expect((await refusal('GET', `${other}/${id}`))[0]).to.equal(404);

      const renamed = await send(
        'PATCH',
        `${path}/${id}`,
        { name: 'Costs', description: null, type: 'experiments' },
        200,
      );
      expect(renamed).to.deep.include({ name: 'Costs', description: 'd', config });
      expect(renamed['slug']).to.match(/^costs(-2)?$/);
      const changed = await send('PATCH', `${path}/${id}`, { config: { a: [1] } }, 200);
      expect(changed).to.deep.include({ type: 'experiments', config: { a: [1] } });
      expect((await refusal('POST', path, { name: 'Costs', config: {} }))[0]).to.equal(409);
      const second = await send('POST', path, { name: freshName(), config: {} }, 201);
      const secondPath = `${path}/${String(second['id'])}`;
      expect((await refusal('PATCH', secondPath, { name: 'Costs' }))[0]).to.equal(409);

      await send('DELETE', `${path}/${id}`, undefined);
      await send('DELETE', `${path}/${id}`, undefined);
      expect((await refusal('GET', `${path}/${id}`))[0]).to.equal(404);
      expect((await refusal('PATCH', `${path}/${id}`, { name: 'x' }))[0]).to.equal(404);
      await send('POST', `${path}/delete-batch`, { ids: [second['id'], id, v7()] });
      expect((await refusal('GET', secondPath))[0]).to.equal(404);
    });

  it('of a project are listed with it, and go with it', async () => {
    const project_name = freshName('project');
    const make = (name: string, of: Json) =>
      send('POST', 'dashboards', { name, config: {}, ...of }, 201);
    const first = await make('One', { project_name });
    const { project_id } = first;
    const second = await make('two', { project_id, project_name: 'another', type: 'experiments' });
    await make(freshName('elsewhere'), {});
    const list = async (query: Readonly<Record<string, string>>) => {
      const page = await read(
        `dashboards?${new URLSearchParams({ project_id: String(project_id), ...query }).toString()}`,
      );
      expect(page['sortable_by']).to.include('created_at');
      return rowsOf(page).map(({ name }) => name);
    };

    expect(await list({})).to.deep.equal(['two', 'One']);
    expect(rowsOf(await read(`projects/${String(project_id)}/dashboards`))).to.deep.equal([
      second,
      first,
    ]);
    expect(await list({ size: '1', page: '2' })).to.deep.equal(['One']);
    expect(await list({ name: 'ON' })).to.deep.equal(['One']);
    const sorting = JSON.stringify([{ field: 'created_at', direction: 'asc' }]);
    expect(await list({ sorting })).to.deep.equal(['One', 'two']);
    for (const [filter, found] of [
      [{ field: 'type', operator: '=', value: 'experiments' }, ['two']],
      [{ field: 'scope', operator: '=', value: 'insights' }, []],
      [{ field: 'name', operator: 'starts_with', value: 'on' }, ['One']],
      [{ field: 'id', operator: '=', value: first['id'] }, ['One']],
      [{ field: 'created_at', operator: '>', value: '2020-01-01T00:00:00Z' }, ['two', 'One']],
    ] as const)
      expect(await list({ filters: JSON.stringify([filter]) })).to.deep.equal(found);
    for (const query of [
      'page=0',
      `sorting=${encodeURIComponent('[{"field":"slug"}]')}`,
      `filters=${encodeURIComponent('[{"field":"slug","operator":"=","value":"a"}]')}`,
    ])
      expect((await refusal('GET', `dashboards?${query}`))[0], query).to.equal(400);
    expect((await refusal('GET', `dashboards?project_id=${v7()}`))[0]).to.equal(404);

    await send('DELETE', `projects/${String(project_id)}`, undefined);
    expect((await refusal('GET', `dashboards?project_id=${String(project_id)}`))[0]).to.equal(404);
  });

  it('are refused for what cannot be', async () => {
    const widget = (query: Json) => ({
      sections: [{ widgets: [{ type: 'ollie_chart', config: { query } }] }],
    });
    for (const [status, body] of [
      [422, { name: ' ', config: {} }],
      [422, { name: 'n'.repeat(121), config: {} }],
      [422, { name: 'a', config: null }],
      [422, { name: 'a' }],
      [422, { name: 'a', config: {}, description: 'd'.repeat(1001) }],
      [422, { name: 'a', config: widget({ sql: ' ' }) }],
      [422, { name: 'a', config: widget({ sql: 's'.repeat(65_537) }) }],
      [422, { name: 'a', config: widget({ sql: 'select 1', projectId: 'x' }) }],
      [400, { name: 'a', config: [] }],
      [400, { name: 'a', config: 'text' }],
      [400, { name: 'a', config: {}, type: 'other' }],
      [404, { name: 'a', config: {}, project_id: v7() }],
    ] as const)
      expect(
        (await refusal('POST', 'dashboards', body))[0],
        JSON.stringify(body).slice(0, 99),
      ).to.equal(status);
    expect((await refusal('POST', 'dashboards/delete-batch', { ids: [] }))[0]).to.equal(422);
    const fine = widget({ sql: 'select 1', projectId: v7() });
    await send('POST', 'dashboards', { name: freshName(), config: fine }, 201);
  });

  const widget = (id: string, query: Json, type = 'ollie_chart'): Json => ({
    ...{ id, type, config: { query } },
  });
  const make = async (path: string, widgets: readonly Json[], more: Json = {}): Promise<string> => {
    const config = { sections: [{ id: 'empty' }, { id: 's', widgets }] };
    return String((await send('POST', path, { name: freshName(), config, ...more }, 201))['id']);
  };
  const save = async (body: Json): Promise<string> => {
    const reply = await fetch(`${server().url}/api/v1/internal/dashboard-saved-queries`, {
      method: 'POST',
      headers: { Authorization: server().apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return ((await reply.json()) as { readonly id: string }).id; // as the row has it
  };
  const projectWith = async (names: readonly string[]) => {
    const project_name = freshName('project');
    const traces = names.map((name, at) => ({
      ...{ id: v7(), name, project_name, start_time: `2026-03-0${at + 1}T00:00:00Z` },
    }));
    await send('POST', 'traces/batch', { traces });
    const { id } = await send('POST', 'projects/retrieve', { name: project_name }, 200);
    return String(id);
  };
  const named = 'SELECT toJSONString(name) AS result FROM traces';

  for (const path of ['dashboards', 'insights-views'])
    it(`at ${path} answer the queries of their widgets, saved ones too, of the projects that they are about`, async () => {
      const [one, other] = [await projectWith(['a', 'b', 'c']), await projectWith(['x'])];
      const savedQueryId = await save({ sql: `${named} ORDER BY name`, project_id: one });
      const within = `${named} WHERE start_time >= {{window_start}} AND start_time < {{window_end}} ORDER BY name`;
      const widgets = [
        widget('saved', { savedQueryId }),
        widget('own', { sql: within, projectId: one }),
        widget('other', { sql: named, projectId: other }),
        widget('bare', { sql: `${named} ORDER BY name` }),
        widget('broken', { sql: 'SELECT 1' }),
        widget('unknown', { savedQueryId: v7() }),
        widget('elsewhere', { sql: named, projectId: v7() }),
        widget('none', {}),
        widget('text', { sql: named }, 'text_markdown'),
      ];
      const ofAll = await make(path, widgets);
      const ofOne = await make(path, widgets, { project_id: one });
      const ask = async (id: string, widgetId: string, body: Json = {}) =>
        (await send('POST', `${path}/${id}/widgets/${widgetId}/query`, body, 200))['results'];

      for (const id of [ofAll, ofOne]) {
        expect(await ask(id, 'saved')).to.deep.equal(['a', 'b', 'c']);
        expect(await ask(id, 'own')).to.deep.equal(['a', 'b', 'c']);
        const second = {
          interval_start: '2026-03-02T00:00:00Z',
          interval_end: '2026-03-03T00:00:00.000000Z',
        };
        expect(await ask(id, 'own', second)).to.deep.equal(['b']);
      }
      expect(await ask(ofAll, 'other')).to.deep.equal(['x']);
      expect(await ask(ofAll, 'bare')).to.include.members(['a', 'b', 'c', 'x']);
      expect(await ask(ofOne, 'bare')).to.deep.equal(['a', 'b', 'c']);
      const refused = async (id: string, widgetId: string, body: Json = {}) =>
        (await refusal('POST', `${path}/${id}/widgets/${widgetId}/query`, body))[0];
      for (const id of ['unknown', 'elsewhere', 'none', 'text', 'no-such-widget'])
        expect(await refused(ofAll, id), id).to.equal(404);
      expect(await refused(ofOne, 'other')).to.equal(404);
      expect(await refused(v7(), 'saved')).to.equal(404);
      expect(await refused(ofAll, 'broken')).to.equal(400);
      for (const [interval_start, interval_end] of [
        ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'],
        ['1800-01-01T00:00:00Z', '2026-03-01T00:00:00Z'],
        ['2026-03-02T00:00:00Z', '2300-01-01T00:00:00Z'],
        ['yesterday', '2026-03-01T00:00:00Z'],
      ])
        expect(
          await refused(ofAll, 'own', { interval_start, interval_end }),
          interval_start,
        ).to.equal(400);
      expect(
        (await ask(ofAll, 'own', { interval_start: '2026-03-03T00:00:00Z' })) as unknown,
      ).to.deep.equal(['c']);
    });

  it('with 24 widgets of saved queries are answered soon once the engine is warm', async () => {
    const projectId = await projectWith(Array.from({ length: 9 }, (_, at) => `trace ${at}`));
    const sql = 'SELECT toJSONString(count()) AS result FROM traces';
    const ids = await Promise.all(
      Array.from({ length: 24 }, () => save({ sql, project_id: projectId })),
    );
    const id = await make(
      'dashboards',
      ids.map((savedQueryId, at) => widget(`w${at}`, { savedQueryId })),
    );
    const all = () =>
      Promise.all(
        ids.map((_, at) => send('POST', `dashboards/${id}/widgets/w${at}/query`, {}, 200)),
      );
    await all();
    const started = performance.now();

    const answers = await all();

    const tookMs = performance.now() - started;
    expect(answers.every(({ results }) => JSON.stringify(results) === '[9]')).to.equal(true);
    expect(tookMs).to.be.below(5000); // far above what it takes, so that a busy machine does not fail it
  });
});
