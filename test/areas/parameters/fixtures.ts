import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['parameters'],
  rows: {
    deleteParameter: { consumes: true },
    deleteParameters: { consumes: true },
    deleteTags: { consumes: true },
  },
};
