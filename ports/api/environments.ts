// Environments in which LLM applications run.
import { environment } from '../model/environments.js';
import { detailed, one, operations } from './operation.js';
import {
  authorship,
  everywhere,
  headerWorkspace,
  manyIds,
  pageOf,
  refusedWorkspace,
} from './private-wire.js';
import { integer, object, optional, shape, text } from './schema.js';

const name = text({ min: 1, max: 150, pattern: '^[A-Za-z0-9_-]+$' });
const described = {
  description: optional(text({ max: 500 })),
  color: optional(text({ pattern: '^#[0-9A-Fa-f]{6}$' })),
  position: optional(integer({ minimum: 0, maximum: 2_147_483_647 })),
} as const;

const shown = shape('Environment', 'A name under which applications run.', {
  id: text(),
  name: text(),
  description: optional(text()),
  color: optional(text()),
  position: optional(integer()),
  ...authorship,
});

const path = everywhere('/v1/private/environments');
const byId = {
  path: everywhere('/v1/private/environments/{id}'),
  params: object({ id: text() }),
} as const;
const about = one(environment, 'header.comet-workspace/params.id');

export const environmentOperations = operations({
  createEnvironment: {
    method: 'POST',
    path,
    access: { needs: 'write', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'Make an environment',
    body: object({ id: optional(text()), name, ...described }),
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'conflict'],
  },
  listEnvironments: {
    method: 'GET',
    path,
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'All environments of a workspace, by position',
    replies: { 200: pageOf('EnvironmentPage', shown) },
  },
  showEnvironment: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'An environment',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  updateEnvironment: {
    ...byId,
    method: 'PATCH',
    access: { needs: 'write', about },
    summary: 'Change an environment; what is left out stays',
    body: object({ name: optional(name), ...described }),
    replies: { 204: null },
    fails: ['absent', 'forbidden', 'unprocessable', 'conflict'],
  },
  deleteEnvironments: {
    method: 'POST',
    path: everywhere('/v1/private/environments/delete'),
    access: { needs: 'write', about: headerWorkspace },
    wire: refusedWorkspace,
    audit: true,
    summary: 'Delete environments; ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
});
