import type { AreaFixtures } from '#test/api/fixtures';
import { calls } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['rpc'],
  things: [calls],
  rows: {
    saveResult: { with: (world) => ({ 'body.callId': world.of(calls).callId }) },
  },
};
