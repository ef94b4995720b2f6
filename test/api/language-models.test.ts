// Models that the server knows, and Ollama instances that it calls.
import { expect } from 'chai';
import { startReceiver, type Receiver, type Told } from '#test/clients/receiver';
import { privateClient, type Json } from './private-client.js';

const models = 'ollama/models';
const connection = 'ollama/test-connection';
const json = (body: unknown): Told => ({ status: 200, body: JSON.stringify(body) });

describe('models of providers', () => {
  const { ask, read, send, refusal } = privateClient({
    ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    ORRERY_MODEL_PRICES:
      '{"own/model-b":{"input":1,"output":2},"own/model-a":{"input":1,"output":2},"bare":{"input":1,"output":1}}',
  });
  let instance: Receiver;
  before(async () => {
    instance = await startReceiver();
  });
  after(() => instance?.stop());

  it('are told by provider, with those that an administrator has priced', async () => {
    const found = await read('llm/models');
    expect(found['own']).to.deep.equal(['model-a', 'model-b']);
    expect(found['openai']).to.include('gpt-4o');
    expect(found).to.include.all.keys('anthropic', 'gemini');
    expect(found).not.to.have.any.keys('google', '', 'bare');
  });

  it('of an Ollama instance are listed, whatever end its address has', async () => {
    const many = Array.from({ length: 500 }, (_, n) => ({ name: `model-${n}`, size: n }));
    instance.answer('/api/tags', ({ headers }) =>
      json({
        models: [
          {
            name: 'llama3:8b',
            size: 4_661_224_676,
            digest: 'abc',
            modified_at: '2026-05-01T10:00:00.5+02:00',
          },
          { name: String(headers.authorization), size: 'large', modified_at: 'never' },
          { digest: 'nameless' },
          ...many,
        ],
      }),
    );
    for (const end of ['', '/', '/v1', '/v1/']) {
      const body = { base_url: `${instance.url}${end}`, api_key: 'secret' };
      const { status, text } = await ask('POST', models, body);
      const found = JSON.parse(text) as readonly Json[]; // as the wire has it
      expect(status).to.equal(200);
      expect(found).to.have.length(502);
      expect(found.slice(0, 2)).to.deep.equal([
        {
          ...{ name: 'llama3:8b', size: 4_661_224_676, digest: 'abc' },
          modified_at: '2026-05-01T10:00:00.5+02:00',
        },
        { name: 'Bearer secret' },
      ]);
    }
  });

  it('tell the version of an instance that answers, and why one does not', async () => {
    instance.answer('/api/version', () => json({ version: '0.12.3' }));
    expect(await send('POST', connection, { base_url: `${instance.url}/v1` }, 200)).to.deep.equal({
      connected: true,
      version: '0.12.3',
    });
    expect(instance.got('/api/version').at(-1)?.headers).not.to.have.property('authorization');
    for (const [told, says] of [
      [{ status: 404 }, /answered 404/],
      [{ status: 302, headers: { Location: '/inside' } }, /redirects/],
      [{ status: 200, body: '<html>' }, /does not answer as an Ollama instance/],
      [{ status: 200, body: '[]' }, /does not answer as an Ollama instance/],
      [{ hangUp: true }, /closed the connection/],
    ] as const) {
      instance.answer('/api/version', () => told);
      instance.answer('/api/tags', () => told);
      const { connected, error_message } = await send(
        'POST',
        connection,
        { base_url: instance.url },
        502,
      );
      expect([connected, says.test(String(error_message))], String(error_message)).to.deep.equal([
        false,
        true,
      ]);
      const [status, sentence] = await refusal('POST', models, { base_url: instance.url });
      expect([status, says.test(sentence)], sentence).to.deep.equal([500, true]);
    }
    expect(instance.got('/inside')).to.have.length(0);
  });

  it('are asked of no address that may not be called, and of nothing that is none', async () => {
    for (const base_url of [
      ...['http://10.0.0.1:11434', 'http://169.254.169.254/v1', 'http://[::1]:11434'],
      ...['ftp://ollama.example', 'ollama', 'http://user:password@127.0.0.1'],
    ])
      for (const path of [models, connection])
        expect((await refusal('POST', path, { base_url }))[0], base_url).to.equal(422);
    for (const body of [{}, { base_url: '' }, { base_url: instance.url, api_key: 'a\nb' }])
      expect((await refusal('POST', models, body))[0]).to.equal(422);
  });
});
