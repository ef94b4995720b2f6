import { expect } from 'chai';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const secret = 'sk-proj-0123456789abcdef';

describe('provider keys', () => {
  const { ask, read, send, refusal } = privateClient();
  const create = async (body: Json): Promise<string> => {
    const { status, text, location } = await ask('POST', 'llm-provider-key', body);
    expect(status, text).to.equal(201);
    return location?.split('/').at(-1) ?? '';
  };
  const ofName = (given: Json = {}): Json => ({
    provider: 'custom-llm',
    provider_name: freshName('models'),
    ...given,
  });

  it('are stored and listed, and never given back', async () => {
    const id = await create({
      provider: 'openai',
      api_key: secret,
      name: 'ours',
      headers: { 'X-Team': 'secret-team' },
      configuration: { location: 'eu' },
      base_url: 'https://models.example/v1',
    });

    const shown = await read(`llm-provider-key/${id}`);
    expect(shown).to.include({
      ...{ id, provider: 'openai', api_key: '…cdef', name: 'ours', read_only: false },
      base_url: 'https://models.example/v1',
    });
    expect([shown['headers'], shown['configuration']]).to.deep.equal([
      { 'X-Team': '…' },
      { location: 'eu' },
    ]);
    const list = await read('llm-provider-key');
    expect(list).to.have.all.keys('size', 'total', 'content', 'sortableBy', 'sortable_by');
    expect(list['content']).to.deep.include(shown);
    expect(JSON.stringify(list)).not.to.include(secret).and.not.to.include('secret-team');
  });

  it('are one for each provider, except where a name tells them apart', async () => {
    await create({ provider: 'anthropic', api_key: secret });
    const named = ofName();
    await create(named);
    await create(ofName());

    for (const body of [{ provider: 'anthropic', provider_name: 'other' }, named])
      expect((await refusal('POST', 'llm-provider-key', body))[0]).to.equal(409);
  });

  it('keep what a change leaves out or sends back masked', async () => {
    const id = await create(
      ofName({ api_key: secret, headers: { 'X-A': 'one' }, base_url: 'https://a.example/v1' }),
    );
    await send('PATCH', `llm-provider-key/${id}`, {
      api_key: '…cdef',
      headers: { 'X-A': '…' },
      name: 'two',
      base_url: 'https://a.example/v2',
    });
    expect(await read(`llm-provider-key/${id}`)).to.deep.include({
      ...{ api_key: '…cdef', name: 'two', headers: { 'X-A': '…' } },
      base_url: 'https://a.example/v2',
    });
    await send('PATCH', `llm-provider-key/${id}`, { api_key: 'short' });
    expect(await read(`llm-provider-key/${id}`)).to.include({ api_key: '…' });
    const [status, message] = await refusal('PATCH', `llm-provider-key/${id}`, {
      headers: { 'X-B': '…' },
    });
    expect([status, message]).to.deep.equal([422, 'header X-B is masked, and none is stored']);
  });

  it('are not sent to another host than they were given for', async () => {
    const id = await create(ofName({ api_key: secret, headers: { 'X-A': 'one' } }));
    const change = (body: Json) => refusal('PATCH', `llm-provider-key/${id}`, body);
    const base_url = 'https://b.example';

    expect((await change({ base_url }))[0]).to.equal(422);
    expect((await change({ base_url, api_key: '…cdef' }))[0]).to.equal(422);
    expect((await change({ base_url, api_key: 'new' }))[0]).to.equal(422);
    await send('PATCH', `llm-provider-key/${id}`, {
      ...{ base_url, api_key: 'new', headers: { 'X-A': 'two' } },
    });
    expect(await read(`llm-provider-key/${id}`)).to.include({ base_url });
  });

  it('are refused with what cannot be sent', async () => {
    for (const body of [
      { base_url: 'ftp://a.example' },
      { base_url: 'nowhere' },
      { base_url: 'https://user:password@a.example' },
      { headers: { 'a b': 'x' } },
      { headers: { a: 'x\r\ny: z' } },
      { auth_config: { token_url: 'https://a.example/token', credentials: [] } },
    ])
      expect((await refusal('POST', 'llm-provider-key', ofName(body)))[0]).to.equal(422);
    expect((await refusal('POST', 'llm-provider-key', { provider: 'nobody' }))[0]).to.equal(400);
    expect((await refusal('POST', 'llm-provider-key', {}))[0]).to.equal(422);
  });

  it('are deleted', async () => {
    const id = await create(ofName({ api_key: secret }));

    await send('POST', 'llm-provider-key/delete', { ids: [id] });

    expect((await refusal('GET', `llm-provider-key/${id}`))[0]).to.equal(404);
  });
});
