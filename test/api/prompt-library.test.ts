// What the private wire promises of prompts.
import { expect } from 'chai';
import { v4, v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it

describe('prompts of the library', () => {
  const { ask, read, send, refusal } = privateClient();
  const create = (name: string, version: Json, more: Json = {}) =>
    send('POST', 'prompts/versions', { name, version, ...more }, 200);
  const retrieve = (name: string, more: Json = {}) =>
    send(
      'POST',
      'prompts/versions/retrieve',
      { commit: null, environment: null, version_number: null, project_name: null, name, ...more },
      200,
    );

  it('get a version for each text, which comes back exactly', async () => {
    const name = freshName('prompt');
    const first = await create(name, {
      template: 'Hi {{ name }}, {{#items}}{{.}}{{/items}} {{{raw}}}',
      metadata: {},
      tags: ['x'],
    });
    const second = await create(name, {
      template: 'Hi',
      type: 'jinja2',
      change_description: 'why',
    });

    expect(first).to.deep.include({
      version_number: 'v1',
      template_structure: 'text',
      type: 'mustache',
      metadata: {},
      variables: ['name', 'items', 'raw'],
      environments: [],
      tags: ['x'],
    });
    expect(first['commit']).to.equal(String(first['id']).slice(-8));
    expect(second).to.deep.include({
      version_number: 'v2',
      change_description: 'why',
      variables: [],
    });
    expect(second).not.to.have.property('metadata');
    expect(await retrieve(name)).to.deep.equal(second);
    expect(await retrieve(name, { commit: first['commit'] })).to.deep.equal(first);
    expect(await retrieve(name, { version_number: 'v1' })).to.deep.equal(first);
    for (const more of [
      { commit: 'none' },
      { version_number: 'v3' },
      { commit: first['commit'], version_number: 'v2' },
      { environment: 'none' },
    ])
      expect((await refusal('POST', 'prompts/versions/retrieve', { name, ...more }))[0]).to.equal(
        404,
      );
    expect(
      await refusal('POST', 'prompts/versions/retrieve', { name: freshName('none') }),
    ).to.deep.equal([404, 'Prompt version not found']);
    const chat = { name, version: { template: '[]' }, template_structure: 'chat' };
    expect((await refusal('POST', 'prompts/versions', chat))[0]).to.equal(400);
    const short = { name, version: { template: 'x', commit: 'abc' } };
    expect((await refusal('POST', 'prompts/versions', short))[0]).to.equal(422);
    const ids = [first['id'], v7(), second['id']];
    expect(
      JSON.parse((await ask('POST', 'prompts/versions/retrieve-by-ids', { ids })).text),
    ).to.have.deep.members([first, second]);
    const taken = { name, version: { template: 'x', commit: first['commit'] } };
    expect((await refusal('POST', 'prompts/versions', taken))[0]).to.equal(409);
    const old = { name, version: { template: 'x', id: v4() } };
    expect((await refusal('POST', 'prompts/versions', old))[0]).to.equal(400);
    expect((await retrieve(name))['version_number']).to.equal('v2');
  });

  it('are found without their project, and in it first', async () => {
    const [name, project_name] = [freshName('prompt'), freshName('project')];
    const own = await create(name, { template: 'own' }, { project_name });

    expect(await retrieve(name)).to.deep.equal(own);
    expect(await retrieve(name, { project_name })).to.deep.equal(own);
    expect(
      (
        await refusal('POST', 'prompts/versions/retrieve', {
          name,
          project_name: freshName('other'),
        })
      )[0],
    ).to.equal(404);
    const shared = await create(name, { template: 'shared' });
    expect(await retrieve(name)).to.deep.equal(shared);
    expect(await retrieve(name, { project_name })).to.deep.equal(own);
    expect(await retrieve(name, { project_name: freshName('other') })).to.deep.equal(shared);
  });

  it('are made, listed, changed and deleted', async () => {
    const [id, name] = [v7(), freshName('prompt')];
    const made = { id, name, description: 'words', template: 'one', tags: ['a'] };
    const { status, location } = await ask('POST', 'prompts', made);
    expect([status, location?.endsWith(`/v1/private/prompts/${id}`)]).to.deep.equal([201, true]);
    expect((await refusal('POST', 'prompts', { ...made, id: v7() }))[0]).to.equal(409);
    const shown = await read(`prompts/${id}`);

    expect(shown).to.deep.include({ name, description: 'words', tags: ['a'], version_count: 1 });
    expect(shown['latest_version']).to.include({ template: 'one', version_number: 'v1' });
    const filters = encodeURIComponent(
      JSON.stringify([{ field: 'name', operator: '=', value: name, type: 'string' }]),
    );
    const page = await read(`prompts?size=1&filters=${filters}`);
    expect([page['total'], rowsOf(page)[0]?.['id']]).to.deep.equal([1, id]);
    expect(page['sortableBy']).to.include('version_count');
    await send('PUT', `prompts/${id}`, { name: `${name}-new`, description: null, tags: [] });
    expect(await read(`prompts/${id}`)).to.deep.include({
      name: `${name}-new`,
      description: 'words',
      tags: [],
    });
    expect((await refusal('PUT', `prompts/${id}`, { description: 'x' }))[0]).to.equal(422);
    await send('POST', 'prompts/delete', { ids: [id, v7()] });
    expect((await refusal('GET', `prompts/${id}`))[0]).to.equal(404);
  });

  it('list versions, and tag and restore them', async () => {
    const name = freshName('prompt');
    const first = await create(name, { template: 'one', metadata: { k: [1] } });
    const second = await create(name, { template: 'two' });
    const path = `prompts/${String(first['prompt_id'])}`;
    const list = async (query = '') => rowsOf(await read(`${path}/versions?${query}`));

    expect(await list()).to.deep.equal([second, first]);
    expect(await list('page=2&size=1')).to.deep.equal([first]);
    expect(await list('search=ONE')).to.deep.equal([first]);
    const byDescription = JSON.stringify([{ field: 'change_description', direction: 'DESC' }]);
    expect(await read(`prompts/versions/${String(first['id'])}`)).to.deep.equal(first);
    expect(await read(`${path}/versions/by-number/1`)).to.deep.equal(first);
    await send('PATCH', 'prompts/versions', { ids: [first['id']], update: { tags: ['a'] } });
    await send('PATCH', 'prompts/versions', {
      ids: [first['id'], v7()],
      update: { tags: ['b'] },
      merge_tags: true,
    });
    expect((await list())[1]?.['tags']).to.deep.equal(['a', 'b']);
    const restored = await send('POST', `${path}/versions/${String(first['id'])}/restore`, {}, 200);
    expect(restored).to.deep.include({
      version_number: 'v3',
      template: 'one',
      metadata: { k: [1] },
      change_description: `Restored from version ${String(first['commit'])}`,
    });
    expect(restored).not.to.have.property('tags');
    expect((await list(`sorting=${encodeURIComponent(byDescription)}`))[0]).to.deep.equal(restored);
    const byCommit = await read(`prompts/by-commit/${String(first['commit'])}`);
    expect(byCommit['requested_version']).to.include({ id: first['id'] });
    expect(byCommit['latest_version']).to.include({ id: restored['id'] });
    const links = await ask('POST', 'prompts/retrieve-by-commits', { commits: [second['commit']] });
    expect(JSON.parse(links.text)).to.deep.equal([
      {
        id: second['id'],
        prompt_version_id: second['id'],
        commit: second['commit'],
        prompt_id: first['prompt_id'],
        prompt_name: name,
      },
    ]);
    const other = await create(freshName('prompt'), { template: 'x' });
    expect(
      (await refusal('POST', `${path}/versions/${String(other['id'])}/restore`, {}))[0],
    ).to.equal(404);
  });

  it('are for environments that are registered, each for one version', async () => {
    const [name, production, staging] = [
      freshName('prompt'),
      freshName('production'),
      freshName('staging'),
    ];
    for (const environment of [production, staging])
      await send('POST', 'environments', { name: environment }, 201);
    const [first, second] = [
      await create(name, { template: 'one' }),
      await create(name, { template: 'two' }),
    ];
    const set = (version: Json, environments: readonly string[]) =>
      send('PATCH', `prompts/versions/${String(version['id'])}/environments`, { environments });
    await set(first, [production, staging]);
    await set(second, [staging]);

    expect((await retrieve(name, { environment: production }))['id']).to.equal(first['id']);
    expect((await retrieve(name, { environment: staging }))['environments']).to.deep.equal([
      staging,
    ]);
    const promptId = String(first['prompt_id']);
    const shown = await read(`prompts/${promptId}?environment=${production}`);
    expect((shown['requested_version'] as Json)['id']).to.equal(first['id']);
    expect((shown['latest_version'] as Json)['id']).to.equal(second['id']);
    expect((await refusal('GET', `prompts/${promptId}?environment=${name}`))[0]).to.equal(404);
    const path = `prompts/versions/${String(second['id'])}/environments`;
    const unknown = { environments: [production, freshName('unknown')] };
    expect((await refusal('PATCH', path, unknown))[0]).to.equal(404);
    expect((await retrieve(name, { environment: production }))['id']).to.equal(first['id']);
    await set(first, []);
    expect(
      (await refusal('POST', 'prompts/versions/retrieve', { name, environment: production }))[0],
    ).to.equal(404);
  });

  it('of evaluations are told with their names', async () => {
    const name = freshName('prompt');
    const version = await create(name, { template: 'one' });
    const id = v7();
    await send(
      'POST',
      'experiments',
      { id, dataset_name: freshName('dataset'), prompt_versions: [{ id: version['id'] }] },
      201,
    );
    const shown = await read(`experiments/${id}`);

    expect(shown['prompt_versions']).to.deep.equal([
      {
        id: version['id'],
        prompt_version_id: version['id'],
        prompt_id: version['prompt_id'],
        prompt_name: name,
        commit: version['commit'],
      },
    ]);
    const filters = encodeURIComponent(
      JSON.stringify([{ field: 'prompt_ids', operator: 'contains', value: version['prompt_id'] }]),
    );
    expect(
      rowsOf(await read(`experiments?filters=${filters}`)).map((one) => one['id']),
    ).to.deep.equal([id]);
  });
});
