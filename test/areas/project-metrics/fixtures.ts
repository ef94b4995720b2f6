import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['project-metrics'],
  rows: {
    showProjectMetrics: {
      with: () => ({
        'body.metric_type': 'TRACE_COUNT',
        'body.interval': 'DAILY',
        'body.interval_start': '2026-05-01T00:00:00Z',
        'body.interval_end': '2026-05-03T00:00:00Z',
      }),
    },
    listProjectStatistics: { ownNames: ['query.name'] },
  },
};
