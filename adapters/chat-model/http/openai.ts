// The chat completions of OpenAI, which OpenRouter, Ollama, vLLM and most servers of models speak too.
import type {
  ChatCalledFunction,
  ChatChunk,
  ChatCompletion,
  ChatMessage,
  ChatRequest,
  ChatSaid,
  ChatToolCall,
  ChatUsage,
} from '#ports/chat-model';
import { listOf, membersOf, present, textOf, wholeOf } from './reading.js';
import { errorIn, type AnswerNeeds, type Wire } from './wire.js';

const readFunction = (value: unknown): ChatCalledFunction | undefined => {
  const { name, arguments: given } = membersOf(value);
  const called = present({ name: textOf(name), arguments: textOf(given) });
  return Object.keys(called).length === 0 ? undefined : called;
};

const readCall = (value: unknown): ChatToolCall => {
  const { id, index, type, function: called, extra_content } = membersOf(value);
  return present({
    id: textOf(id),
    index: wholeOf(index),
    type: textOf(type),
    function: readFunction(called),
    extra_content,
  });
};

/** Texts of content that comes in parts. */
const contentOf = (content: unknown): string | undefined =>
  Array.isArray(content)
    ? content.map((part) => textOf(membersOf(part)['text']) ?? '').join('')
    : textOf(content);

const readSaid = (value: unknown): ChatSaid => {
  const said = membersOf(value);
  const calls = listOf(said['tool_calls']).map(readCall);
  return present({
    role: textOf(said['role']),
    content: contentOf(said['content']),
    reasoning_content: textOf(said['reasoning_content']) ?? textOf(said['reasoning']),
    name: textOf(said['name']),
    tool_calls: calls.length === 0 ? undefined : calls,
    refusal: textOf(said['refusal']),
    function_call: readFunction(said['function_call']),
  });
};

const readUsage = (value: unknown): ChatUsage | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const usage = membersOf(value);
  const cached = wholeOf(membersOf(usage['prompt_tokens_details'])['cached_tokens']);
  const reasoning = wholeOf(membersOf(usage['completion_tokens_details'])['reasoning_tokens']);
  return present({
    total_tokens: wholeOf(usage['total_tokens']),
    prompt_tokens: wholeOf(usage['prompt_tokens']),
    prompt_tokens_details: cached === undefined ? undefined : { cached_tokens: cached },
    completion_tokens: wholeOf(usage['completion_tokens']),
    completion_tokens_details:
      reasoning === undefined ? undefined : { reasoning_tokens: reasoning },
  });
};

const readLogprobs = (value: unknown): unknown => {
  const { content } = membersOf(value);
  return Array.isArray(content) ? { content: content as readonly unknown[] } : undefined;
};

const readHead = (answer: Readonly<Record<string, unknown>>, { request, now }: AnswerNeeds) => ({
  id: textOf(answer['id']) ?? '',
  created: wholeOf(answer['created']) ?? now,
  model: textOf(answer['model']) ?? request.model,
});
const readTail = (answer: Readonly<Record<string, unknown>>) =>
  present({
    usage: readUsage(answer['usage']),
    system_fingerprint: textOf(answer['system_fingerprint']),
    service_tier: textOf(answer['service_tier']),
  });
const readEnd = (choice: Readonly<Record<string, unknown>>, place: number) => ({
  index: wholeOf(choice['index']) ?? place,
  ...present({
    finish_reason: textOf(choice['finish_reason']),
    logprobs: readLogprobs(choice['logprobs']),
  }),
});

const readCompletion = (answer: unknown, needs: AnswerNeeds): ChatCompletion | undefined => {
  const members = membersOf(answer);
  if (!Array.isArray(members['choices'])) return undefined;
  return {
    ...readHead(members, needs),
    object: 'chat.completion',
    choices: members['choices'].map((one: unknown, place) => {
      const choice = membersOf(one);
      return { ...readEnd(choice, place), message: readSaid(choice['message']) };
    }),
    ...readTail(members),
  };
};

const readChunk = (event: unknown, needs: AnswerNeeds): ChatChunk => {
  const members = membersOf(event);
  return {
    ...readHead(members, needs),
    object: 'chat.completion.chunk',
    choices: listOf(members['choices']).map((one, place) => {
      const choice = membersOf(one);
      return { ...readEnd(choice, place), delta: readSaid(choice['delta']) };
    }),
    ...readTail(members),
  };
};

/** Content that is an object, as some clients can only write it, is one part of it; one that is no part goes out as its text. */
const withParts = (message: ChatMessage): ChatMessage => {
  const { content } = message;
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return message;
  const isPart = typeof membersOf(content)['type'] === 'string';
  return { ...message, content: isPart ? [content] : JSON.stringify(content) };
};

const bodyOf = (request: ChatRequest, streams: boolean): unknown => {
  const { extra_body, more, stream_options, messages, ...own } = request;
  return {
    ...present(own),
    messages: messages.map(withParts),
    ...present(more ?? {}),
    ...(streams && stream_options !== undefined ? { stream_options } : {}),
    ...extra_body,
    stream: streams,
  };
};

export const openaiWire: Wire = {
  name: 'openai',
  write: (request, { baseUrl, key }, streams) => ({
    url: `${baseUrl}/chat/completions`,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    body: bodyOf(request, streams),
  }),
  read: (answer, needs) => readCompletion(answer, needs) ?? errorIn(answer),
  reader(needs) {
    let ended = false;
    return {
      read(event) {
        const isChunk = Array.isArray(membersOf(event)['choices']);
        const fault =
          isChunk && membersOf(event)['error'] === undefined ? undefined : errorIn(event);
        if (fault !== undefined) return fault;
        const chunk = readChunk(event, needs);
        ended ||= chunk.choices.some((one) => one.finish_reason !== undefined);
        return isChunk ? [chunk] : [];
      },
      finish: () => [],
      isDone: () => ended,
    };
  },
};
