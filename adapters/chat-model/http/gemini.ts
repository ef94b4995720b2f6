// Generating content by Google's Gemini API, version v1beta.
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
  type Part,
  type Turn,
} from './messages.js';
import { listOf, membersOf, parse, present, textOf, wholeOf, type Members } from './reading.js';
import { errorIn, type AnswerNeeds, type StreamReader, type Wire } from './wire.js';

const partOf = (part: Part): Members => {
  if (part.kind === 'text') return { text: part.text };
  return part.kind === 'bytes'
    ? { inlineData: { mimeType: part.type, data: part.data } }
    : { fileData: { fileUri: part.url } };
};

/** What a function answered: an object, which text that is none is put into. */
const responseOf = (text: string): Members => {
  const parsed = parse(text);
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    ? membersOf(parsed)
    : { result: text };
};

/** The mark beside a call by which the model finds its thoughts again. */
const signatureOf = (extra: Members): string | undefined =>
  textOf(membersOf(extra['google'])['thought_signature']);

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: Members[];
}
const contentOf = (turn: Exclude<Turn, { by: 'system' }>): Content => {
  switch (turn.by) {
    case 'user':
      return { role: 'user', parts: turn.parts.map(partOf) };
    case 'tool':
      return {
        role: 'user',
        parts: [{ functionResponse: { name: turn.name, response: responseOf(turn.text) } }],
      };
    case 'assistant':
      return {
        role: 'model',
        parts: [
          ...turn.parts.map(partOf),
          ...turn.calls.map(({ name, input, extra }) =>
            present({
              functionCall: { name, args: input },
              thoughtSignature: signatureOf(extra),
            }),
          ),
        ],
      };
  }
};

/** Contents in which the roles take turns: the answers of several functions are one. */
const contentsOf = (turns: readonly Turn[]): readonly Content[] => {
  const contents: Content[] = [];
  for (const turn of turns) {
    if (turn.by === 'system') continue;
    const content = contentOf(turn);
    const last = contents.at(-1);
    if (content.parts.length === 0) continue;
    if (last?.role === content.role) last.parts.push(...content.parts);
    else contents.push(content);
  }
  return contents;
};

const modes: Readonly<Record<string, string>> = { auto: 'AUTO', none: 'NONE', required: 'ANY' };
const toolConfigOf = (choice: Choice): Members | undefined => {
  if (choice === undefined) return undefined;
  return {
    functionCallingConfig:
      typeof choice === 'string'
        ? { mode: modes[choice] }
        : { mode: 'ANY', allowedFunctionNames: [choice.name] },
  };
};
const toolMembers = (request: ChatRequest): Members => {
  const tools = toolsOf(request);
  if (tools.length === 0) return {};
  return present({
    tools: [
      {
        functionDeclarations: tools.map(({ name, description, parameters }) =>
          present({ name, description, parametersJsonSchema: parameters }),
        ),
      },
    ],
    toolConfig: toolConfigOf(choiceOf(request)),
  });
};

const configOf = (request: ChatRequest): Members => {
  const format = formatOf(request);
  return present({
    temperature: request.temperature,
    topP: request.top_p,
    candidateCount: request.n,
    stopSequences: request.stop,
    maxOutputTokens: mostTokensOf(request),
    presencePenalty: request.presence_penalty,
    frequencyPenalty: request.frequency_penalty,
    seed: request.seed,
    responseMimeType: format === undefined ? undefined : 'application/json',
    responseJsonSchema: format?.schema,
  });
};

const bodyOf = (request: ChatRequest): unknown => {
  const turns = turnsOf(request);
  const system = turns.flatMap((turn) => (turn.by === 'system' ? [{ text: turn.text }] : []));
  return {
    ...present({
      contents: contentsOf(turns),
      systemInstruction: system.length === 0 ? undefined : { parts: system },
      generationConfig: configOf(request),
    }),
    ...toolMembers(request),
    ...request.extra_body,
  };
};

const ends: Readonly<Record<string, string>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
};
const endOf = (reason: unknown, calls: boolean): string | undefined => {
  const said = textOf(reason);
  if (said === undefined) return undefined;
  const end = ends[said] ?? said.toLowerCase();
  return end === 'stop' && calls ? 'tool_calls' : end;
};

const usageOf = (value: unknown): ChatUsage | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const usage = membersOf(value);
  const prompt = wholeOf(usage['promptTokenCount']) ?? 0;
  const thoughts = wholeOf(usage['thoughtsTokenCount']) ?? 0;
  const completion = (wholeOf(usage['candidatesTokenCount']) ?? 0) + thoughts;
  const cached = wholeOf(usage['cachedContentTokenCount']);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: wholeOf(usage['totalTokenCount']) ?? prompt + completion,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(thoughts === 0 ? {} : { completion_tokens_details: { reasoning_tokens: thoughts } }),
  };
};

/** `first` is the place of the first call of this piece among all of its message. */
const readCalls = (parts: readonly Members[], first: number): readonly ChatToolCall[] =>
  parts
    .filter((part) => typeof part['functionCall'] === 'object' && part['functionCall'] !== null)
    .map((part, place): ChatToolCall => {
      const { id, name, args } = membersOf(part['functionCall']);
      const signature = textOf(part['thoughtSignature']);
      return {
        id: textOf(id) ?? `call_${first + place}`,
        index: first + place,
        type: 'function',
        function: present({ name: textOf(name), arguments: JSON.stringify(args ?? {}) }),
        ...(signature === undefined
          ? {}
          : { extra_content: { google: { thought_signature: signature } } }),
      };
    });

const readSaid = (parts: readonly Members[], first: number): ChatSaid => {
  const texts = (thoughts: boolean): string | undefined => {
    const found = parts.filter(
      (part) => typeof part['text'] === 'string' && (part['thought'] === true) === thoughts,
    );
    return found.length === 0 ? undefined : found.map((part) => textOf(part['text'])).join('');
  };
  const calls = readCalls(parts, first);
  return present({
    content: texts(false),
    reasoning_content: texts(true),
    tool_calls: calls.length === 0 ? undefined : calls,
  });
};

const partsOf = (candidate: Members): readonly Members[] =>
  listOf(membersOf(candidate['content'])['parts']).map(membersOf);

/** Why a prompt was not answered at all. */
const blockOf = (answer: Members): string | undefined =>
  textOf(membersOf(answer['promptFeedback'])['blockReason']);

const headOf = (answer: Members, { request, now }: AnswerNeeds) => ({
  id: textOf(answer['responseId']) ?? '',
  created: now,
  model: textOf(answer['modelVersion']) ?? request.model,
});

const read = (answer: unknown, needs: AnswerNeeds): ChatCompletion | undefined => {
  const members = membersOf(answer);
  const block = blockOf(members);
  if (!Array.isArray(members['candidates']) && block === undefined) return undefined;
  const candidates = listOf(members['candidates']).map(membersOf);
  return {
    ...headOf(members, needs),
    object: 'chat.completion',
    choices:
      candidates.length === 0
        ? [
            {
              index: 0,
              message: { role: 'assistant', refusal: `the prompt was blocked: ${block ?? ''}` },
              finish_reason: 'content_filter',
            },
          ]
        : candidates.map((candidate, place) => {
            const said = readSaid(partsOf(candidate), 0);
            const end = endOf(candidate['finishReason'], said.tool_calls !== undefined);
            return {
              index: wholeOf(candidate['index']) ?? place,
              message: { role: 'assistant', ...said },
              ...present({ finish_reason: end }),
            };
          }),
    ...present({ usage: usageOf(members['usageMetadata']) }),
  };
};

const streamReader = (needs: AnswerNeeds): StreamReader => {
  /** How many calls each choice has made so far. */
  const calls = new Map<number, number>();
  let [head, usage, done, begun]: [
    ReturnType<typeof headOf>,
    ChatUsage | undefined,
    boolean,
    boolean,
  ] = [headOf({}, needs), undefined, false, false];
  const chunk = (choices: ChatChunk['choices']): ChatChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices,
  });
  return {
    read(given) {
      const fault = errorIn(given);
      if (fault !== undefined) return fault;
      const event = membersOf(given);
      const block = blockOf(event);
      if (
        !Array.isArray(event['candidates']) &&
        block === undefined &&
        event['usageMetadata'] === undefined
      )
        return { status: undefined, message: 'the model sent what is no event of its wire' };
      head = headOf(event, needs);
      usage = usageOf(event['usageMetadata']) ?? usage;
      const choices = listOf(event['candidates']).map((one, place) => {
        const candidate = membersOf(one);
        const index = wholeOf(candidate['index']) ?? place;
        const before = calls.get(index) ?? 0;
        const said = readSaid(partsOf(candidate), before);
        const made = before + (said.tool_calls?.length ?? 0);
        calls.set(index, made);
        const end = endOf(candidate['finishReason'], made > 0);
        done ||= end !== undefined;
        return {
          index,
          delta: { ...(begun ? {} : { role: 'assistant' }), ...said },
          ...present({ finish_reason: end }),
        };
      });
      if (choices.length > 0) {
        begun = true;
        return [chunk(choices)];
      }
      if (block === undefined) return [];
      done = true;
      const refusal = `the prompt was blocked: ${block}`;
      return [
        chunk([
          { index: 0, delta: { role: 'assistant', refusal }, finish_reason: 'content_filter' },
        ]),
      ];
    },
    finish: () =>
      tellsUsage(needs.request) && usage !== undefined ? [{ ...chunk([]), usage }] : [],
    isDone: () => done,
  };
};

const operationOf = (streams: boolean): string =>
  streams ? 'streamGenerateContent?alt=sse' : 'generateContent';

export const geminiWire: Wire = {
  name: 'gemini',
  write: (request, { baseUrl, key }, streams) => ({
    url: `${baseUrl}/models/${encodeURIComponent(request.model)}:${operationOf(streams)}`,
    headers: key === undefined ? {} : { 'x-goog-api-key': key },
    body: bodyOf(request),
  }),
  read: (answer, needs) => read(answer, needs) ?? errorIn(answer),
  reader: streamReader,
};
