import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['mcp'],
  rows: {
    answerMcp: {
      aboutCaller: 'calls operations, each of which is about something of its own',
      with: () => ({ 'body.id': 1, 'body.method': 'tools/list' }),
    },
  },
};
