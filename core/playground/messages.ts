// What a model is asked for an item of a dataset. Pure.
import type { ChatMessage, ChatRequest } from '#ports/chat-model';
import type { TriedPrompt } from '#ports/model/prompt-runs';
import { fillWith, textOf } from '../placeholders.js';
import { stepsOf, valueAlong } from '../private-wire/json-path.js';

/** How long may be what is put into messages, in characters. */
const mostCharacters = 1_000_000;
/** How deep parts of a message may be nested. */
const deepest = 20;

type Data = Readonly<Record<string, unknown>>;

/** A member by its name, or what a path leads to. */
const valueOf = (data: Data, name: string): string | undefined => {
  if (Object.hasOwn(data, name)) return textOf(data[name]);
  const steps = stepsOf(name);
  return steps === undefined ? undefined : textOf(valueAlong(data, steps));
};

/** Messages with members of an item in the place of `{{name}}`, also within parts. Rejects with `tooLarge` where all of it is too long. */
export const messagesFor = (
  messages: TriedPrompt['messages'],
  data: Data,
): readonly ChatMessage[] => {
  const fill = fillWith(
    (name) => valueOf(data, name),
    mostCharacters,
    `the messages have more than ${mostCharacters} characters of the item`,
  );
  const render = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return fill(value);
    if (depth === deepest || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => render(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, render(item, depth + 1)]),
    );
  };
  return messages.map((message) => ({ ...message, content: render(message['content'], 0) }));
};

/** Names that clients have for settings of a model, by those that models know. */
const spellings: Readonly<Record<string, string>> = {
  topP: 'top_p',
  maxTokens: 'max_tokens',
  maxCompletionTokens: 'max_completion_tokens',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  responseFormat: 'response_format',
  reasoningEffort: 'reasoning_effort',
};
const numbers = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'presence_penalty',
  'frequency_penalty',
  'seed',
] as const;

/** The settings of a prompt in the form of a request; what no provider knows is left out. */
export const settingsOf = (configs: TriedPrompt['configs']): Partial<ChatRequest> => {
  const named = Object.fromEntries(
    Object.entries(configs).map(([name, value]) => [spellings[name] ?? name, value]),
  );
  const { response_format, reasoning_effort, stop } = named;
  return {
    ...Object.fromEntries(
      numbers.flatMap((name) => (typeof named[name] === 'number' ? [[name, named[name]]] : [])),
    ),
    ...(typeof response_format === 'object' && response_format !== null ? { response_format } : {}),
    ...(Array.isArray(stop) ? { stop: stop.map(String) } : {}),
    ...(typeof reasoning_effort === 'string' ? { more: { reasoning_effort } } : {}),
  };
};
