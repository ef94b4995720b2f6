import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

export const providerKeys = thing(async ({ ask }) => {
  const providerKeyId = v7();
  await ask('/v1/private/llm-provider-key', {
    id: providerKeyId,
    provider: 'custom-llm',
    provider_name: freshName('provider'),
    api_key: 'sk-first-key-of-many',
  });
  return { providerKeyId };
});
