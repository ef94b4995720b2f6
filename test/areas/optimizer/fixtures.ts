import { optimizer } from '#ports/model/optimizer';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { optimizers } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['optimizer'],
  kinds: [
    kindIn(optimizer, optimizers, {
      name: ({ optimizerId }) => optimizerId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    listAlgorithms: { aboutCaller: 'lists what the product can do' },
    getSpec: {
      aboutCaller: 'lists what the product can do',
      with: () => ({ 'query.algorithmName': 'random' }),
    },
    createOptimizer: {
      with: () => ({
        'body.algorithm': 'random',
        'body.parameters': { x: { type: 'float', min: 0, max: 1 } },
      }),
    },
  },
};
