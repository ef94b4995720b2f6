// What other areas do with models: ask one of a workspace's providers.
import type { ChatAnswer, ChatModels, ChatRequest } from '#ports/chat-model';
import { providers } from '#ports/model/provider-keys';
import type { Sealer } from '#ports/sealer';
import type { ProviderKeyStore } from '#ports/storage/provider-keys';
import { openProviderKey } from '../provider-keys/offers.js';
import { pricedModels } from '../traces/rules.js';
import { chooseModel } from './choosing.js';

export interface AskingNeeds {
  readonly providerKeys: ProviderKeyStore;
  readonly models: ChatModels;
  readonly sealer: Sealer;
  /** The setting with prices of models, which also says of whom they are. */
  readonly prices: string;
}

/** Asks the model of a name as a workspace may. Rejects with `invalid` for a model that is none of its providers', and with `unavailable` where its key cannot be opened. */
export const askModel = async (
  { providerKeys, models, sealer, prices }: AskingNeeds,
  workspaceId: string,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ChatAnswer> => {
  const priced = pricedModels(prices);
  const { key, model, wire, baseUrl } = chooseModel(
    request.model.trim(),
    await providerKeys.list(workspaceId),
    (name) =>
      providers.find(
        (one) => priced[one]?.some((beginning) => name.startsWith(beginning)) === true,
      ),
  );
  const target = { baseUrl, ...openProviderKey(sealer, key) };
  return models.find(wire).complete({ ...request, model }, target, signal);
};
