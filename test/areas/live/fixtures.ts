import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['live'],
  rows: {
    // Ends once what was missed is told; without that it would go on.
    listenToProject: {
      with: () => ({ 'query.forSeconds': 0 }),
      notOurs: { 'query.after': 'the id of an event, which is a time' },
    },
  },
};
