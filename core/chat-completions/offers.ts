// What other areas do with models: ask one of a workspace's providers.
import type { ChatAnswer, ChatModels, ChatRequest } from '#ports/chat-model';
import { providers, type Provider } from '#ports/model/provider-keys';
import type { Sealer } from '#ports/sealer';
import type { ProviderKeyStore } from '#ports/storage/provider-keys';
import { openProviderKey } from '../provider-keys/offers.js';
import { pricedModels } from '../traces/rules.js';
import { chooseModel, type Chosen } from './choosing.js';

export interface AskingNeeds {
  readonly providerKeys: ProviderKeyStore;
  readonly models: ChatModels;
  readonly sealer: Sealer;
  /** The setting with prices of models, which also says of whom they are. */
  readonly prices: string;
}

/** The provider of a workspace to whom a model of this name belongs. Rejects with `invalid` for a model that is none of its providers'. */
export const findModel = async (
  { providerKeys, prices }: Pick<AskingNeeds, 'providerKeys' | 'prices'>,
  workspaceId: string,
  name: string,
): Promise<Chosen> => {
  const priced = pricedModels(prices);
  return chooseModel(name.trim(), await providerKeys.list(workspaceId), (model) =>
    providers.find((one) => priced[one]?.some((beginning) => model.startsWith(beginning)) === true),
  );
};

/** Asks the model of a name as a workspace may. Rejects with `invalid` for a model that is none of its providers', and with `unavailable` where its key cannot be opened. */
export const askModel = async (
  needs: AskingNeeds,
  workspaceId: string,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ChatAnswer & { readonly provider: Provider }> => {
  const { key, model, wire, baseUrl } = await findModel(needs, workspaceId, request.model);
  const target = { baseUrl, ...openProviderKey(needs.sealer, key) };
  const answer = await needs.models.find(wire).complete({ ...request, model }, target, signal);
  return { ...answer, provider: key.provider };
};
export { refuse, refusedAs } from './refusing.js';
export { chatsWith } from './bounds.js';
