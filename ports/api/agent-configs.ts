// Configurations of agents: blueprints, masks over them, and the environments that use them.
import { blueprint, blueprintTypes, configValueTypes } from '../model/agent-configs.js';
import { projectScope, projectTarget } from '../model/projects.js';
import { detailed, maybe, one, operations } from './operation.js';
import { authorship, everywhere, paged } from './private-wire.js';
import { integer, list, object, optional, shape, text, texts, word } from './schema.js';

const written = String.raw`\S`;
const key = text({ min: 1, max: 255, pattern: written });
const value = shape('ConfigValue', 'A value of a configuration, as text; without one, null.', {
  key,
  value: optional(text({ max: 65_536 })),
  type: word(...configValueTypes),
  description: optional(text()),
});
const shown = shape('Blueprint', 'A version of the configuration of agents of a project.', {
  id: text(),
  name: optional(text()),
  type: text(),
  description: optional(text()),
  envs: texts(),
  values: list(value),
  ...authorship,
});
const ofProject = {
  project_id: optional(text()),
  project_name: optional(text({ pattern: written })),
} as const;
const sent = object({
  ...ofProject,
  id: optional(text()),
  blueprint: object({
    id: optional(text()),
    type: word(...blueprintTypes),
    description: optional(text({ max: 255 })),
    values: list(value, { minItems: 1, maxItems: 250 }),
  }),
});

const root = '/v1/private/agent-configs/blueprints';
const targetOfBody = maybe(
  projectTarget,
  'body.project_id',
  'header.comet-workspace/body.project_name',
);
const reads = { needs: 'read', about: one(projectScope, 'params.project_id') } as const;
const changes = { needs: 'write', about: one(projectScope, 'params.project_id') } as const;
const masked = object({ mask_id: optional(text()) });
const ofEnvironment = {
  path: everywhere(`${root}/environments/{env_name}/projects/{project_id}`),
  params: object({ env_name: text(), project_id: text() }),
} as const;
const aboutBlueprint = {
  needs: 'read',
  about: one(blueprint, 'header.comet-workspace/params.blueprint_id'),
} as const;

export const agentConfigOperations = operations({
  createAgentConfig: {
    method: 'POST',
    path: everywhere(root),
    access: { needs: 'write', about: targetOfBody },
    // The published description of this row, of all rows with blueprints, has one status for every bad body.
    wire: { refusals: { unprocessable: { status: 400 } } },
    summary: 'Make the configuration of a project, which has none yet, with its first version',
    body: sent,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  extendAgentConfig: {
    method: 'PATCH',
    path: everywhere(root),
    access: { needs: 'write', about: targetOfBody },
    summary: 'Add a version or a mask to the configuration of a project',
    body: sent,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  applyConfigMask: {
    method: 'POST',
    path: everywhere(`${root}/projects/{project_id}/masks/{mask_id}`),
    params: object({ project_id: text(), mask_id: text() }),
    access: changes,
    summary: 'Add a version with the values of a mask',
    replies: { 201: detailed(null) },
    fails: ['unprocessable', 'absent', 'forbidden'],
  },
  setConfigEnvironments: {
    method: 'POST',
    path: everywhere(`${root}/environments`),
    // Of one that is left out the shape of the body tells, with 422.
    access: { needs: 'write', about: maybe(projectScope, 'body.project_id') },
    summary: 'Point environments at versions of a configuration, all of them or none',
    body: object({
      project_id: text(),
      envs: list(
        object({ env_name: text({ min: 1, max: 255, pattern: written }), blueprint_id: text() }),
        { minItems: 1, maxItems: 1000 },
      ),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  showEnvironmentBlueprint: {
    ...ofEnvironment,
    method: 'GET',
    access: reads,
    summary: 'The version of a configuration that an environment uses',
    query: masked,
    replies: { 200: shown },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  setConfigEnvironment: {
    ...ofEnvironment,
    method: 'PUT',
    access: changes,
    summary: 'Point an environment at the version of a name',
    body: object({ blueprint_name: text({ min: 1, pattern: written }) }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  deleteConfigEnvironment: {
    ...ofEnvironment,
    method: 'DELETE',
    access: { ...changes, unbounded: false },
    audit: true,
    summary: 'End what an environment uses; one that uses nothing is passed over',
    replies: { 204: null },
    fails: ['absent', 'forbidden'],
  },
  showNamedBlueprint: {
    method: 'GET',
    path: everywhere(`${root}/projects/{project_id}/names/{name}`),
    params: object({ project_id: text(), name: text() }),
    access: reads,
    summary: 'The version of a configuration that has a name, like v3',
    query: masked,
    replies: { 200: shown },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  listBlueprints: {
    method: 'GET',
    path: everywhere(`${root}/history/projects/{project_id}`),
    params: object({ project_id: text() }),
    access: reads,
    summary: 'The versions of a configuration, the newest first, with what each changed',
    query: object(paged),
    replies: {
      200: shape('BlueprintHistory', 'A page of versions; `size` is how many were asked for.', {
        page: integer(),
        size: integer(),
        total: integer(),
        content: list(shown),
      }),
    },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  showLatestBlueprint: {
    method: 'GET',
    path: everywhere(`${root}/latest/projects/{project_id}`),
    params: object({ project_id: text() }),
    access: reads,
    summary: 'The newest version of a configuration',
    query: masked,
    replies: { 200: shown },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  removeConfigKeys: {
    method: 'POST',
    path: everywhere(`${root}/remove-keys`),
    access: { needs: 'write', about: targetOfBody, unbounded: false },
    audit: true,
    summary: 'Add a version without some keys, where the newest one has any of them',
    body: object({
      ...ofProject,
      keys: list(text({ min: 1, pattern: written }), { minItems: 1, maxItems: 250 }),
    }),
    replies: { 201: detailed(null), 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  showBlueprint: {
    method: 'GET',
    path: everywhere(`${root}/{blueprint_id}`),
    params: object({ blueprint_id: text() }),
    access: aboutBlueprint,
    summary: 'A version of a configuration with all its values',
    query: masked,
    replies: { 200: shown },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  showBlueprintDeltas: {
    method: 'GET',
    path: everywhere(`${root}/{blueprint_id}/deltas`),
    params: object({ blueprint_id: text() }),
    access: aboutBlueprint,
    summary: 'A version of a configuration or a mask with the values that it sets itself',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
});
