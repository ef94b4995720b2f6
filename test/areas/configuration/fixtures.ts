import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['configuration'],
  rows: {
    getConfiguration: { open: 'a page must know how to sign in before anybody has' },
  },
};
