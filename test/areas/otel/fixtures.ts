import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['otel'],
  rows: { exportTraces: {} },
};
