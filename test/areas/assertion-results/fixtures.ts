import { v7 } from 'uuid';
import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['assertion-results'],
  rows: {
    putAssertionResults: {
      with: () => ({
        'body.entity_type': 'TRACE',
        'body.assertion_results.*.entity_id': v7(),
        'body.assertion_results.*.name': 'polite',
        'body.assertion_results.*.status': 'passed',
        'body.assertion_results.*.source': 'sdk',
      }),
      notOurs: { 'body.assertion_results.*.entity_id': 'names a trace that need not be there' },
    },
  },
};
