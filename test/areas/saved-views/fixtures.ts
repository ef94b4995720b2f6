import { savedView } from '#ports/model/saved-views';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { savedViews } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['saved-views'],
  kinds: [
    kindIn(savedView, savedViews, { name: ({ viewId }) => viewId, unknown: () => unknownId }),
  ],
  rows: {
    updateSavedView: { consumes: true },
    deleteSavedView: { consumes: true },
  },
};
