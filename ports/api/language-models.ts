// Models of providers: those that the server knows prices of, and those of an Ollama instance that a workspace has.
import { everywhere, headerWorkspace, refusedWorkspace } from './private-wire.js';
import { operations } from './operation.js';
import { flag, integer, list, map, object, optional, shape, text, texts } from './schema.js';

const instance = object({
  base_url: text({ min: 1, max: 2000 }),
  api_key: optional(text({ max: 10_000 })),
});
const model = shape('OllamaModel', 'A model of an Ollama instance; `size` is in bytes.', {
  name: text(),
  size: optional(integer()),
  digest: optional(text()),
  modified_at: optional(text()),
});
const connection = shape('OllamaConnection', 'Whether an Ollama instance answers.', {
  connected: flag(),
  version: optional(text()),
  error_message: optional(text()),
});
const refused = object({ code: integer(), message: text(), errors: texts() });
/** Whoever may keep keys of providers may have the server call where a key would be used. */
const calling = {
  method: 'POST',
  access: { needs: 'workspace-admin', about: headerWorkspace, changes: false },
  wire: refusedWorkspace,
  body: instance,
  fails: ['invalid', 'unprocessable'],
} as const;

export const languageModelOperations = operations({
  listLanguageModels: {
    method: 'GET',
    path: everywhere('/v1/private/llm/models'),
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'Models whose prices the server knows, by provider',
    replies: { 200: map(texts()) },
  },
  listOllamaModels: {
    ...calling,
    path: everywhere('/v1/private/ollama/models'),
    summary:
      'The models that an Ollama instance has; `/v1` at the end of its address makes no difference. 500 where it does not answer as one',
    replies: { 200: list(model), 500: refused },
  },
  testOllama: {
    ...calling,
    path: everywhere('/v1/private/ollama/test-connection'),
    summary: 'Call an Ollama instance and tell its version; 502 where it does not answer as one',
    replies: { 200: connection, 502: connection },
  },
});
