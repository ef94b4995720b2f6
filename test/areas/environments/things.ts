import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

export const environments = thing(async ({ ask }) => {
  const environmentId = v7();
  const environmentName = freshName('environment');
  await ask('/v1/private/environments', { id: environmentId, name: environmentName });
  return { environmentId, environmentName };
});
