import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = { areas: ['asset-matrix'] };
