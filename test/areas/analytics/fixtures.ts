import { savedQuery } from '#ports/model/saved-queries';
import { kindIn, thing, type AreaFixtures, type RowFixture } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';

const sql = "SELECT '{}' AS result";
const asking: RowFixture = { with: () => ({ 'body.query': sql }) };

const savedQueries = thing(async ({ ask }) => ({
  queryId: (await ask('/v1/internal/dashboard-saved-queries', { sql }))['id'] ?? '',
}));

export const fixtures: AreaFixtures = {
  areas: ['analytics'],
  kinds: [
    kindIn(savedQuery, savedQueries, {
      name: ({ queryId }) => queryId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    runProjectQuery: asking,
    runWorkspaceQuery: asking,
    createSavedQuery: { with: () => ({ 'body.sql': sql }) },
  },
};
