// The analysers of traces that the product has, over a storage and a server of models of the tests' own.
import { httpChatModels } from '#adapters/chat-model/http/chat-models';
import { createOutgoing } from '#adapters/system/outgoing';
import { gcmSealer } from '#adapters/system/sealer';
import { systemSecrets } from '#adapters/system/secrets';
import { judgeTargets } from '#adapters/system/targets';
import { ownAnalyser } from '#core/agent-insights/analysing';
import { explainingAnalyser } from '#core/agent-insights/explaining';
import type { InsightAnalyser } from '#ports/insight-analyser';
import type { Stores } from '#ports/storage/storage';
import { freshId } from '#test/contract/storage/builders';

/** One that asks a model of the server of `addKey`; without one, the analyser that asks nobody. */
export const analyserOver = (stores: Stores, model?: string): InsightAnalyser => {
  const common = { stores, secrets: systemSecrets };
  return model === undefined
    ? ownAnalyser(common)
    : explainingAnalyser({
        ...common,
        model: `custom-llm/own/${model}`,
        models: httpChatModels({
          outgoing: createOutgoing(judgeTargets('127.0.0.1')),
          now: () => Date.now(),
          limits: { limitMs: 2000, attempts: 1 },
        }),
        sealer: gcmSealer(() => 'x'.repeat(32)),
        providerKeys: stores.providerKeys,
        prices: '',
      });
};

/** Lets a workspace ask the models of a server. */
export const addKey = (
  { providerKeys }: Pick<Stores, 'providerKeys'>,
  workspaceId: string,
  baseUrl: string,
): Promise<unknown> =>
  providerKeys.insert({
    ...{ workspaceId, id: freshId(), provider: 'custom-llm', providerName: 'own' },
    ...{ name: undefined, sealedKey: undefined, maskedKey: undefined, baseUrl },
    ...{ sealedHeaders: undefined, configuration: undefined },
    ...{ createdAt: 1, createdBy: 'ann', lastUpdatedAt: 1, lastUpdatedBy: 'ann' },
  });
