// Models that answer chats, whatever their providers' wires. Requests and answers have the form of OpenAI's chat completions, in which most clients ask.
import { port } from './port.js';

/** Where a model is asked, and what opens it. */
export interface ChatTarget {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string | undefined;
  /** Go along with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ChatCalledFunction {
  readonly name?: string;
  /** JSON text. */
  readonly arguments?: string;
}
export interface ChatToolCall {
  readonly id?: string;
  /** Its place among the calls of a message, in pieces of which several belong to one call. */
  readonly index?: number;
  readonly type?: string;
  readonly function?: ChatCalledFunction;
  /** What the model must be shown again beside this call, in its provider's form. */
  readonly extra_content?: unknown;
}

/** One message: what people or programs write is read leniently, since providers know further members. */
export type ChatMessage = Readonly<Record<string, unknown>>;

export interface ChatRequest {
  /** As the provider knows it. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly n?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly max_tokens?: number | undefined;
  readonly max_completion_tokens?: number | undefined;
  readonly presence_penalty?: number | undefined;
  readonly frequency_penalty?: number | undefined;
  readonly logit_bias?: unknown;
  readonly user?: string | undefined;
  /** `{ type: 'text' | 'json_object' }`, or `{ type: 'json_schema', json_schema: { name, schema } }`. */
  readonly response_format?: unknown;
  readonly seed?: number | undefined;
  /** `{ type: 'function', function: { name, description, parameters } }` each. */
  readonly tools?: readonly unknown[] | undefined;
  /** `none`, `auto`, `required`, or `{ type: 'function', function: { name } }`. */
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: boolean | undefined;
  readonly logprobs?: boolean | undefined;
  readonly top_logprobs?: number | undefined;
  readonly stream_options?: unknown;
  /** Members of the provider's own request, which win over what is made of the others. */
  readonly extra_body?: Readonly<Record<string, unknown>> | undefined;
  /** Members that only some providers know. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

export interface ChatUsage {
  readonly total_tokens?: number;
  readonly prompt_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  readonly completion_tokens?: number;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
}
/** What the model says; of a stream, a part of it. */
export interface ChatSaid {
  readonly role?: string;
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly name?: string;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly refusal?: string;
  readonly function_call?: ChatCalledFunction;
}
interface ChatEnd {
  readonly index: number;
  /** Why the model stopped: `stop`, `length`, `tool_calls`, `content_filter`, or a word of the provider's own. */
  readonly finish_reason?: string;
  readonly logprobs?: unknown;
}
interface ChatHead {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly model: string;
  readonly usage?: ChatUsage;
  readonly system_fingerprint?: string;
  readonly service_tier?: string;
}
export interface ChatCompletion extends ChatHead {
  readonly object: 'chat.completion';
  readonly choices: readonly (ChatEnd & { readonly message: ChatSaid })[];
}
export interface ChatChunk extends ChatHead {
  readonly object: 'chat.completion.chunk';
  readonly choices: readonly (ChatEnd & { readonly delta: ChatSaid })[];
}

/** Why there is no answer. */
export interface ChatFault {
  /** That of the provider's answer; `undefined` where it gave none, or none that is a chat's. */
  readonly status: number | undefined;
  /** One sentence, without secrets of the target. */
  readonly message: string;
  /** Whether another attempt may go better. */
  readonly retry: boolean;
  /** Seconds that the provider asks to be left alone. */
  readonly retryAfter?: number;
}
export type ChatAnswer = { readonly completion: ChatCompletion } | { readonly fault: ChatFault };
/** A fault is the last of its stream. */
export type ChatPiece = { readonly chunk: ChatChunk } | { readonly fault: ChatFault };
export type ChatStream =
  { readonly pieces: AsyncIterable<ChatPiece> } | { readonly fault: ChatFault };

/**
 * Asks models of one wire. Neither method rejects, and both end when the signal aborts, along with their requests; what may go better is tried again
 * before anything is told. A request is bounded in time and bytes.
 */
export interface ChatModel {
  readonly wire: string;
  complete(request: ChatRequest, target: ChatTarget, signal: AbortSignal): Promise<ChatAnswer>;
  /**
   * Pieces come as the provider sends them. Whoever stops reading them ends the request. A stream that ends before the model is done ends with a
   * fault. `usage` comes with the last chunk where `stream_options` asks for it, and may come without.
   */
  stream(request: ChatRequest, target: ChatTarget, signal: AbortSignal): Promise<ChatStream>;
}

/** The wires that the product knows. */
export const chatWires = ['openai', 'anthropic', 'gemini'] as const;
export type ChatWireName = (typeof chatWires)[number];

export interface ChatModels {
  find(wire: ChatWireName): ChatModel;
}
export const ChatModels = port<ChatModels>('chatModels');
