import { port } from './port.js';

/** A tool as a client of the Model Context Protocol is told of it. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What it takes, an object in JSON Schema. */
  readonly takes: Readonly<Record<string, unknown>>;
  /** Whether it changes anything. */
  readonly changes: boolean;
}

/** What a call of a tool came to: its reply as text, or why it was refused. */
export interface McpResult {
  readonly text: string;
  readonly refused: boolean;
}

/** What answers the messages of a client. */
export interface McpTools {
  readonly name: string;
  readonly version: string;
  /** What a model is told of the server before it calls anything. */
  readonly instructions: string;
  readonly tools: readonly McpTool[];
  /** Carries out a call. Never rejects. */
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<McpResult>;
}

/** One message of a client, as it came by HTTP. */
export interface McpMessage {
  readonly body: unknown;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** A message of JSON-RPC 2.0 that answers another one. */
export interface McpAnswer {
  readonly jsonrpc: '2.0';
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}
/** 202 has no body: the message asked for no answer. A list answers a list of messages, as version 2025-03-26 has them. */
export type McpReply =
  | { readonly status: 200; readonly body: McpAnswer | readonly McpAnswer[] }
  | { readonly status: 400; readonly body: McpAnswer }
  | { readonly status: 404; readonly body: McpAnswer }
  | { readonly status: 202; readonly body: undefined };

/** The Model Context Protocol over streamable HTTP, without sessions: a message holds all that its answer depends on, so any process answers it. */
export interface Mcp {
  answer(message: McpMessage, tools: McpTools): Promise<McpReply>;
}
export const Mcp = port<Mcp>('mcp');
