import { thing, type AreaFixtures } from '#test/api/fixtures';
import { freshName, mayCallNowhere, nowhere } from '#test/api/fresh';
import { datasets } from '../datasets/things.js';

/** A model of a provider who does not answer. */
const triedModels = thing(async ({ ask }) => {
  const provider = freshName('provider');
  await ask('/v1/private/llm-provider-key', {
    provider: 'custom-llm',
    provider_name: provider,
    base_url: nowhere,
  });
  return { model: `custom-llm/${provider}/model` };
});

export const fixtures: AreaFixtures = {
  areas: ['playground'],
  settings: mayCallNowhere,
  things: [triedModels],
  rows: {
    runPrompts: {
      with: (world) => ({
        'body.prompts': [
          {
            model: world.of(triedModels).model,
            messages: [{ role: 'user', content: 'Where is {{city}}?' }],
          },
        ],
        'body.dataset_id': world.of(datasets).datasetId,
        'body.dataset_name': undefined,
        'body.dataset_version_id': undefined,
        'body.version_hash': undefined,
        'body.prompt_versions': undefined,
        'body.selected_rule_ids': undefined,
        'body.filters': undefined,
      }),
    },
    expandDataset: {
      with: (world) => ({ 'body.model': world.of(triedModels).model }),
    },
  },
};
