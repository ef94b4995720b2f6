import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

export const optimizations = thing(async ({ ask }) => {
  const optimizationId = v7();
  await ask('/v1/private/optimizations', {
    id: optimizationId,
    dataset_name: freshName('dataset'),
    objective_name: 'accuracy',
    status: 'running',
  });
  return { optimizationId };
});
