import { expect } from 'chai';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

describe('guardrail policies', () => {
  const { read, send, ask, refusal } = privateClient();
  const path = 'guardrails/policies';
  const guards = [{ type: 'PII', config: { blocked_entities: ['PERSON'], threshold: 0.4 } }];
  const listed = async (): Promise<readonly Json[]> =>
    (await read(path))['policies'] as readonly Json[]; // the row's reply
  const make = async (body: object): Promise<string> => {
    const made = await ask('POST', path, body);
    expect(made.status, made.text).to.equal(201);
    return made.location?.split('/').at(-1) ?? '';
  };
  const retrieve = async (names: readonly string[]): Promise<readonly Json[]> =>
    (await send('POST', `${path}/retrieve`, { names }, 200))['policies'] as readonly Json[];

  it('are made, replaced and deleted by their ids', async () => {
    const [name, other] = [freshName('asked'), freshName('other')];
    const id = await make({ name, guards });
    const kept = await make({ name: other, execution_mode: 'ON_REQUEST', guards });
    const own = { id, name, execution_mode: 'ON_REQUEST', guards };
    expect((await listed()).find((one) => one['id'] === id)).to.deep.include(own);
    expect(await retrieve([name])).to.deep.equal([own]);
    expect((await refusal('POST', path, { name, guards }))[0]).to.equal(409);

    await send('PUT', `${path}/${id}`, { name, execution_mode: 'ALWAYS', guards });
    expect((await retrieve([])).map((one) => one['name'])).to.include(name);
    expect((await refusal('PUT', `${path}/${id}`, { name: other, guards }))[0]).to.equal(409);
    expect((await refusal('PUT', `${path}/${kept}x`, { name: other, guards }))[0]).to.equal(404);

    await send('POST', `${path}/delete`, { ids: [id] });
    const ids = (await listed()).map((one) => one['id']);
    expect(ids).to.include(kept).and.not.to.include(id);
    expect((await refusal('POST', `${path}/retrieve`, { names: [name] }))[0]).to.equal(404);
  });
});
