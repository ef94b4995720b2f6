import { expect } from 'chai';
import { v4, v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

describe('environments', () => {
  const { ask, read, send, refusal } = privateClient();

  it('are made, listed by position, changed and deleted', async () => {
    const [id, name, other] = [v7(), freshName('production'), freshName('staging')];
    const { status, location } = await ask('POST', 'environments', {
      ...{ id, name, description: 'live', color: '#00FF00', position: null },
    });
    expect([status, location?.endsWith(`/v1/private/environments/${id}`)]).to.deep.equal([
      201,
      true,
    ]);
    await send('POST', 'environments', { name: other, position: 0 }, 201);
    await send('PATCH', `environments/${id}`, { name: null, color: '#0000ff', position: 1 });

    const shown = await read(`environments/${id}`);
    expect(shown).to.include({ id, name, description: 'live', color: '#0000ff', position: 1 });
    expect(shown).to.have.all.keys(
      ...['id', 'name', 'description', 'color', 'position'],
      ...['created_at', 'created_by', 'last_updated_at', 'last_updated_by'],
    );
    const list = async () => {
      const { content, total } = await read('environments');
      return [total, ...(content as readonly Json[]).map((one) => one['name'])];
    };
    expect(await list()).to.deep.equal([2, other, name]);
    await send('POST', 'environments/delete', { ids: [id, v7(), id] });
    expect(await list()).to.deep.equal([1, other]);
    expect((await refusal('GET', `environments/${id}`))[0]).to.equal(404);
  });

  it('have names of their own, of letters, digits, hyphens and underscores', async () => {
    const name = freshName('twice');
    await send('POST', 'environments', { name }, 201);
    await send('POST', 'environments', { name: freshName('other') }, 201);

    expect(await refusal('POST', 'environments', { name })).to.deep.equal([
      409,
      'Environment already exists',
    ]);
    for (const body of [
      { name: 'with blank' },
      { name: '' },
      { name: 'a'.repeat(151) },
      { description: 'no name' },
      { name: freshName('color'), color: 'red' },
    ])
      expect((await refusal('POST', 'environments', body))[0], JSON.stringify(body)).to.equal(422);
    expect((await refusal('POST', 'environments', { id: v4(), name: 'v4' }))[0]).to.equal(400);
    expect((await refusal('POST', 'environments/delete', { ids: [] }))[0]).to.equal(422);
  });
});
