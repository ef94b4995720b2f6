import { thing } from '#test/api/fixtures';

export const optimizers = thing(async ({ ask }) => {
  const { id: optimizerId = '' } = await ask('/optimizer/create', {
    algorithm: 'random',
    parameters: { x: { type: 'float', min: 0, max: 1 } },
  });
  return { optimizerId };
});
