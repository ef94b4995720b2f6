import type { AreaFixtures, RowFixture } from '#test/api/fixtures';

const asking: RowFixture = { with: () => ({ 'body.query': "SELECT '{}' AS result" }) };

export const fixtures: AreaFixtures = {
  areas: ['analytics'],
  rows: {
    runProjectQuery: asking,
    runWorkspaceQuery: asking,
  },
};
