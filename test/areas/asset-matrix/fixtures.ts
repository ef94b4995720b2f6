import type { AreaFixtures } from '#test/api/fixtures';
import { pictures } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['asset-matrix'],
  things: [pictures],
  rows: {
    queryAssetMatrix: { with: () => ({ 'body.names': ['sample.png'] }) },
    getThumbnail: {
      with: (world) => ({ 'query.asset': world.of(pictures).pictureId, 'query.size': 64 }),
      foreign: (world) => ({ 'query.asset': world.of(pictures).pictureId }),
    },
  },
};
