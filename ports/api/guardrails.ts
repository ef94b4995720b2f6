// What guardrails check, and what they found in traces.
import { executionModes, guardTypes } from '../model/guardrail-policies.js';
import { projectTarget } from '../model/projects.js';
import { detailed, eachOf, operations } from './operation.js';
import {
  authorship,
  everywhere,
  headerWorkspace,
  manyIds,
  refusedWorkspace,
} from './private-wire.js';
import { anything, list, map, object, optional, shape, text, texts, word } from './schema.js';

const guards = list(
  shape('Guard', 'One check of a text, and what it is set to.', {
    type: word(...guardTypes),
    config: map(anything()),
  }),
  { maxItems: 50 },
);
const policies = '/v1/private/guardrails/policies';
const mode = word(...executionModes);
const policy = object({ name: text({ max: 150 }), execution_mode: optional(mode), guards });
const shown = { id: text(), name: text(), execution_mode: mode, guards } as const;

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
            ...shown,
            ...authorship,
          }),
        ),
      }),
    },
  },
  createGuardrailPolicy: {
    method: 'POST',
    path: everywhere(policies),
    access: { needs: 'workspace-admin', about: headerWorkspace },
    wire: refusedWorkspace,
    audit: true,
    summary: 'Make a guardrail policy; every program gets those that are always applied',
    body: policy,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'conflict'],
  },
  replaceGuardrailPolicy: {
    method: 'PUT',
    path: everywhere(`${policies}/{id}`),
    params: object({ id: text() }),
    access: { needs: 'workspace-admin', about: headerWorkspace },
    audit: true,
    summary: 'Replace the name and the checks of a guardrail policy',
    body: policy,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'conflict'],
  },
  deleteGuardrailPolicies: {
    method: 'POST',
    path: everywhere(`${policies}/delete`),
    access: { needs: 'workspace-admin', about: headerWorkspace },
    wire: refusedWorkspace,
    audit: true,
    summary: 'Delete guardrail policies; those that are not there are passed over',
    body: manyIds,
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
    replies: { 200: object({ policies: list(object(shown)) }) },
    fails: ['invalid', 'absent'],
  },
});
