// What guardrails check, and what they found in traces.
import { guardTypes } from '../model/guardrail-policies.js';
import { projectTarget } from '../model/projects.js';
import { eachOf, operations } from './operation.js';
import { authorship, everywhere, headerWorkspace, refusedWorkspace } from './private-wire.js';
import { anything, flag, list, map, object, optional, shape, text, texts, word } from './schema.js';

const guards = list(
  shape('Guard', 'One check of a text, and what it is set to.', {
    type: word(...guardTypes),
    config: map(anything()),
  }),
  { maxItems: 50 },
);
const policies = '/v1/private/guardrails/policies';

export const guardrailOperations = operations({
  putGuardrails: {
    method: 'POST',
    path: everywhere('/v1/private/guardrails'),
    access: {
      needs: 'write',
      about: eachOf(projectTarget, 'body.guardrails.*', 'project_id', 'project_name'),
    },
    summary: 'Store what guardrails found in traces; the last result by each name stays',
    body: object({
      guardrails: list(
        object({
          id: optional(text()),
          entity_id: text(),
          secondary_id: text(),
          project_name: optional(text()),
          project_id: optional(text()),
          name: word(...guardTypes),
          result: word('passed', 'failed'),
          config: optional(anything()),
          details: optional(anything()),
        }),
        { maxItems: 1000 },
      ),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  listGuardrailPolicies: {
    method: 'GET',
    path: everywhere(policies),
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'The guardrail policies of a workspace, by name',
    replies: {
      200: object({
        policies: list(
          shape('GuardrailPolicy', 'Checks that programs fetch by name.', {
            name: text(),
            always: flag(),
            guards,
            ...authorship,
          }),
        ),
      }),
    },
  },
  putGuardrailPolicy: {
    method: 'PUT',
    path: everywhere(policies),
    access: { needs: 'workspace-admin', about: headerWorkspace },
    wire: refusedWorkspace,
    audit: true,
    summary:
      'Store a guardrail policy in place of that of its name; every program gets those that are always applied',
    body: object({ name: text({ max: 150 }), always: optional(flag()), guards }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'conflict'],
  },
  deleteGuardrailPolicies: {
    method: 'POST',
    path: everywhere(`${policies}/delete`),
    access: { needs: 'workspace-admin', about: headerWorkspace },
    wire: refusedWorkspace,
    audit: true,
    summary: 'Delete guardrail policies by name; those that are not there are passed over',
    body: object({ names: texts() }),
    replies: { 204: null },
    fails: ['invalid'],
  },
  retrieveGuardrailPolicies: {
    method: 'POST',
    path: everywhere(`${policies}/retrieve`),
    access: { needs: 'read', about: headerWorkspace },
    summary:
      'The guardrail policies of these names and those that are always applied, as clients run them',
    body: object({ names: optional(texts()) }),
    replies: { 200: object({ policies: list(object({ name: text(), guards })) }) },
    fails: ['invalid', 'absent'],
  },
});
