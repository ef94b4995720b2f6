// The messages of Anthropic's API, version 2023-06-01.
import type {
  ChatChunk,
  ChatCompletion,
  ChatRequest,
  ChatSaid,
  ChatToolCall,
  ChatUsage,
} from '#ports/chat-model';
import {
  choiceOf,
  formatOf,
  mostTokensOf,
  tellsUsage,
  toolsOf,
  turnsOf,
  type Choice,
  type Format,
  type Part,
  type Turn,
} from './messages.js';
import { membersOf, present, textOf, wholeOf, type Members } from './reading.js';
import {
  errorIn,
  Unsupported,
  type AnswerNeeds,
  type StreamReader,
  type Wire,
  type WireFault,
} from './wire.js';

/** What a model may say where the request does not tell, which this wire must. */
const usualMostTokens = 4096;

const blockOf = (part: Part): Members => {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const type = part.of === 'image' ? 'image' : part.of === 'file' ? 'document' : undefined;
  if (type === undefined)
    throw new Unsupported(`content of the kind ${part.of} is not known to this provider`);
  const source =
    part.kind === 'link'
      ? { type: 'url', url: part.url }
      : { type: 'base64', media_type: part.type, data: part.data };
  return { type, source };
};

interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: Members[];
}
const saidOf = (turn: Exclude<Turn, { by: 'system' }>): Said => {
  switch (turn.by) {
    case 'user':
      return { role: 'user', content: turn.parts.map(blockOf) };
    case 'tool':
      return {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: turn.id, content: turn.text }],
      };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...turn.parts.map(blockOf),
          ...turn.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
        ],
      };
  }
};

/** Messages in which the roles take turns: results of several calls are one message. */
const messagesOf = (turns: readonly Turn[]): readonly Said[] => {
  const messages: Said[] = [];
  for (const turn of turns) {
    if (turn.by === 'system') continue;
    const said = saidOf(turn);
    const last = messages.at(-1);
    if (said.content.length === 0) continue;
    if (last?.role === said.role) last.content.push(...said.content);
    else messages.push(said);
  }
  return messages;
};

/** Whether the form of the answer is got by a call that is not the client's. */
const isFormCalled = (request: ChatRequest): boolean =>
  formatOf(request)?.schema !== undefined && toolsOf(request).length === 0;

const instructionOf = ({ schema }: Format): string =>
  schema === undefined
    ? 'Answer with one JSON object and nothing else.'
    : `Where no tool is called, answer with one JSON object and nothing else, which keeps to this JSON Schema: ${JSON.stringify(schema)}`;

const systemOf = (request: ChatRequest, turns: readonly Turn[]): string | undefined => {
  const format = formatOf(request);
  const texts = [
    ...turns.flatMap((turn) => (turn.by === 'system' ? [turn.text] : [])),
    ...(format === undefined || isFormCalled(request) ? [] : [instructionOf(format)]),
  ].filter((text) => text !== '');
  return texts.length === 0 ? undefined : texts.join('\n\n');
};

const choices: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'any' };
const toolChoiceOf = (choice: Choice, parallel: boolean | undefined): Members | undefined => {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallel === false ? { type: 'auto', ...alone } : undefined;
  if (choice === 'none') return { type: 'none' };
  return typeof choice === 'string'
    ? { type: choices[choice], ...alone }
    : { type: 'tool', name: choice.name, ...alone };
};

const toolMembers = (request: ChatRequest): Members => {
  const format = formatOf(request);
  if (format?.schema !== undefined && isFormCalled(request))
    return {
      tools: [{ name: format.name, description: 'Gives the answer.', input_schema: format.schema }],
      tool_choice: { type: 'tool', name: format.name },
    };
  const tools = toolsOf(request);
  if (tools.length === 0) return {};
  return present({
    tools: tools.map(({ name, description, parameters }) =>
      present({ name, description, input_schema: { type: 'object', ...parameters } }),
    ),
    tool_choice: toolChoiceOf(choiceOf(request), request.parallel_tool_calls),
  });
};

const bodyOf = (request: ChatRequest, streams: boolean): unknown => {
  const turns = turnsOf(request);
  return {
    ...present({
      model: request.model,
      max_tokens: mostTokensOf(request) ?? usualMostTokens,
      system: systemOf(request, turns),
      messages: messagesOf(turns),
      temperature: request.temperature,
      top_p: request.top_p,
      stop_sequences: request.stop,
      metadata: request.user === undefined ? undefined : { user_id: request.user },
    }),
    ...toolMembers(request),
    ...request.extra_body,
    stream: streams,
  };
};

const ends: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};
/** The end of an answer; a call that only gives the answer its form is no call to the client. */
const endOf = (reason: unknown, formCalled: boolean): string => {
  const end = ends[textOf(reason) ?? ''] ?? textOf(reason) ?? 'stop';
  return formCalled && end === 'tool_calls' ? 'stop' : end;
};

const usageOf = (value: unknown): ChatUsage => {
  const usage = membersOf(value);
  const cached = wholeOf(usage['cache_read_input_tokens']) ?? 0;
  const prompt =
    (wholeOf(usage['input_tokens']) ?? 0) +
    cached +
    (wholeOf(usage['cache_creation_input_tokens']) ?? 0);
  const completion = wholeOf(usage['output_tokens']) ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  };
};

const readSaid = (blocks: readonly Members[], formCalled: boolean): ChatSaid => {
  const of = (type: string) => blocks.filter((block) => block['type'] === type);
  const joined = (type: string, member: string): string | undefined => {
    const texts = of(type).map((block) => textOf(block[member]) ?? '');
    return texts.length === 0 ? undefined : texts.join('');
  };
  const calls = of('tool_use');
  const form = formCalled ? calls[0] : undefined;
  const shown = calls.map((block): ChatToolCall =>
    present({
      id: textOf(block['id']),
      type: 'function',
      function: present({
        name: textOf(block['name']),
        arguments: JSON.stringify(block['input'] ?? {}),
      }),
    }),
  );
  return present({
    role: 'assistant',
    content: form === undefined ? joined('text', 'text') : JSON.stringify(form['input'] ?? {}),
    reasoning_content: joined('thinking', 'thinking'),
    tool_calls: form !== undefined || shown.length === 0 ? undefined : shown,
  });
};

const read = (answer: unknown, { request, now }: AnswerNeeds): ChatCompletion | undefined => {
  const members = membersOf(answer);
  if (members['type'] !== 'message' || !Array.isArray(members['content'])) return undefined;
  const formCalled = isFormCalled(request);
  return {
    id: textOf(members['id']) ?? '',
    object: 'chat.completion',
    created: now,
    model: textOf(members['model']) ?? request.model,
    choices: [
      {
        index: 0,
        message: readSaid(members['content'].map(membersOf), formCalled),
        finish_reason: endOf(members['stop_reason'], formCalled),
      },
    ],
    usage: usageOf(members['usage']),
  };
};

/** The statuses that errors have which come inside a stream. */
const errorStatuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
};
const streamFault = (event: unknown): WireFault => {
  const { type } = membersOf(membersOf(event)['error']);
  return {
    status: errorStatuses[textOf(type) ?? ''],
    message: errorIn(event)?.message ?? 'the model broke its answer off',
  };
};

const streamReader = ({ request, now }: AnswerNeeds): StreamReader => {
  const formCalled = isFormCalled(request);
  /** The places that calls have among calls, by the places of their blocks. */
  const places = new Map<number, number>();
  let [id, model, usage, stopped]: [string, string, Members, boolean] = [
    '',
    request.model,
    {},
    false,
  ];
  const chunk = (delta: ChatSaid, finish_reason?: string): ChatChunk => ({
    id,
    object: 'chat.completion.chunk',
    created: now,
    model,
    choices: [{ index: 0, delta, ...present({ finish_reason }) }],
  });
  const begin = (event: Members): readonly ChatChunk[] => {
    const { type, id: called, name } = membersOf(event['content_block']);
    if (type !== 'tool_use' || formCalled) return [];
    const index = places.size;
    places.set(wholeOf(event['index']) ?? index, index);
    const call = present({ id: textOf(called), type: 'function', index });
    return [
      chunk({
        tool_calls: [{ ...call, function: present({ name: textOf(name), arguments: '' }) }],
      }),
    ];
  };
  const go = (event: Members): readonly ChatChunk[] => {
    const delta = membersOf(event['delta']);
    if (delta['type'] === 'text_delta')
      return formCalled ? [] : [chunk({ content: textOf(delta['text']) ?? '' })];
    if (delta['type'] === 'thinking_delta')
      return [chunk({ reasoning_content: textOf(delta['thinking']) ?? '' })];
    if (delta['type'] !== 'input_json_delta') return [];
    const json = textOf(delta['partial_json']) ?? '';
    if (formCalled) return [chunk({ content: json })];
    const index = places.get(wholeOf(event['index']) ?? -1) ?? 0;
    return [chunk({ tool_calls: [{ index, function: { arguments: json } }] })];
  };
  return {
    read(given) {
      const event = membersOf(given);
      switch (event['type']) {
        case 'message_start': {
          const message = membersOf(event['message']);
          id = textOf(message['id']) ?? '';
          model = textOf(message['model']) ?? model;
          usage = membersOf(message['usage']);
          return [chunk({ role: 'assistant', content: '' })];
        }
        case 'content_block_start':
          return begin(event);
        case 'content_block_delta':
          return go(event);
        case 'message_delta': {
          usage = { ...usage, ...membersOf(event['usage']) };
          const reason = membersOf(event['delta'])['stop_reason'];
          return typeof reason === 'string' ? [chunk({}, endOf(reason, formCalled))] : [];
        }
        case 'message_stop':
          stopped = true;
          return [];
        case 'error':
          return streamFault(event);
        default:
          // Kinds of events that came later are passed over, as the provider asks; what has no kind is no event.
          return typeof event['type'] === 'string'
            ? []
            : { status: undefined, message: 'the model sent what is no event of its wire' };
      }
    },
    finish: () =>
      tellsUsage(request) ? [{ ...chunk({}), choices: [], usage: usageOf(usage) }] : [],
    isDone: () => stopped,
  };
};

export const anthropicWire: Wire = {
  name: 'anthropic',
  write: (request, { baseUrl, key }, streams) => ({
    url: `${baseUrl}/messages`,
    headers: {
      'anthropic-version': '2023-06-01',
      ...(key === undefined ? {} : { 'x-api-key': key }),
    },
    body: bodyOf(request, streams),
  }),
  read: (answer, needs) =>
    read(answer, needs) ??
    (membersOf(answer)['type'] === 'error' ? streamFault(answer) : errorIn(answer)),
  reader: streamReader,
};
