import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['metrics'],
  rows: {
    logMetric: { with: () => ({ 'body.metricValue': '0.5' }) },
    deleteMetric: { consumes: true },
  },
};
