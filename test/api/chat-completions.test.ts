// Chats with models of a workspace's providers, over servers of the three wires.
import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { startModelServer, type ModelServer } from '#test/clients/model-server';
import { neverStored } from '#test/clients/secrets';
import { privateClient, type Json } from './private-client.js';

const path = 'chat/completions';
const secret = neverStored('sk-chat-0123456789abcdef');
const sunny = 'In Bern it is sunny 🦄.';

describe('chat completions', () => {
  const { ask, send, refusal, server } = privateClient({
    ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
  });
  let models: ModelServer;
  before(async () => {
    models = await startModelServer();
    for (const [provider, wire] of [
      ['openai', 'openai'],
      ['anthropic', 'anthropic'],
      ['gemini', 'gemini'],
    ] as const)
      await send(
        'POST',
        'llm-provider-key',
        { provider, api_key: secret, base_url: models.baseUrl(wire), headers: { 'X-Own': 'kept' } },
        201,
      );
    await send(
      'POST',
      'llm-provider-key',
      { provider: 'custom-llm', provider_name: 'own', base_url: models.baseUrl('openai') },
      201,
    );
    await send(
      'POST',
      'llm-provider-key',
      { provider: 'custom-llm', provider_name: 'inside', base_url: 'http://10.0.0.1/v1' },
      201,
    );
  });
  after(() => models?.stop());

  const chat = (model: string, more: Json = {}) => ({
    model,
    messages: [{ role: 'user', content: 'How is the weather in Bern?' }],
    ...more,
  });
  const open = (body: Json, signal?: AbortSignal) =>
    fetch(`${server().url}/api/v1/private/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server().apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  /** The data of each event of a stream. */
  const streamed = async (model: string, more: Json = {}) => {
    const reply = await open(chat(model, { stream: true, ...more }));
    const text = await reply.text();
    expect([reply.status, reply.headers.get('Content-Type')], text).to.deep.equal([
      200,
      'text/event-stream',
    ]);
    return text
      .split('\n\n')
      .filter((event) => event !== '' && event !== ':')
      .map((event) => {
        expect(event.startsWith('data: ') && !event.includes('\n'), event).to.equal(true);
        return event.slice(6);
      });
  };
  const choiceIn = (data: string | Json): Json => {
    const { choices } = (typeof data === 'string' ? JSON.parse(data) : data) as {
      readonly choices: readonly Json[];
    }; // as the wire has it
    return choices[0] ?? {};
  };
  const until = async (holds: () => boolean): Promise<boolean> => {
    for (let tries = 0; tries < 300 && !holds(); tries++) await pause(10);
    return holds();
  };

  it('are answered at once by each provider, by what the model is called', async () => {
    for (const model of ['openai/script-says', 'anthropic/script-says', 'gemini/script-says']) {
      const answer = await send('POST', path, chat(model), 200);
      expect(answer, model).to.include({ object: 'chat.completion', model: 'script-says' });
      expect(answer['usage']).to.include({ prompt_tokens: 12, completion_tokens: 7 });
      expect(choiceIn(answer), model).to.deep.include({
        finish_reason: 'stop',
        message: { role: 'assistant', content: sunny },
      });
      const { headers } = models.asked().at(-1) ?? { headers: {} };
      expect(JSON.stringify(headers)).to.include(secret).and.to.include('"x-own":"kept"');
    }
    const own = await send('POST', path, chat('custom-llm/own/script-says'), 200);
    expect(choiceIn(own)['message']).to.deep.include({ content: sunny });
    expect(models.asked().at(-1)?.headers).not.to.have.property('authorization');
  });

  it('come in pieces as server-sent events with an end, as OpenAI’s do', async () => {
    for (const model of ['openai/script-says', 'anthropic/script-says', 'gemini/script-says']) {
      const data = await streamed(model, { stream_options: { include_usage: true } });
      expect(data.at(-1), model).to.equal('[DONE]');
      const chunks = data.slice(0, -1).map((one) => JSON.parse(one) as Json);
      const said = chunks.map((chunk) => choiceIn(chunk)['delta'] as Json | undefined); // as the wire has it
      expect(said.map((delta) => delta?.['content'] ?? '').join('')).to.equal(sunny);
      expect(chunks.at(-1)?.['usage']).to.include({ total_tokens: 19 });
    }
  });

  it('say in headers which provider was asked for which model', async () => {
    const told = async (model: string, more: Json = {}) => {
      const reply = await open(chat(model, more));
      await reply.arrayBuffer();
      return [reply.headers.get('X-Opik-Provider'), reply.headers.get('X-Opik-Actual-Model')];
    };
    for (const stream of [false, true]) {
      expect(await told('anthropic/script-says', { stream })).to.deep.equal([
        ...['anthropic', 'script-says'],
      ]);
      expect(await told('custom-llm/own/script-says', { stream })).to.deep.equal([
        ...['custom-llm', 'script-says'],
      ]);
    }
    expect(await told('custom-llm/own/é\r\nX: 1')).to.deep.equal(['custom-llm', null]);
  });

  it('hand the request on: tools, forms, and what only the provider knows', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    const called = await send(
      'POST',
      path,
      chat('openai/script-calls', {
        ...{
          tools,
          temperature: 0.5,
          stop: ['x'],
          metadata: { a: 'b' },
          logit_bias: { 50256: -100 },
        },
        extra_body: { top_k: 7, stream: true, temperature: 0.25 },
      }),
      200,
    );
    const body = models.asked().at(-1)?.body;
    expect(body).to.deep.include({
      ...{ model: 'script-calls', tools, stop: ['x'], metadata: { a: 'b' } },
      ...{ logit_bias: { 50256: -100 }, temperature: 0.25, top_k: 7, stream: false },
    });
    expect(body).not.to.have.any.keys('extra_body', 'more', 'n', 'seed');
    expect(choiceIn(called)['finish_reason']).to.equal('tool_calls');
  });

  it('are refused with the status and the words of the provider', async () => {
    for (const [script, status, says] of [
      ['refuses', 400, /temperature is too high/],
      ['repeats', 401, /incorrect key/],
      ['unpaid', 402, /no credits/],
      ['limits', 429, /too many requests/],
      ['fails', 500, /the model broke/],
      ['hangs-up', 502, /closed the connection/],
      ['nonsense', 502, /none of its wire/],
      ['redirects', 502, /redirects/],
    ] as const)
      for (const stream of [false, true]) {
        if (stream && script === 'nonsense') continue;
        const [got, sentence] = await refusal(
          'POST',
          path,
          chat(`openai/script-${script}`, { stream }),
        );
        expect([script, got], sentence).to.deep.equal([script, status]);
        expect(sentence).to.match(says).and.not.to.include(secret);
      }
    const { headers } = await open(chat('openai/script-limits'));
    expect([headers.get('Retry-After'), headers.get('RateLimit-Reset')]).to.deep.equal(['7', '7']);
  });

  it('tell in the stream why no more comes of it', async () => {
    for (const script of ['half', 'breaks-off', 'nonsense']) {
      const data = await streamed(`gemini/script-${script}`);
      const last = JSON.parse(data.at(-2) ?? '') as Json;
      expect(data.at(-1)).to.equal('[DONE]');
      expect(last['code'], script).to.equal(502);
      expect(last['error']).to.deep.equal({ code: 502, message: last['message'] });
    }
  });

  it('are refused for a model that is none, and one without a key', async () => {
    for (const [model, says] of [
      [undefined, /not supported/],
      [' ', /not supported/],
      ['my-model', /my-model is not supported/],
      ['mistralai/mistral-large', /provider openrouter .* model mistralai\/mistral-large/],
      ['custom-llm/none/m', /provider custom-llm/],
    ] as const) {
      const [status, sentence] = await refusal('POST', path, { ...chat(''), model });
      expect([status, says.test(sentence)], sentence).to.deep.equal([400, true]);
    }
    const [status, sentence] = await refusal('POST', path, chat('custom-llm/inside/m'));
    expect([status, sentence.includes('ORRERY_ALLOW_PRIVATE_TARGETS')]).to.deep.equal([502, true]);
  });

  it('end with the client that leaves, before the answer and within it', async () => {
    for (const [script, stream] of [
      ['silent', false],
      ['silent', true],
      ['lingers', true],
    ] as const) {
      const [given, before, asked] = [new AbortController(), models.left(), models.asked().length];
      const reply = open(chat(`openai/script-${script}`, { stream }), given.signal);
      if (script === 'lingers') await (await reply).body?.getReader().read();
      else expect(await until(() => models.asked().length > asked)).to.equal(true);
      given.abort();
      await reply.catch(() => undefined);
      expect(await until(() => models.left() > before), `${script} ${stream}`).to.equal(true);
    }
  });

  it('are so many at once and no more, and leave room when they end', async () => {
    const given = new AbortController();
    const before = models.asked().length;
    const going = Array.from({ length: 32 }, () =>
      open(chat('openai/script-silent'), given.signal).catch(() => undefined),
    );
    expect(await until(() => models.asked().length === before + 32)).to.equal(true);
    const [status, sentence] = await refusal('POST', path, chat('openai/script-says'));
    expect([status, /at most 32 chats/.test(sentence)]).to.deep.equal([429, true]);
    given.abort();
    await Promise.all(going);
    let answered = 0;
    for (let tries = 0; tries < 100 && answered !== 200; tries++) {
      ({ status: answered } = await ask('POST', path, chat('openai/script-says')));
      await pause(10);
    }
    expect(answered).to.equal(200);
  });
});
