// Where attributes of OpenTelemetry's conventions belong in a span: GenAI, OpenInference and those of frameworks. Pure.
import type { OtlpAttributes, OtlpValue } from '#ports/otlp';
import { parseJson } from '../json-text.js';

export type Place =
  | 'input'
  | 'output'
  | 'metadata'
  | 'model'
  | 'provider'
  | 'cost'
  | 'usage'
  | 'thread'
  | 'tags'
  | 'kind'
  | 'drop';

interface Rule {
  /** A name, or with a star at its end all that begin with what stands before it. */
  readonly name: string;
  readonly to: Place;
  /** What a span with it is. */
  readonly type?: 'llm' | 'tool';
}

/** In their order: the first that fits counts. */
const rules: readonly Rule[] = [
  { name: 'opik.trace_id', to: 'drop' },
  { name: 'opik.parent_span_id', to: 'drop' },
  { name: 'opik.span_id', to: 'drop' },
  // OpenTelemetry, semantic conventions for generative AI.
  { name: 'gen_ai.request.model', to: 'model', type: 'llm' },
  { name: 'gen_ai.response.model', to: 'model', type: 'llm' },
  { name: 'gen_ai.system', to: 'provider' },
  { name: 'gen_ai.provider.name', to: 'provider' },
  { name: 'gen_ai.conversation.id', to: 'thread' },
  { name: 'gen_ai.usage.cost', to: 'cost' },
  { name: 'gen_ai.usage.*', to: 'usage' },
  { name: 'gen_ai.evaluation.*', to: 'metadata' },
  { name: 'gen_ai.tool.call.arguments', to: 'input', type: 'tool' },
  { name: 'gen_ai.tool.call.result', to: 'output', type: 'tool' },
  { name: 'gen_ai.tool.*', to: 'metadata' },
  { name: 'gen_ai.agent.*', to: 'metadata' },
  { name: 'gen_ai.token.type', to: 'metadata' },
  { name: 'gen_ai.framework', to: 'metadata' },
  { name: 'gen_ai.operation.name', to: 'metadata' },
  { name: 'gen_ai.cost.*', to: 'metadata' },
  { name: 'gen_ai.request.temperature', to: 'metadata' },
  { name: 'gen_ai.response.id', to: 'metadata' },
  { name: 'gen_ai.response.finish_reasons', to: 'metadata' },
  { name: 'gen_ai.prompt*', to: 'input' },
  { name: 'gen_ai.input.*', to: 'input' },
  { name: 'gen_ai.system_instructions', to: 'input' },
  { name: 'gen_ai.request.*', to: 'input' },
  { name: 'gen_ai.completion*', to: 'output' },
  { name: 'gen_ai.output.*', to: 'output' },
  { name: 'gen_ai.response*', to: 'output' },
  // OpenInference, which smolagents and others use.
  { name: 'openinference.span.kind', to: 'kind' },
  { name: 'input.mime_type', to: 'drop' },
  { name: 'output.mime_type', to: 'drop' },
  { name: 'llm.model_name', to: 'model', type: 'llm' },
  { name: 'embedding.model_name', to: 'model', type: 'llm' },
  { name: 'llm.provider', to: 'provider' },
  { name: 'llm.system', to: 'provider' },
  { name: 'llm.token_count.*', to: 'usage' },
  { name: 'llm.usage.*', to: 'usage' },
  { name: 'llm.cost.total', to: 'cost' },
  { name: 'llm.cost.*', to: 'metadata' },
  { name: 'llm.input_messages*', to: 'input' },
  { name: 'llm.prompts*', to: 'input' },
  { name: 'llm.tools*', to: 'input' },
  { name: 'llm.output_messages*', to: 'output' },
  { name: 'llm.completions*', to: 'output' },
  { name: 'llm.invocation_parameters', to: 'metadata' },
  { name: 'llm.*', to: 'metadata' },
  { name: 'retrieval.documents*', to: 'output' },
  { name: 'session.id', to: 'thread' },
  { name: 'tag.tags', to: 'tags' },
  { name: 'user.id', to: 'metadata' },
  { name: 'metadata*', to: 'metadata' },
  { name: 'tool.parameters', to: 'input', type: 'tool' },
  { name: 'tool.*', to: 'metadata' },
  // OpenLLMetry, for what the conventions have no names for.
  { name: 'traceloop.span.kind', to: 'kind' },
  { name: 'traceloop.entity.input', to: 'input' },
  { name: 'traceloop.entity.output', to: 'output' },
  { name: 'traceloop.association.properties.thread_id', to: 'thread' },
  { name: 'traceloop.association.properties.session_id', to: 'thread' },
  { name: 'traceloop.*', to: 'metadata' },
  // Pydantic's agents and Logfire.
  { name: 'model_request_parameters', to: 'metadata' },
  { name: 'model_name', to: 'model', type: 'llm' },
  { name: 'all_messages_events', to: 'input' },
  { name: 'pydantic_ai.all_messages', to: 'input' },
  { name: 'final_result', to: 'output' },
  { name: 'tool_arguments', to: 'input', type: 'tool' },
  { name: 'tool_response', to: 'output', type: 'tool' },
  { name: 'logfire.*', to: 'metadata' },
  { name: 'agent_name', to: 'metadata' },
  // LiveKit's voice agents.
  { name: 'lk.response*', to: 'output' },
  { name: 'lk.function_tool.output', to: 'output', type: 'tool' },
  { name: 'lk.function_tool.arguments', to: 'input', type: 'tool' },
  { name: 'lk.input*', to: 'input' },
  { name: 'lk.user*', to: 'input' },
  { name: 'lk.chat_ctx', to: 'input' },
  { name: 'lk.*', to: 'metadata' },
  // Vercel's AI SDK, which says usage and models by the names of GenAI, too.
  { name: 'ai.prompt*', to: 'input' },
  { name: 'ai.value*', to: 'input' },
  { name: 'ai.documents', to: 'input' },
  { name: 'ai.embedding*', to: 'output' },
  { name: 'ai.ranking', to: 'output' },
  { name: 'ai.toolCall.args', to: 'input', type: 'tool' },
  { name: 'ai.toolCall.result', to: 'output', type: 'tool' },
  { name: 'ai.response.text', to: 'output' },
  { name: 'ai.response.object', to: 'output' },
  { name: 'ai.response.reasoning', to: 'output' },
  { name: 'ai.response.toolCalls', to: 'output' },
  { name: 'ai.response.files', to: 'output' },
  { name: 'ai.telemetry.metadata.threadId', to: 'thread' },
  { name: 'ai.telemetry.metadata.sessionId', to: 'thread' },
  { name: 'ai.*', to: 'metadata' },
  { name: 'operation.name', to: 'metadata' },
  { name: 'resource.name', to: 'metadata' },
  { name: 'thread_id', to: 'thread' },
  { name: 'input*', to: 'input' },
  { name: 'output*', to: 'output' },
];

const fits = ({ name }: Rule, key: string): boolean =>
  name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : name === key;

/** Where an attribute belongs; what no rule knows is input. */
export const placeOf = (key: string): { readonly to: Place; readonly type?: 'llm' | 'tool' } =>
  rules.find((rule) => fits(rule, key)) ?? { to: 'input' };

/** A text that looks like JSON is what it stands for. */
export const unfolded = (value: OtlpValue): unknown => {
  if (typeof value !== 'string') return value;
  const first = value.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return value;
  const parsed = parseJson(value);
  return parsed === undefined ? value : parsed;
};

const usageNames: Readonly<Record<string, string>> = {
  input_tokens: 'prompt_tokens',
  output_tokens: 'completion_tokens',
  prompt: 'prompt_tokens',
  completion: 'completion_tokens',
  total: 'total_tokens',
};

/** What a count is called: `gen_ai.usage.input_tokens` counts the tokens of the prompt. */
export const usageName = (key: string): string => {
  const last = key.replace(/^gen_ai\.usage\.|^llm\.token_count\.|^llm\.usage\./, '');
  return Object.hasOwn(usageNames, last) ? (usageNames[last] ?? last) : last;
};

/** Counts with their total, where only its parts came. */
export const completeUsage = (
  usage: ReadonlyMap<string, number>,
): Readonly<Record<string, number>> | undefined => {
  if (usage.size === 0) return undefined;
  const all = new Map(usage);
  const [prompt, completion] = [all.get('prompt_tokens'), all.get('completion_tokens')];
  if (!all.has('total_tokens') && (prompt !== undefined || completion !== undefined))
    all.set('total_tokens', (prompt ?? 0) + (completion ?? 0));
  return Object.fromEntries(all);
};

/** A provider without the interface by which it was asked, which Vercel's AI SDK says with it: `openai.chat`. */
export const providerName = (said: string): string =>
  said.replace(/\.(chat|completion|embedding|messages|responses)$/, '');

/** What a span does by the conventions for generative AI, as a type of ours. */
export const typeOfOperation = (operation: unknown): 'llm' | 'tool' | undefined => {
  if (operation === 'execute_tool') return 'tool';
  return asksModel.has(operation) ? 'llm' : undefined;
};
const asksModel: ReadonlySet<unknown> = new Set([
  'chat',
  'text_completion',
  'generate_content',
  'embeddings',
]);

/** What OpenInference and OpenLLMetry call a span, as a type of ours. */
export const typeOfKind = (kind: string): 'llm' | 'tool' | 'guardrail' | undefined => {
  const word = kind.toLowerCase();
  if (word === 'llm' || word === 'embedding') return 'llm';
  return word === 'tool' || word === 'guardrail' ? word : undefined;
};

export const textOf = (attributes: OtlpAttributes, name: string): string | undefined => {
  const value = attributes.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};
