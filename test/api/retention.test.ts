import { expect } from 'chai';
import { v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

describe('retention rules', () => {
  const { ask, read, send, refusal } = privateClient();
  const rules = 'retention/rules';
  const listed = async (query = ''): Promise<readonly Json[]> =>
    (await read(`${rules}${query}`))['content'] as readonly Json[];

  it('are made for a workspace or a project, replace each other and are switched off', async () => {
    const first = await send('POST', rules, { retention: 'base_60d' }, 201);
    expect(first).to.include({
      ...{ level: 'workspace', retention: 'base_60d', apply_to_past: false, enabled: true },
    });
    const { location } = await ask('POST', 'projects', { name: freshName('project') });
    const project_id = location?.split('/').at(-1);
    const ofProject = await send(
      'POST',
      rules,
      { retention: 'unlimited', project_id, apply_to_past: true },
      201,
    );
    expect(ofProject).to.include({ level: 'project', project_id, apply_to_past: true });
    const second = await send('POST', rules, { retention: 'short_14d' }, 201);

    expect((await listed()).map(({ id }) => id)).to.deep.equal([second['id'], ofProject['id']]);
    expect(await listed('?include_inactive=true')).to.have.length(3);
    expect(await read(`${rules}/${String(first['id'])}`)).to.include({ enabled: false });
    await send('DELETE', `${rules}/${String(second['id'])}`, undefined);
    expect((await listed()).map(({ id }) => id)).to.deep.equal([ofProject['id']]);
  });

  it('are refused for what is not there or cannot be', async () => {
    expect((await refusal('POST', rules, { retention: 'forever' }))[0]).to.equal(400);
    expect((await refusal('POST', rules, {}))[0]).to.equal(422);
    const retention = 'base_60d';
    expect((await refusal('POST', rules, { retention, organization_level: true }))[0]).to.equal(
      422,
    );
    expect((await refusal('POST', rules, { retention, project_id: v7() }))[0]).to.equal(404);
    expect((await refusal('GET', `${rules}/${v7()}`))[0]).to.equal(404);
    expect((await refusal('DELETE', `${rules}/${v7()}`))[0]).to.equal(404);
  });
});
