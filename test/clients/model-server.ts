// A server of models on this machine that speaks the wires of three providers, and answers as the name of the model says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Readonly<Record<string, unknown>>;
export type ModelWire = 'openai' | 'anthropic' | 'gemini';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}
export interface ModelServer {
  /** Where the models of a wire are asked. */
  baseUrl(wire: ModelWire): string;
  asked(): readonly Asked[];
  /** How many requests were left before they were answered to their end. */
  left(): number;
  stop(): Promise<void>;
}

/** What a model says: words, or a call of a tool; and why it ends. */
interface Said {
  readonly words?: string;
  readonly call?: { readonly name: string; readonly input: Json };
  readonly end: 'stop' | 'length' | 'calls';
}
const [prompt, completion] = [12, 7];
const longAnswer = 'In Bern it is '.repeat(200);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}; // any object can be read by name
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []); // read leniently

/** The script that the name of a model asks for. */
const scriptOf = (model: string): string => model.replace(/^script-/, '');

/** The result of a tool that the request brings, and the tool that must be called. */
const broughtBy: Readonly<
  Record<ModelWire, (body: Json) => { readonly result?: string; readonly forced?: string }>
> = {
  openai: ({ messages, response_format: format }) => {
    const result = list(messages).findLast(({ role }) => role === 'tool');
    return {
      ...(result === undefined ? {} : { result: text(result['content']) }),
      ...(object(format)['type'] === 'json_schema' ? { forced: '' } : {}),
    };
  },
  anthropic: ({ messages, tool_choice: choice }) => {
    const result = list(messages)
      .flatMap(({ content }) => list(content))
      .findLast(({ type }) => type === 'tool_result');
    const { type, name } = object(choice);
    return {
      ...(result === undefined ? {} : { result: text(result['content']) }),
      ...(type === 'tool' ? { forced: text(name) } : {}),
    };
  },
  gemini: ({ contents, generationConfig: config }) => {
    const result = list(contents)
      .flatMap(({ parts }) => list(parts))
      .findLast(({ functionResponse: one }) => one !== undefined);
    const response = object(object(result?.['functionResponse'])['response']);
    return {
      ...(result === undefined ? {} : { result: text(response['result']) }),
      ...(object(config)['responseJsonSchema'] === undefined ? {} : { forced: '' }),
    };
  },
};

const play = (script: string, wire: ModelWire, body: Json): Said => {
  const { result, forced } = broughtBy[wire](body);
  const formed = { score: 1, reason: 'é' };
  if (forced !== undefined)
    return forced === ''
      ? { words: JSON.stringify(formed), end: 'stop' }
      : { call: { name: forced, input: formed }, end: 'calls' };
  if (script === 'calls' && result === undefined)
    return { call: { name: 'weather', input: { city: 'Bern' } }, end: 'calls' };
  if (script === 'items')
    return {
      words: 'Here:\n```json\n{"items":[{"city":"Rome"},{"city":"Oslo"}]}\n```',
      end: 'stop',
    };
  if (script === 'long') return { words: longAnswer, end: 'stop' };
  return script === 'short'
    ? { words: 'In Bern', end: 'length' }
    : { words: `In Bern it is ${result ?? 'sunny 🦄'}.`, end: 'stop' };
};

const ends: Readonly<Record<ModelWire, Readonly<Record<Said['end'], string>>>> = {
  openai: { stop: 'stop', length: 'length', calls: 'tool_calls' },
  anthropic: { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use' },
  gemini: { stop: 'STOP', length: 'MAX_TOKENS', calls: 'STOP' },
};
const piecesOf = (words = ''): readonly string[] => words.match(/ ?[^ ]+/g) ?? [];

/** The answer at once, and the events of a stream. */
interface Told {
  readonly whole: Json;
  readonly events: readonly (Json | string)[];
}
const tell: Readonly<Record<ModelWire, (said: Said, model: string, body: Json) => Told>> = {
  openai({ words, call, end }, model, { stream_options: options }) {
    const usage = {
      ...{ prompt_tokens: prompt, completion_tokens: completion },
      ...{ total_tokens: prompt + completion, prompt_tokens_details: { cached_tokens: 3 } },
    };
    const head = { id: 'chat-1', created: 1_700_000_000, model };
    const reason = ends.openai[end];
    const calls = call && [
      {
        ...{ id: 'call_1', type: 'function' },
        function: { name: call.name, arguments: JSON.stringify(call.input) },
      },
    ];
    const message = { role: 'assistant', content: words ?? null, tool_calls: calls, refusal: null };
    const chunk = (delta: Json, finish_reason: string | null = null) => ({
      ...{ ...head, object: 'chat.completion.chunk', usage: null },
      choices: [{ index: 0, delta, finish_reason, logprobs: null }],
    });
    const given = calls?.[0]?.function.arguments ?? '';
    return {
      whole: {
        ...{ ...head, object: 'chat.completion', usage },
        choices: [{ index: 0, message, finish_reason: reason, logprobs: null }],
      },
      events: [
        chunk({ role: 'assistant', content: calls === undefined ? '' : null }),
        ...piecesOf(words).map((content) => chunk({ content })),
        ...(calls === undefined
          ? []
          : [
              chunk({
                tool_calls: [
                  { index: 0, ...calls[0], function: { name: call?.name, arguments: '' } },
                ],
              }),
              chunk({ tool_calls: [{ index: 0, function: { arguments: given.slice(0, 5) } }] }),
              chunk({ tool_calls: [{ index: 0, function: { arguments: given.slice(5) } }] }),
            ]),
        chunk({}, reason),
        ...(object(options)['include_usage'] === true ? [{ ...head, choices: [], usage }] : []),
        '[DONE]',
      ],
    };
  },
  anthropic({ words, call, end }, model) {
    const block = call
      ? { type: 'tool_use', id: 'toolu_1', name: call.name, input: call.input }
      : { type: 'text', text: words };
    const [input, stop_reason] = [
      { input_tokens: prompt - 3, cache_read_input_tokens: 3 },
      ends.anthropic[end],
    ];
    const head = { id: 'msg_1', type: 'message', role: 'assistant', model };
    const json = JSON.stringify(call?.input ?? {});
    return {
      whole: {
        ...{ ...head, content: [block], stop_reason },
        usage: { ...input, output_tokens: completion },
      },
      events: [
        {
          type: 'message_start',
          message: { ...head, content: [], usage: { ...input, output_tokens: 1 } },
        },
        { type: 'ping' },
        {
          ...{ type: 'content_block_start', index: 0 },
          content_block: call ? { ...block, input: {} } : { type: 'text', text: '' },
        },
        ...(call ? [json.slice(0, 4), json.slice(4)] : piecesOf(words)).map((piece) => ({
          ...{ type: 'content_block_delta', index: 0 },
          delta: call
            ? { type: 'input_json_delta', partial_json: piece }
            : { type: 'text_delta', text: piece },
        })),
        { type: 'content_block_stop', index: 0 },
        {
          ...{ type: 'message_delta', delta: { stop_reason, stop_sequence: null } },
          usage: { output_tokens: completion },
        },
        { type: 'message_stop' },
      ],
    };
  },
  gemini({ words, call, end }, model) {
    const usageMetadata = {
      ...{ promptTokenCount: prompt, candidatesTokenCount: completion },
      ...{ totalTokenCount: prompt + completion, cachedContentTokenCount: 3 },
    };
    const head = { modelVersion: model, responseId: 'response-1' };
    const part = call
      ? { functionCall: { name: call.name, args: call.input }, thoughtSignature: 'c2ln' }
      : { text: words };
    const of = (parts: readonly Json[], finishReason?: string) => ({
      ...{ ...head, usageMetadata },
      candidates: [
        {
          ...{ index: 0, content: { role: 'model', parts } },
          ...(finishReason === undefined ? {} : { finishReason }),
        },
      ],
    });
    return {
      whole: of([part], ends.gemini[end]),
      events: [
        ...(call ? [of([part])] : piecesOf(words).map((piece) => of([{ text: piece }]))),
        of([{ text: '' }], ends.gemini[end]),
      ],
    };
  },
};

const errors: Readonly<Record<ModelWire, (message: string, code: number) => unknown>> = {
  openai: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: null },
  }),
  anthropic: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  gemini: (message, code) => ({ error: { code, message, status: 'INVALID_ARGUMENT' } }),
};

const write = (wire: ModelWire, event: Json | string): string =>
  `${wire === 'anthropic' ? `event: ${text(object(event)['type'])}\n` : ''}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;

interface Request {
  readonly wire: ModelWire;
  readonly model: string;
  readonly streams: boolean;
  readonly asked: Asked;
  /** How many requests for this model came before. */
  readonly place: number;
}

const refusing: Readonly<
  Record<
    string,
    (request: Request) => { readonly status: number; readonly says: string } | undefined
  >
> = {
  refuses: () => ({ status: 400, says: 'the temperature is too high' }),
  unpaid: () => ({ status: 402, says: 'no credits are left' }),
  limits: () => ({ status: 429, says: 'too many requests' }),
  fails: () => ({ status: 500, says: 'the model broke' }),
  recovers: ({ place }) =>
    place === 0 ? { status: 503, says: 'the model is still loading' } : undefined,
  repeats: ({ asked }) => ({
    status: 401,
    says: `incorrect key: ${JSON.stringify(asked.headers)}`,
  }),
};

const answer = (request: Request, reply: ServerResponse): void => {
  const { wire, model, streams, asked } = request;
  const script = scriptOf(model);
  const refusal = refusing[script]?.(request);
  if (refusal !== undefined) {
    reply.writeHead(refusal.status, {
      'Content-Type': 'application/json',
      ...(refusal.status === 429 ? { 'Retry-After': '7' } : {}),
    });
    reply.end(JSON.stringify(errors[wire](refusal.says, refusal.status)));
    return;
  }
  if (script === 'silent') return;
  if (script === 'hangs-up') {
    reply.socket?.destroy();
    return;
  }
  if (script === 'redirects') {
    reply.writeHead(307, { Location: asked.path.replace('redirects', 'says') }).end();
    return;
  }
  if (script === 'nonsense') {
    reply.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>data: {}</html>\n\n');
    return;
  }
  const { whole, events } = tell[wire](play(script, wire, asked.body), model, asked.body);
  if (!streams) {
    const json = JSON.stringify(whole);
    reply.writeHead(200, { 'Content-Type': 'application/json' });
    if (script === 'half')
      reply.write(json.slice(0, json.length / 2), () => reply.socket?.destroy());
    else reply.end(json);
    return;
  }
  reply.writeHead(200, { 'Content-Type': 'text/event-stream' });
  if (script === 'lingers') {
    reply.write(write(wire, events[0] ?? {}) + write(wire, events[1] ?? {}));
    return;
  }
  if (script === 'half' || script === 'breaks-off') {
    reply.write(
      events
        .slice(0, 4)
        .map((event) => write(wire, event))
        .join(''),
      () => {
        if (script === 'half') reply.end();
        else reply.socket?.destroy();
      },
    );
    return;
  }
  // In pieces that keep to no border: neither of events nor of letters.
  const bytes = Buffer.from(events.map((event) => write(wire, event)).join(''));
  for (let at = 0; at < bytes.length; at += 37) reply.write(bytes.subarray(at, at + 37));
  reply.end();
};

const readRequest = (path: string, body: Json): Pick<Request, 'wire' | 'model' | 'streams'> => {
  if (path.startsWith('/gemini/')) {
    const [, model = '', verb = ''] = /\/models\/([^:]+):(\w+)/.exec(path) ?? [];
    return {
      wire: 'gemini',
      model: decodeURIComponent(model),
      streams: verb === 'streamGenerateContent',
    };
  }
  const wire = path.startsWith('/anthropic/') ? 'anthropic' : 'openai';
  return { wire, model: text(body['model']), streams: body['stream'] === true };
};

export const startModelServer = async (): Promise<ModelServer> => {
  const all: (Asked & { readonly model: string })[] = [];
  let left = 0;
  const server = createServer((request, reply) => {
    const pieces: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = object(JSON.parse(Buffer.concat(pieces).toString()));
      const told = readRequest(path, body);
      const asked = { path, headers: request.headers, body, model: told.model };
      const place = all.filter(({ model }) => model === told.model).length;
      all.push(asked);
      reply.on('close', () => {
        if (!reply.writableFinished) left++;
      });
      answer({ ...told, asked, place }, reply);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address has this form
  return {
    baseUrl: (wire) => `http://127.0.0.1:${port}/${wire}/v1`,
    asked: () => all,
    left: () => left,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};
