// What a model is asked for an item of a dataset. Pure.
import type { ChatMessage, ChatRequest } from '#ports/chat-model';
import { Failure } from '#ports/failure';
import type { TriedPrompt } from '#ports/model/prompt-runs';
import { stepsOf } from '../private-wire/json-path.js';

/** How long messages may be with all that is put into them, in characters. */
const mostCharacters = 1_000_000;
/** How deep parts of a message may be nested. */
const deepest = 20;

const placeholder = /\{\{([^{}]{1,200})\}\}/g;

type Data = Readonly<Record<string, unknown>>;

const walk = (value: unknown, steps: readonly (string | number)[]): unknown =>
  steps.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string | number, unknown>>)[step] // it has a member of that name
        : undefined,
    value,
  );

/** A member by its name, or what a path leads to. */
const valueOf = (data: Data, name: string): string | undefined => {
  const value = Object.hasOwn(data, name) ? data[name] : walk(data, stepsOf(name) ?? []);
  if (value === undefined || value === null || value === data) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/**
 * Messages with members of an item in the place of `{{name}}`, also within parts; a placeholder without a value stays, and values are not looked
 * through for placeholders. Rejects with `tooLarge` where all of it is too long.
 */
export const messagesFor = (
  messages: TriedPrompt['messages'],
  data: Data,
): readonly ChatMessage[] => {
  let left = mostCharacters;
  const render = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string')
      return value.replaceAll(placeholder, (whole, name: string) => {
        const found = valueOf(data, name.trim());
        left -= found?.length ?? 0;
        if (left < 0)
          throw new Failure('tooLarge', `the messages have more than ${mostCharacters} characters`);
        return found ?? whole;
      });
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
