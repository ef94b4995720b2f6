import { v7 } from 'uuid';
import type { AreaFixtures } from '#test/api/fixtures';

const elsewhere = 'names a trace that need not be there';

export const fixtures: AreaFixtures = {
  areas: ['guardrails'],
  rows: {
    putGuardrails: {
      with: () => ({
        'body.guardrails.*.entity_id': v7(),
        'body.guardrails.*.secondary_id': v7(),
        'body.guardrails.*.name': 'PII',
        'body.guardrails.*.result': 'passed',
      }),
      notOurs: {
        'body.guardrails.*.entity_id': elsewhere,
        'body.guardrails.*.secondary_id': elsewhere,
      },
    },
  },
};
