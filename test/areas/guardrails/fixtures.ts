import { v7 } from 'uuid';
import type { AreaFixtures } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';
import { guardrailPolicies, guards } from './things.js';

const inWorkspace = 'is looked for in the workspace of the header alone';
const elsewhere = 'names a trace that need not be there';

export const fixtures: AreaFixtures = {
  areas: ['guardrails'],
  things: [guardrailPolicies],
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
    createGuardrailPolicy: {
      with: () => ({ 'body.name': freshName('policy'), 'body.guards': guards }),
      ownNames: ['body.name'],
    },
    replaceGuardrailPolicy: {
      with: (world) => ({
        'params.id': world.of(guardrailPolicies).policyId,
        'body.name': freshName('policy'),
        'body.guards': guards,
      }),
      notOurs: { 'params.id': inWorkspace },
      ownNames: ['body.name'],
    },
    deleteGuardrailPolicies: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(guardrailPolicies).policyId] }),
      notOurs: { 'body.ids': inWorkspace },
    },
    retrieveGuardrailPolicies: { with: () => ({ 'body.names': [] }) },
  },
};
