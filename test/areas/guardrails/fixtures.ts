import { v7 } from 'uuid';
import type { AreaFixtures } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

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
    putGuardrailPolicy: {
      with: () => ({
        'body.name': freshName('policy'),
        'body.guards': [{ type: 'PROMPT_INJECTION', config: { threshold: 0.5 } }],
      }),
      ownNames: ['body.name'],
    },
    deleteGuardrailPolicies: { consumes: true },
    retrieveGuardrailPolicies: { with: () => ({ 'body.names': [] }) },
  },
};
