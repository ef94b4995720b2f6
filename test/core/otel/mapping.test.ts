import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { spanIdOf, traceIdOf } from '#core/otel/identity';
import { mapSpans } from '#core/otel/mapping';
import { systemOtlp } from '#adapters/system/otlp';
import type { OtlpSpan, OtlpValue } from '#ports/otlp';

const traceId = '5b8efff798038103d269b633813fc60c';
const start = 1_700_000_000_123_456;
const kept = '018bcfe5-687b-7000-8000-000000000000';
const hash = systemOtlp.digest;

const span = (
  attributes: Readonly<Record<string, OtlpValue>>,
  given: Partial<OtlpSpan> = {},
): OtlpSpan => ({
  traceId,
  spanId: 'eee19b7ec3c1b174',
  parentSpanId: '',
  name: 'n',
  startTime: start,
  endTime: start + 10,
  attributes: new Map(Object.entries(attributes)),
  events: [],
  links: [],
  failed: false,
  statusMessage: '',
  scope: '',
  resource: new Map(),
  ...given,
});
const event = (name: string, attributes: Readonly<Record<string, OtlpValue>>, time = 0) => ({
  ...{ name, time },
  attributes: new Map(Object.entries(attributes)),
});
const map = (...spans: readonly OtlpSpan[]) => mapSpans(spans, new Map([[traceId, kept]]), hash);

describe('ids of OpenTelemetry', () => {
  it('are a time and the beginning of a hash of their bytes, as UUIDs of version 7', () => {
    const digest = createHash('sha256').update(Buffer.from(traceId, 'hex')).digest();
    const id = traceIdOf(traceId, start, hash);

    expect(id).to.match(/^018bcfe5-687b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(id.slice(-12)).to.equal(digest.subarray(4, 10).toString('hex'));
    expect(Number.parseInt(id.slice(15, 18), 16)).to.equal(digest.readUInt16BE(0) & 0xfff);
    expect(spanIdOf('eee19b7ec3c1b174', kept, hash).slice(0, 14)).to.equal('018bcfe5-687b-');
  });
});

describe('spans of OpenTelemetry', () => {
  it('become input, output, usage, model, provider, cost and thread by the names of their attributes', () => {
    const [mapped] = map(
      span({
        'gen_ai.system': 'openai',
        'gen_ai.provider.name': 'other',
        'gen_ai.response.model': 'gpt-4o-2024',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 4,
        'gen_ai.usage.output_tokens': '2',
        'gen_ai.usage.cost': 0.5,
        'gen_ai.input.messages': '[{"role":"user"}]',
        'gen_ai.output.messages': 'not [ json',
        'gen_ai.conversation.id': 't',
        'gen_ai.agent.name': 'a',
        'my.own': 1,
      }),
    );
    expect(mapped).to.deep.include({
      ...{ provider: 'openai', model: 'gpt-4o-2024', cost: 0.5, threadId: 't', type: 'llm' },
      usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
      input: { 'gen_ai.input.messages': [{ role: 'user' }], 'my.own': 1 },
      output: { 'gen_ai.output.messages': 'not [ json' },
      metadata: { 'gen_ai.agent.name': 'a' },
      root: true,
    });
  });

  it('follow OpenInference, too', () => {
    const [mapped] = map(
      span({
        'openinference.span.kind': 'TOOL',
        'input.value': '{"a":1}',
        'input.mime_type': 'application/json',
        'output.value': 'done',
        'llm.model_name': 'm',
        'llm.token_count.prompt': 3,
        'session.id': 's',
        'tag.tags': ['x', 'y'],
      }),
    );
    expect(mapped).to.deep.include({
      ...{ type: 'tool', model: 'm', threadId: 's', tags: ['x', 'y'] },
      ...{ input: { 'input.value': { a: 1 } }, output: { 'output.value': 'done' } },
      usage: { prompt_tokens: 3, total_tokens: 3 },
    });
  });

  it('take messages of events, of every generation of the conventions', () => {
    const [parts, content, details] = map(
      span(
        {},
        {
          events: [
            event('gen_ai.user.message', { content: 'hi' }),
            event('gen_ai.user.message', { content: 'again' }),
            event('gen_ai.choice', { message: '{"content":"hello"}' }),
          ],
        },
      ),
      span(
        {},
        {
          events: [
            event('gen_ai.content.prompt', { 'gen_ai.prompt': '[{"role":"user"}]' }),
            event('gen_ai.content.completion', { 'gen_ai.completion': 'hello' }),
          ],
        },
      ),
      span(
        { 'gen_ai.request.model': 'asked' },
        {
          events: [
            event('gen_ai.client.inference.operation.details', {
              'gen_ai.request.model': 'of the event',
              'gen_ai.input.messages': '[]',
              'gen_ai.output.messages': [{ role: 'assistant' }],
              'gen_ai.usage.input_tokens': 2,
            }),
            event('gen_ai.evaluation.result', { 'gen_ai.evaluation.name': 'polite' }),
          ],
        },
      ),
    );
    expect(parts).to.deep.include({
      input: { 'gen_ai.user.message': [{ content: 'hi' }, { content: 'again' }] },
      output: { 'gen_ai.choice': [{ message: { content: 'hello' } }] },
    });
    expect(content).to.deep.include({
      input: { 'gen_ai.prompt': [{ role: 'user' }] },
      output: { 'gen_ai.completion': 'hello' },
    });
    expect(details).to.deep.include({
      model: 'asked',
      input: { 'gen_ai.input.messages': [] },
      output: { 'gen_ai.output.messages': [{ role: 'assistant' }] },
      usage: { prompt_tokens: 2, total_tokens: 2 },
      metadata: { 'gen_ai.evaluation.result': [{ 'gen_ai.evaluation.name': 'polite' }] },
    });
  });

  it('keep other events and links as metadata', () => {
    const [mapped] = map(
      span(
        {},
        {
          events: [event('retried', { attempt: 2 }, start), event('exception', {})],
          links: [{ traceId, spanId: 'aaaaaaaaaaaaaaaa', attributes: new Map() }],
        },
      ),
    );
    expect(mapped?.metadata).to.deep.equal({
      events: [
        { name: 'retried', time: '2023-11-14T22:13:20.123456Z', attributes: { attempt: 2 } },
      ],
      links: [{ trace_id: traceId, span_id: 'aaaaaaaaaaaaaaaa' }],
    });
  });

  it('are of a model or a tool by what they do, where no attribute tells', () => {
    const [tool, model, agent] = map(
      ...['execute_tool', 'chat', 'invoke_agent'].map((operation) =>
        span({ 'gen_ai.operation.name': operation }),
      ),
    );
    expect([tool?.type, model?.type, agent?.type]).to.deep.equal(['tool', 'llm', undefined]);
  });

  it('follow OpenLLMetry, too', () => {
    const [mapped] = map(
      span({
        'traceloop.span.kind': 'tool',
        'traceloop.entity.name': 'lookup',
        'traceloop.entity.input': '{"city":"Bern"}',
        'traceloop.entity.output': 'sunny',
        'traceloop.association.properties.session_id': 's',
        'llm.usage.total_tokens': 7,
      }),
    );
    expect(mapped).to.deep.include({
      ...{ type: 'tool', threadId: 's', usage: { total_tokens: 7 } },
      input: { 'traceloop.entity.input': { city: 'Bern' } },
      output: { 'traceloop.entity.output': 'sunny' },
      metadata: { 'traceloop.entity.name': 'lookup' },
    });
  });

  it('have the thread that their metadata names', () => {
    const [whole, flat] = map(
      span({ metadata: '{"thread_id":"t"}' }),
      span({ 'metadata.thread_id': 'u' }),
    );
    expect([whole?.threadId, flat?.threadId]).to.deep.equal(['t', 'u']);
  });

  it('have no cost that is no amount', () => {
    const costs = map(
      ...[Infinity, 1e300, -1, 'much'].map((cost) => span({ 'gen_ai.usage.cost': cost })),
    );
    expect(costs.map(({ cost }) => cost)).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('follow the AI SDK of Vercel, too', () => {
    const [model, tool] = map(
      span({
        'operation.name': 'ai.generateText.doGenerate fn',
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.model.provider': 'openai.responses',
        'ai.prompt.messages': '[{"role":"user","content":"hi"}]',
        'ai.response.text': 'hello',
        'ai.response.finishReason': 'stop',
        'ai.usage.inputTokens': 5,
        'ai.telemetry.metadata.sessionId': 's',
        'ai.telemetry.metadata.threadId': 't',
        'gen_ai.system': 'openai.responses',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.usage.input_tokens': 5,
        'gen_ai.usage.output_tokens': 3,
      }),
      span(
        {
          'ai.toolCall.name': 'weather',
          'ai.toolCall.args': '{"city":"Bern"}',
          'ai.toolCall.result': '"sunny"',
          'gen_ai.system': 'aws.bedrock',
        },
        { spanId: 'aaaaaaaaaaaaaaaa' },
      ),
    );
    expect(model).to.deep.include({
      ...{ type: 'llm', model: 'gpt-4o-mini', provider: 'openai', threadId: 't' },
      usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
      input: { 'ai.prompt.messages': [{ role: 'user', content: 'hi' }] },
      output: { 'ai.response.text': 'hello' },
    });
    expect(model?.metadata).to.include({ 'ai.response.finishReason': 'stop' });
    expect(tool).to.deep.include({
      ...{ type: 'tool', provider: 'aws.bedrock', input: { 'ai.toolCall.args': { city: 'Bern' } } },
      output: { 'ai.toolCall.result': '"sunny"' },
    });
  });

  it('join a trace of an SDK by its ids, and ignore what is no id', () => {
    const own = '018bcfe5-0000-7000-8000-000000000001';
    const [joined, odd] = map(
      span({ 'opik.trace_id': own, 'opik.parent_span_id': kept, 'opik.span_id': own }),
      span({ 'opik.trace_id': 'nope', 'opik.span_id': 'd9b1d7db-0000-4000-8000-000000000000' }),
    );
    expect(joined).to.deep.include({
      ...{ id: own, traceId: own, parentSpanId: kept, root: false, input: undefined },
    });
    expect(odd).to.deep.include({ traceId: kept, root: true, input: undefined });
    expect(odd?.id).to.equal(spanIdOf('eee19b7ec3c1b174', kept, hash));
  });

  it('count what their children repeat once', () => {
    const usage = { 'gen_ai.usage.input_tokens': 5 };
    const child = { parentSpanId: 'eee19b7ec3c1b174', spanId: 'aaaaaaaaaaaaaaaa' };
    const [parent, inner] = map(span(usage), span(usage, child));
    expect(parent?.usage).to.equal(undefined);
    expect(inner?.usage).to.deep.equal({ prompt_tokens: 5, total_tokens: 5 });
    const [whole] = map(span({ 'gen_ai.usage.input_tokens': 6 }), span(usage, child));
    expect(whole?.usage).to.deep.equal({ prompt_tokens: 6, total_tokens: 6 });
  });

  it('tell an error by its exception, or by their status', () => {
    const thrown = { 'exception.type': 'E' };
    const [first, second, none] = map(
      span({}, { events: [event('exception', thrown)] }),
      span({}, { failed: true, statusMessage: 'broke' }),
      span({}),
    );
    expect(first?.error).to.deep.equal({
      exception_type: 'E',
      traceback: 'no traceback was sent',
    });
    expect(second?.error).to.deep.equal({
      ...{ exception_type: 'Error', message: 'broke', traceback: 'broke' },
    });
    expect(none?.error).to.equal(undefined);
  });
});

describe('requests of OpenTelemetry exporters', () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  it('are read from JSON with ids in hexadecimal or base64, and times that are exact to a microsecond', () => {
    const [one, other] = systemOtlp.read(
      json({
        resourceSpans: [
          {
            scopeSpans: [
              {
                scope: { name: 's' },
                spans: [
                  {
                    ...{ traceId, spanId: 'EEE19B7EC3C1B174', name: 'a' },
                    startTimeUnixNano: '1700000000123456789',
                    attributes: [{ key: '__proto__', value: { intValue: '5' } }],
                  },
                  { traceId: Buffer.from(traceId, 'hex').toString('base64'), name: 'b' },
                ],
              },
            ],
          },
        ],
      }),
      'json',
    );
    expect(one).to.include({ traceId, spanId: 'eee19b7ec3c1b174', startTime: start, scope: 's' });
    expect([...(one?.attributes ?? [])]).to.deep.equal([['__proto__', 5]]);
    expect(other).to.include({ traceId, spanId: '' });
  });

  it('are refused where they are no such request, whatever they are', () => {
    let deep: object = { stringValue: 'x' };
    for (let n = 0; n < 100; n++) deep = { arrayValue: { values: [deep] } };
    const nested = {
      resourceSpans: [{ resource: { attributes: [{ key: 'k', value: deep }] } }],
    };
    for (const form of ['json', 'protobuf'] as const)
      expect(() => systemOtlp.count(Buffer.from('0a05ff', 'hex'), form)).to.throw('no request');
    expect(() => systemOtlp.read(json(nested), 'json')).to.throw('nested too deeply');
    expect(() => systemOtlp.read(Buffer.from('{'), 'json')).to.throw('no request');
    expect(() => systemOtlp.read(Buffer.from('0a05ff', 'hex'), 'protobuf')).to.throw('no request');
    expect(systemOtlp.read(new Uint8Array(), 'protobuf')).to.deep.equal([]);
    for (const odd of ['{}', '{"resourceSpans":null}', '{"resourceSpans":[null]}'])
      expect(systemOtlp.read(Buffer.from(odd), 'json'), odd).to.deep.equal([]);
    for (const odd of [
      ...['null', '[]', '1', '{"resourceSpans":{}}', '{"resourceSpans":[{"scopeSpans":5}]}'],
      '{"resourceSpans":[{"scopeSpans":[{"spans":{}}]}]}',
    ])
      for (const does of [systemOtlp.read, systemOtlp.count])
        expect(() => does(Buffer.from(odd), 'json'), odd).to.throw('no request');
  });
});
