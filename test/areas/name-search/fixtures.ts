import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['name-search'],
  rows: {
    searchNames: {
      aboutCaller: 'everything that the caller may read, wherever it is',
      notOurs: {
        'query.workspace': 'only leaves out what lies elsewhere, of what the caller may read',
      },
    },
  },
};
