import { expect } from 'chai';
import { v4, v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it

describe('definitions of feedback scores', () => {
  const { ask, read, send, refusal } = privateClient();
  const path = 'feedback-definitions';

  it('are made, listed, replaced and deleted', async () => {
    const [id, name] = [v7(), freshName('definition')];
    await send('POST', path, { id, name, type: 'numerical', details: { min: 0, max: 1 } }, 201);
    const other = {
      name: `${name}-2`,
      type: 'boolean',
      details: { trueLabel: 'y', falseLabel: 'n' },
    };
    await send('POST', path, other, 201);

    expect(await read(`${path}/${id}`)).to.deep.include({
      name,
      type: 'numerical',
      details: { min: 0, max: 1 },
    });
    const list = async (query: string) =>
      rowsOf(await read(`${path}?name=${name.toUpperCase()}${query}`)).map((one) => one['name']);
    expect(await list('')).to.deep.equal([other.name, name]);
    expect(await list('&type=boolean')).to.deep.equal([other.name]);
    expect(await list('&page=2&size=1')).to.deep.equal([name]);
    await send('PUT', `${path}/${id}`, {
      name,
      type: 'categorical',
      details: { categories: { good: 1, bad: 0 } },
    });
    expect(await read(`${path}/${id}`)).to.deep.include({
      type: 'categorical',
      details: { categories: { good: 1, bad: 0 } },
    });
    expect((await refusal('POST', path, other))[0]).to.equal(409);
    expect((await refusal('PUT', `${path}/${id}`, other))[0]).to.equal(409);
    await send('POST', `${path}/delete`, { ids: [id, v7()] });
    expect((await ask('DELETE', `${path}/${id}`)).status).to.equal(404);
    expect(await list('')).to.deep.equal([other.name]);
  });

  it('are refused with details that do not fit their type', async () => {
    for (const [status, body] of [
      [422, { name: 'x', type: 'numerical', details: { min: 1, max: 1 } }],
      [422, { name: 'x', type: 'categorical', details: { categories: {} } }],
      [422, { name: 'x', type: 'boolean', details: {} }],
      [422, { name: ' ', type: 'numerical' }],
      [400, { name: 'x', type: 'other' }],
      [400, { id: v4(), name: 'x', type: 'numerical', details: { min: 0, max: 1 } }],
    ] as const)
      expect((await refusal('POST', path, body))[0], JSON.stringify(body)).to.equal(status);
  });
});
