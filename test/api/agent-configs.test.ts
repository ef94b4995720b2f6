import { expect } from 'chai';
import { v4, v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

describe('configurations of agents', () => {
  const { ask, read, send, refusal } = privateClient();
  const root = 'agent-configs/blueprints';
  const value = (key: string, text?: string, type = 'string') => ({ key, value: text, type });
  const blueprint = (values: readonly Json[], given: Json = {}) => ({
    id: v7(),
    type: 'blueprint',
    values,
    ...given,
  });
  const projectId = async (name: string): Promise<string> =>
    String((await send('POST', 'projects/retrieve', { name }, 200))['id']);
  /** A project with a configuration of one version. */
  const begin = async (values: readonly Json[] = [value('a', '1'), value('b', '1')]) => {
    const project_name = freshName('agent');
    const first = blueprint(values);
    await send('POST', root, { project_name, blueprint: first }, 201);
    return { project_name, project_id: await projectId(project_name), first: first.id };
  };
  const texts = (shown: Json): readonly string[] =>
    (shown['values'] as readonly Json[]).map(
      (one) => `${String(one['key'])}=${String(one['value'] ?? 'null')}`,
    );

  it('begin with v1 in the environment prod, and are read at once', async () => {
    const project_name = freshName('agent');
    const values = [
      { ...value('temperature', '0.7', 'float'), description: 'how bold' },
      value('nothing'),
      value('on', 'true', 'boolean'),
    ];
    const sent = blueprint(values, { description: 'first' });
    const made = await ask('POST', root, { id: v7(), project_name, blueprint: sent });
    expect([made.status, made.text]).to.deep.equal([201, '']);
    expect(made.location).to.match(new RegExp(`/v1/private/${root}/${sent.id}$`));
    const shown = await read(`${root}/${sent.id}`);

    expect(shown).to.deep.include({
      ...{ id: sent.id, name: 'v1', type: 'blueprint', description: 'first', envs: ['prod'] },
      values: [values[0], { key: 'nothing', type: 'string' }, values[2]],
    });
    const id = await projectId(project_name);
    for (const path of [
      `latest/projects/${id}`,
      `environments/prod/projects/${id}`,
      `projects/${id}/names/v1`,
    ])
      expect(await read(`${root}/${path}`), path).to.deep.equal(shown);
    expect(
      (await refusal('POST', root, { project_name, blueprint: blueprint(values) }))[0],
    ).to.equal(409);
  });

  it('are extended by versions, which tell what they changed and what holds', async () => {
    const { project_id, first } = await begin();
    const second = blueprint([value('b', '2'), value('c', '2')]);
    await send('PATCH', root, { project_id, blueprint: second }, 201);

    expect(await read(`${root}/${second.id}`)).to.include({ name: 'v2' });
    expect(texts(await read(`${root}/${second.id}`))).to.deep.equal(['a=1', 'b=2', 'c=2']);
    expect(texts(await read(`${root}/${first}`))).to.deep.equal(['a=1', 'b=1']);
    expect(texts(await read(`${root}/${second.id}/deltas`))).to.deep.equal(['b=2', 'c=2']);
    const history = await read(`${root}/history/projects/${project_id}?size=25`);
    const content = history['content'] as readonly Json[]; // as every page has it
    expect(history).to.include({ page: 1, size: 25, total: 2 });
    expect(content.map((one) => [one['name'], texts(one), one['envs']])).to.deep.equal([
      ['v2', ['b=2', 'c=2'], []],
      ['v1', ['a=1', 'b=1'], ['prod']],
    ]);
    expect(texts(await read(`${root}/environments/prod/projects/${project_id}`))).to.deep.equal([
      'a=1',
      'b=1',
    ]);
  });

  it('are read under masks, which make a version when they are applied', async () => {
    const { project_id, first } = await begin();
    const mask = blueprint([value('b', 'm'), value('z', 'm')], {
      type: 'mask',
      description: 'trial',
    });
    await send('PATCH', root, { project_id, blueprint: mask }, 201);
    for (const path of [
      first,
      `latest/projects/${project_id}`,
      `environments/prod/projects/${project_id}`,
      `projects/${project_id}/names/v1`,
    ]) {
      const shown = await read(`${root}/${path}?mask_id=${mask.id}`);
      expect(texts(shown), path).to.deep.equal(['a=1', 'b=m', 'z=m']);
      expect(shown, path).to.include({ id: first, name: 'v1', type: 'blueprint' });
    }
    const deltas = await read(`${root}/${mask.id}/deltas`);
    expect(deltas).to.include({ type: 'mask' }).and.not.to.have.property('name');
    expect(texts(deltas)).to.deep.equal(['b=m', 'z=m']);
    expect(await read(`${root}/history/projects/${project_id}`)).to.include({ total: 1 });

    const apply = `${root}/projects/${project_id}/masks`;
    const { status, location } = await ask('POST', `${apply}/${mask.id}`);
    expect(status).to.equal(201);
    const made = await read(`${root}/${location?.split('/').at(-1) ?? ''}`);
    expect(made).to.include({ name: 'v2', description: 'trial' });
    expect(texts(made)).to.deep.equal(['a=1', 'b=m', 'z=m']);
    for (const id of [first, v7(), 'no-such-id'])
      expect((await refusal('POST', `${apply}/${id}`))[0], id).to.equal(404);
    const other = await begin();
    for (const path of [
      `${root}/${mask.id}`,
      `${root}/${first}?mask_id=${first}`,
      `${root}/${first}?mask_id=${v7()}`,
      `${root}/${other.first}?mask_id=${mask.id}`,
    ])
      expect((await refusal('GET', path))[0], path).to.equal(404);
    expect((await refusal('GET', `${root}/${first}?mask_id=x`))[0]).to.equal(400);
  });

  it('are pointed at by environments, which end and begin again', async () => {
    const { project_id, first } = await begin();
    const second = blueprint([value('b', '2')]);
    await send('PATCH', root, { project_id, blueprint: second }, 201);
    const at = (name: string) => `${root}/environments/${name}/projects/${project_id}`;
    const point = (envs: Readonly<Record<string, string>>) => ({
      project_id,
      envs: Object.entries(envs).map(([env_name, blueprint_id]) => ({ env_name, blueprint_id })),
    });

    await send('POST', `${root}/environments`, point({ prod: second.id, staging: first }));
    expect((await read(at('prod')))['id']).to.equal(second.id);
    await send('PUT', at('staging'), { blueprint_name: 'v2' });
    expect((await read(at('staging')))['envs']).to.deep.equal(['prod', 'staging']);
    await send('DELETE', at('prod'), undefined);
    await send('DELETE', at('prod'), undefined);
    expect((await refusal('GET', at('prod')))[0]).to.equal(404);
    expect((await read(`${root}/${second.id}`))['envs']).to.deep.equal(['staging']);
    await send('PUT', at('prod'), { blueprint_name: 'v1' });
    expect((await read(at('prod')))['id']).to.equal(first);

    const twice = { env_name: 'x', blueprint_id: first };
    for (const [status, body] of [
      [400, { project_id, envs: [twice, twice] }],
      [404, point({ prod: second.id, x: v7() })],
      [404, { ...point({ x: first }), project_id: v7() }],
      [422, { project_id, envs: [] }],
      [422, { envs: [{ env_name: 'a', blueprint_id: first }] }],
      [400, { project_id: 'no-uuid', envs: [{ env_name: 'a', blueprint_id: first }] }],
      [422, point({ ' ': first })],
    ] as const)
      expect((await refusal('POST', `${root}/environments`, body))[0]).to.equal(status);
    expect((await read(at('prod')))['id']).to.equal(first);
    for (const name of ['v3', 'v0', 'latest', 'v01'])
      expect((await refusal('PUT', at('prod'), { blueprint_name: name }))[0], name).to.equal(404);
    expect((await refusal('PUT', at('prod'), { blueprint_name: ' ' }))[0]).to.equal(422);
  });

  it('lose keys once', async () => {
    const { project_name, project_id, first } = await begin();
    const remove = (body: Json) => ask('POST', `${root}/remove-keys`, body);

    const made = await remove({ project_name, keys: ['a', 'x', 'a'] });
    expect(made.status).to.equal(201);
    expect(made.location).to.match(new RegExp(`/${root}/[0-9a-f-]{36}$`));
    expect((await remove({ project_id, keys: ['a'] })).status).to.equal(204);
    expect((await remove({ project_name: freshName('none'), keys: ['a'] })).status).to.equal(204);
    expect((await remove({ project_id: v7(), keys: ['a'] })).status).to.equal(404);
    expect((await remove({ project_id, keys: [] })).status).to.equal(422);
    expect((await remove({ keys: ['a'] })).status).to.equal(422);
    const newest = await read(`${root}/latest/projects/${project_id}`);
    expect([newest['name'], ...texts(newest)]).to.deep.equal(['v2', 'b=1']);
    expect(texts(await read(`${root}/${first}`))).to.deep.equal(['a=1', 'b=1']);
  });

  it('move on with the prompts that they hold, but not with those that are pinned', async () => {
    const name = freshName('prompt');
    const version = async (template: string) =>
      String(
        (await send('POST', 'prompts/versions', { name, version: { template } }, 200))['commit'],
      );
    const commit = await version('one');
    const { project_id } = await begin([
      value('p', commit, 'prompt'),
      value('pinned', commit, 'prompt_commit'),
      value('text', commit),
    ]);
    const newer = await version('two');

    const newest = await read(`${root}/latest/projects/${project_id}`);
    expect([newest['name'], ...[...texts(newest)].sort()]).to.deep.equal([
      'v2',
      `p=${newer}`,
      `pinned=${commit}`,
      `text=${commit}`,
    ]);
    expect(newest['envs']).to.deep.equal([]);
    expect((await read(`${root}/environments/prod/projects/${project_id}`))['name']).to.equal('v1');
  });

  it('are refused for what is not there or cannot be', async () => {
    const project_name = freshName('agent');
    const good = blueprint([value('a', '1')]);
    const bad: readonly Json[] = [
      { project_name, blueprint: { ...good, values: [] } },
      { project_name, blueprint: { ...good, values: [value('a'), value('a')] } },
      { project_name, blueprint: { ...good, values: [value(' ')] } },
      { project_name, blueprint: { ...good, values: [value('a'.repeat(256))] } },
      { project_name, blueprint: { ...good, description: 'd'.repeat(256) } },
      { project_name: ' ', blueprint: good },
      { blueprint: good },
      { project_name },
    ];
    for (const body of bad) {
      expect((await refusal('POST', root, body))[0], JSON.stringify(body)).to.equal(400);
      expect((await refusal('PATCH', root, body))[0], JSON.stringify(body)).to.equal(422);
    }
    const wrong: readonly Json[] = [
      { project_name, blueprint: { ...good, id: v4() } },
      { project_name, id: v4(), blueprint: good },
      { project_name, blueprint: { ...good, type: 'other' } },
      { project_name, blueprint: { ...good, values: [value('a', '1', 'other')] } },
    ];
    for (const body of wrong)
      for (const method of ['POST', 'PATCH'])
        expect((await refusal(method, root, body))[0], JSON.stringify(body)).to.equal(400);
    const mask = { ...good, type: 'mask' };
    expect((await refusal('POST', root, { project_name, blueprint: mask }))[0]).to.equal(400);
    expect((await refusal('PATCH', root, { project_name, blueprint: good }))[0]).to.equal(404);
    expect((await refusal('POST', root, { project_id: v7(), blueprint: good }))[0]).to.equal(404);
    const { status } = await ask('POST', 'projects/retrieve', { name: project_name });
    expect(status, 'no project is made for what is refused').to.equal(404);

    const empty = freshName('empty');
    await send('POST', 'projects', { name: empty }, 201);
    const id = await projectId(empty);
    for (const path of [
      v7(),
      'no-such-id',
      `${v7()}/deltas`,
      `latest/projects/${id}`,
      `history/projects/${id}`,
      `environments/prod/projects/${id}`,
      `projects/${id}/names/v1`,
      `latest/projects/${v7()}`,
    ])
      expect((await refusal('GET', `${root}/${path}`))[0], path).to.equal(404);
    expect((await refusal('PATCH', root, { project_id: id, blueprint: good }))[0]).to.equal(404);
    expect((await ask('DELETE', `${root}/environments/prod/projects/${id}`)).status).to.equal(204);
  });

  it('make one configuration of many that begin at once, and number what is added at once', async () => {
    const project_name = freshName('agent');
    const statuses = await Promise.all(
      Array.from(
        { length: 5 },
        async () =>
          (await ask('POST', root, { project_name, blueprint: blueprint([value('a', '1')]) }))
            .status,
      ),
    );
    expect(statuses.sort()).to.deep.equal([201, 409, 409, 409, 409]);
    const added = Array.from({ length: 5 }, () => blueprint([value('a', '2')]));
    await Promise.all(
      added.map((one) => send('PATCH', root, { project_name, blueprint: one }, 201)),
    );
    const names = await Promise.all(added.map(({ id }) => read(`${root}/${id}`)));
    expect(names.map((one) => one['name']).sort()).to.deep.equal(['v2', 'v3', 'v4', 'v5', 'v6']);
    const same = added[0];
    expect((await refusal('PATCH', root, { project_name, blueprint: same }))[0]).to.equal(409);
  });
});
