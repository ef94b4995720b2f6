import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

/** A prompt with one version. */
export const libraryPrompts = thing(async ({ ask }) => {
  const [promptId, promptName] = [v7(), freshName('prompt')];
  await ask('/v1/private/prompts', { id: promptId, name: promptName });
  const version = await ask('/v1/private/prompts/versions', {
    name: promptName,
    version: { template: 'Hello {{name}}' },
  });
  return {
    promptId,
    promptName,
    promptVersionId: version['id'] ?? '',
    commit: version['commit'] ?? '',
  };
});
