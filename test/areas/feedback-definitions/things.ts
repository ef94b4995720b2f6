import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

export const feedbackDefinitions = thing(async ({ ask }) => {
  const definitionId = v7();
  await ask('/v1/private/feedback-definitions', {
    id: definitionId,
    name: freshName('definition'),
    type: 'numerical',
    details: { min: 0, max: 1 },
  });
  return { definitionId };
});
