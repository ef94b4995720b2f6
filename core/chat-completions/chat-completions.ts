import { area } from '#ports/api/area';
import { chatCompletionOperations } from '#ports/api/chat-completions';
import { privateFamily } from '#ports/api/families/private';
import type { Call } from '#ports/api/operation';
import { ChatModels, type ChatFault, type ChatPiece, type ChatRequest } from '#ports/chat-model';
import { providers } from '#ports/model/provider-keys';
import { Sealer } from '#ports/sealer';
import { storageOf } from '#ports/storage/storage';
import { openProviderKey } from '../provider-keys/offers.js';
import { pricedModels } from '../traces/rules.js';
import { traceSettings } from '../traces/settings.js';
import { chooseModel } from './choosing.js';
import { chatsWith } from './bounds.js';
import { refuse } from './refusing.js';

type Body = Call<typeof chatCompletionOperations.createChatCompletion>['body'];

const requestOf = (body: Body, model: string): ChatRequest => ({
  model,
  messages: body.messages ?? [],
  temperature: body.temperature,
  top_p: body.top_p,
  n: body.n,
  stop: body.stop,
  max_tokens: body.max_tokens,
  max_completion_tokens: body.max_completion_tokens,
  presence_penalty: body.presence_penalty,
  frequency_penalty: body.frequency_penalty,
  logit_bias: body.logit_bias,
  user: body.user,
  response_format: body.response_format,
  seed: body.seed,
  tools: body.tools,
  tool_choice: body.tool_choice,
  parallel_tool_calls: body.parallel_tool_calls,
  logprobs: body.logprobs,
  top_logprobs: body.top_logprobs,
  stream_options: body.stream_options,
  extra_body: body.extra_body,
  more: {
    store: body.store,
    metadata: body.metadata,
    reasoning_effort: body.reasoning_effort,
    service_tier: body.service_tier,
    prompt_cache_key: body.prompt_cache_key,
    prompt_cache_options: body.prompt_cache_options,
    functions: body.functions,
    function_call: body.function_call,
  },
});

/** The status of a fault that comes once a stream has begun. */
const codeOf = ({ status }: ChatFault): number =>
  status !== undefined && status >= 400 && status <= 500 ? status : 502;

async function* shown(pieces: AsyncIterable<ChatPiece>, end: () => void) {
  try {
    for await (const piece of pieces) {
      if ('chunk' in piece) {
        yield piece.chunk;
        continue;
      }
      const error = { code: codeOf(piece.fault), message: piece.fault.message };
      yield { ...error, error };
    }
  } finally {
    end();
  }
}

export const chatCompletionsArea = area({
  name: 'chat-completions',
  summary: 'Chats with models of the providers for whom a workspace has keys.',
  family: privateFamily,
  table: chatCompletionOperations,
  needs: {
    storage: storageOf('providerKeys'),
    models: ChatModels,
    sealer: Sealer,
    traceSettings: traceSettings.port,
  },
  handlers: ({ storage, models, sealer, traceSettings: { ORRERY_MODEL_PRICES } }) => {
    const { providerKeys } = storage.stores;
    const going = chatsWith(models);
    const priced = pricedModels(ORRERY_MODEL_PRICES);
    const providerOf = (model: string) =>
      providers.find((one) => priced[one]?.some((name) => model.startsWith(name)) === true);
    return {
      async createChatCompletion({ body, workspace, signal }) {
        const { key, model, wire, baseUrl } = chooseModel(
          body.model?.trim() ?? '',
          await providerKeys.list(workspace.id),
          providerOf,
        );
        const target = { baseUrl, ...openProviderKey(sealer, key) };
        const request = requestOf(body, model);
        const answeredBy = { provider: key.provider, model };
        const end = going.begin(workspace.id);
        let goesOn = false;
        try {
          if (body.stream !== true) {
            const came = await models.find(wire).complete(request, target, signal);
            return 'fault' in came
              ? refuse(came.fault)
              : ({ status: 200, body: came.completion, answeredBy } as const);
          }
          const came = await models.find(wire).stream(request, target, signal);
          if ('fault' in came) return refuse(came.fault);
          goesOn = true;
          return { status: 200, body: { pieces: shown(came.pieces, end) }, answeredBy } as const;
        } finally {
          if (!goesOn) end();
        }
      },
    };
  },
});
