import { providerKey } from '#ports/model/provider-keys';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { providerKeys } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['provider-keys'],
  kinds: [
    kindIn(providerKey, providerKeys, {
      name: ({ providerKeyId }) => providerKeyId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    createProviderKey: {
      with: () => ({
        'body.provider': 'custom-llm',
        'body.provider_name': freshName('provider'),
        'body.base_url': 'https://models.example/v1',
      }),
      ownNames: ['body.name', 'body.provider_name'],
    },
    updateProviderKey: {
      with: () => ({
        'body.api_key': 'sk-second-key-of-many',
        'body.base_url': 'https://models.example/v1',
      }),
      ownNames: ['body.name', 'body.provider_name'],
    },
    deleteProviderKeys: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(providerKeys).providerKeyId] }),
      notOurs: { 'body.ids': 'are looked for in the workspace of the header alone' },
    },
  },
};
