// Messages of OpenAI's chat as other wires need them: roles told apart, content in parts, results beside the calls that they answer. Pure.
import type { ChatMessage, ChatRequest } from '#ports/chat-model';
import { listOf, membersOf, parse, textOf, type Members } from './reading.js';
import { Unsupported } from './wire.js';

/** A part of a message's content. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** Bytes in base64, with their media type. */
  | { readonly kind: 'bytes'; readonly of: Medium; readonly type: string; readonly data: string }
  | { readonly kind: 'link'; readonly of: Medium; readonly url: string };
export type Medium = 'image' | 'audio' | 'video' | 'file';

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Members;
  readonly extra: Members;
}
export type Turn =
  | { readonly by: 'system'; readonly text: string }
  | { readonly by: 'user'; readonly parts: readonly Part[] }
  | { readonly by: 'assistant'; readonly parts: readonly Part[]; readonly calls: readonly Call[] }
  | {
      readonly by: 'tool';
      readonly id: string;
      /** The function that was called. */
      readonly name: string;
      readonly text: string;
    };

const linked = (of: Medium, url: string | undefined): Part => {
  if (url === undefined) throw new Unsupported(`a part of the kind ${of} has no url`);
  const comma = url.indexOf(',');
  const head = /^data:([^;,]*)(?:;[^,]*)?;base64$/i.exec(comma === -1 ? '' : url.slice(0, comma));
  return head === null
    ? { kind: 'link', of, url }
    : { kind: 'bytes', of, type: head[1] ?? '', data: url.slice(comma + 1) };
};
const urlOf = (value: unknown): string | undefined =>
  textOf(value) ?? textOf(membersOf(value)['url']);

const partOf = (value: unknown): Part => {
  if (typeof value === 'string') return { kind: 'text', text: value };
  const part = membersOf(value);
  const type = textOf(part['type']) ?? 'text';
  switch (type) {
    case 'text':
    case 'refusal':
      return { kind: 'text', text: textOf(part[type]) ?? '' };
    case 'image_url':
      return linked('image', urlOf(part['image_url']));
    case 'video_url':
      return linked('video', urlOf(part['video_url']));
    case 'audio_url':
      return linked('audio', urlOf(part['audio_url']));
    case 'input_audio': {
      const { data, format } = membersOf(part['input_audio']);
      return {
        kind: 'bytes',
        of: 'audio',
        type: `audio/${textOf(format) ?? 'wav'}`,
        data: textOf(data) ?? '',
      };
    }
    case 'file':
      return linked('file', textOf(membersOf(part['file'])['file_data']));
    default:
      throw new Unsupported(
        `content of the type ${JSON.stringify(type.slice(0, 40))} is not known to this provider`,
      );
  }
};

const partsOf = (content: unknown): readonly Part[] => {
  if (content === undefined || content === null || content === '') return [];
  if (Array.isArray(content)) return content.map(partOf);
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (typeof membersOf(content)['type'] === 'string') return [partOf(content)];
  return [
    {
      kind: 'text',
      text: typeof content === 'object' ? JSON.stringify(content) : String(content as unknown),
    },
  ];
};
const textIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('');

const callOf = (value: unknown, place: number): Call => {
  const { id, function: called, extra_content: extra } = membersOf(value);
  const { name, arguments: given } = membersOf(called);
  return {
    id: textOf(id) ?? `call_${place}`,
    name: textOf(name) ?? '',
    input: membersOf(parse(textOf(given) ?? '{}')),
    extra: membersOf(extra),
  };
};

const turnOf = (message: ChatMessage, names: Map<string, string>): Turn => {
  const { role, content } = message;
  switch (role) {
    case 'system':
    case 'developer':
      return { by: 'system', text: textIn(content) };
    case 'assistant': {
      const older = message['function_call'];
      const calls = [
        ...listOf(message['tool_calls']),
        ...(typeof older === 'object' && older !== null
          ? [{ id: textOf(membersOf(older)['name']), function: older }]
          : []),
      ].map(callOf);
      for (const call of calls) names.set(call.id, call.name);
      return { by: 'assistant', parts: partsOf(content), calls };
    }
    case 'tool':
    case 'function': {
      const name = textOf(message['name']);
      const id = textOf(message['tool_call_id']) ?? name ?? '';
      return { by: 'tool', id, name: names.get(id) ?? name ?? id, text: textIn(content) };
    }
    default:
      return { by: 'user', parts: partsOf(content) };
  }
};

/** The messages of a request in their order. Throws `Unsupported` for content that no wire but OpenAI's has. */
export const turnsOf = ({ messages }: ChatRequest): readonly Turn[] => {
  const names = new Map<string, string>();
  return messages.map((message) => turnOf(message, names));
};

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  /** A JSON Schema. */
  readonly parameters: Members;
}

const toolOf = (value: unknown): Tool => {
  const { name, description, parameters } = membersOf(value);
  return {
    name: textOf(name) ?? '',
    description: textOf(description),
    parameters:
      parameters === undefined ? { type: 'object', properties: {} } : membersOf(parameters),
  };
};
/** The functions that the model may call, by either member. */
export const toolsOf = ({ tools, more }: ChatRequest): readonly Tool[] => [
  ...(tools ?? []).map((one) => toolOf(membersOf(one)['function'])),
  ...listOf(more?.['functions']).map(toolOf),
];

/** Whether the model calls a function: as it likes, never, one of them, or this one. */
export type Choice = 'auto' | 'none' | 'required' | { readonly name: string } | undefined;
export const choiceOf = ({ tool_choice, more }: ChatRequest): Choice => {
  const given = tool_choice ?? more?.['function_call'];
  if (given === 'auto' || given === 'none' || given === 'required') return given;
  if (typeof given !== 'object' || given === null) return undefined;
  const members = membersOf(given);
  const name = textOf(membersOf(members['function'])['name']) ?? textOf(members['name']);
  if (name !== undefined) return { name };
  const type = textOf(members['type']);
  return type === 'auto' || type === 'none' || type === 'required' ? type : undefined;
};

/** The form that an answer must have; `undefined` for text. */
export interface Format {
  readonly name: string;
  /** `undefined` for any JSON object. */
  readonly schema: Members | undefined;
}
export const formatOf = ({ response_format: given }: ChatRequest): Format | undefined => {
  const { type, json_schema: named } = membersOf(given);
  if (type === 'json_object') return { name: 'answer', schema: undefined };
  if (type !== 'json_schema') return undefined;
  const { name, schema } = membersOf(named);
  return { name: textOf(name) ?? 'answer', schema: membersOf(schema) };
};

export const mostTokensOf = ({ max_tokens, max_completion_tokens }: ChatRequest) =>
  max_completion_tokens ?? max_tokens;

/** Whether a stream is to tell at its end what was used. */
export const tellsUsage = ({ stream_options }: ChatRequest): boolean =>
  membersOf(stream_options)['include_usage'] === true;
