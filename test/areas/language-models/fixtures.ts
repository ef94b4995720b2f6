import type { AreaFixtures } from '#test/api/fixtures';
import { mayCallNowhere, nowhere } from '#test/api/fresh';

const calling = { with: () => ({ 'body.base_url': nowhere }) };

export const fixtures: AreaFixtures = {
  areas: ['language-models'],
  settings: mayCallNowhere,
  rows: { listOllamaModels: calling, testOllama: calling },
};
