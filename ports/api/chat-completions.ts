// Chats with the models of a workspace's providers, in the form in which OpenAI's clients ask. Nothing of them is stored.
import { everywhere, headerWorkspace, refusedWorkspace } from './private-wire.js';
import { detailed, operations, piecewise } from './operation.js';
import {
  anything,
  flag,
  integer,
  items,
  list,
  number,
  object,
  optional,
  record,
  shape,
  text,
  texts,
} from './schema.js';

const calledFunction = shape('ChatFunctionCall', 'A function that a model calls.', {
  name: optional(text()),
  arguments: optional(text()),
});
const toolCall = shape('ChatToolCall', 'A call of a tool; pieces of one call have one index.', {
  id: optional(text()),
  index: optional(integer()),
  type: optional(text()),
  function: optional(calledFunction),
  extra_content: optional(anything()),
});
const said = {
  role: optional(text()),
  content: optional(text()),
  reasoning_content: optional(text()),
  name: optional(text()),
  tool_calls: optional(list(toolCall)),
  refusal: optional(text()),
  function_call: optional(calledFunction),
} as const;
const message = shape('ChatAnswer', 'What a model said.', said);
const delta = shape('ChatDelta', 'What a model said since the piece before.', said);
const choice = {
  index: integer(),
  finish_reason: optional(text()),
  logprobs: optional(anything()),
} as const;
const usage = shape('ChatUsage', 'Tokens of a chat.', {
  total_tokens: optional(integer()),
  prompt_tokens: optional(integer()),
  prompt_tokens_details: optional(object({ cached_tokens: optional(integer()) })),
  completion_tokens: optional(integer()),
  completion_tokens_details: optional(object({ reasoning_tokens: optional(integer()) })),
});
const head = {
  id: text(),
  object: text(),
  created: integer(),
  model: text(),
  usage: optional(usage),
  system_fingerprint: optional(text()),
  service_tier: optional(text()),
} as const;
const completion = shape('ChatCompletion', 'A model’s answer.', {
  ...head,
  choices: list(object({ ...choice, message })),
});
/** Pieces of an answer; of a fault that came once the stream had begun, what it was. */
const chunk = shape(
  'ChatCompletionChunk',
  'A piece of a model’s answer, or why no further one comes: `code` and `message`, and the same in `error`.',
  {
    id: optional(text()),
    object: optional(text()),
    created: optional(integer()),
    model: optional(text()),
    usage: optional(usage),
    system_fingerprint: optional(text()),
    service_tier: optional(text()),
    choices: optional(list(object({ ...choice, delta }))),
    code: optional(integer()),
    message: optional(text()),
    error: optional(object({ code: integer(), message: text() })),
  },
);
const refused = shape('ModelRefusal', 'Why a model did not answer.', {
  code: integer(),
  message: text(),
  errors: texts(),
});
/** Replies of rows that ask a model: payment wanted, out of time, failed, and without an answer. */
export const modelRefusals = { 402: refused, 408: refused, 500: refused, 502: refused } as const;
/** With what else rows that ask a model may fail. */
export const modelFails = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'absent',
  'conflict',
  'tooLarge',
  'unsupported',
  'unprocessable',
  'throttled',
] as const;

export const chatCompletionOperations = operations({
  createChatCompletion: {
    method: 'POST',
    path: everywhere('/v1/private/chat/completions'),
    access: { needs: 'write', about: headerWorkspace, changes: true, beyondProject: true },
    wire: refusedWorkspace,
    summary:
      'Ask a model of a provider for whom the workspace has a key, at once or, with `stream`, in pieces; nothing is stored. What the provider refuses is refused with its status; headers of the reply tell which provider was asked for which model',
    body: object({
      model: optional(text({ max: 500 })),
      messages: optional(items()),
      temperature: optional(number()),
      top_p: optional(number()),
      n: optional(integer()),
      stream: optional(flag()),
      stream_options: optional(record()),
      stop: optional(texts()),
      max_tokens: optional(integer()),
      max_completion_tokens: optional(integer()),
      presence_penalty: optional(number()),
      frequency_penalty: optional(number()),
      logit_bias: optional(record()),
      user: optional(text()),
      response_format: optional(record()),
      seed: optional(integer()),
      tools: optional(items()),
      tool_choice: optional(anything()),
      parallel_tool_calls: optional(flag()),
      store: optional(flag()),
      metadata: optional(record()),
      reasoning_effort: optional(text()),
      service_tier: optional(text()),
      prompt_cache_key: optional(text()),
      prompt_cache_options: optional(record()),
      logprobs: optional(flag()),
      top_logprobs: optional(integer()),
      functions: optional(items()),
      function_call: optional(anything()),
      extra_body: optional(record()),
    }),
    replies: {
      200: detailed(piecewise(completion, chunk)),
      ...modelRefusals,
    },
    fails: modelFails,
  },
});
