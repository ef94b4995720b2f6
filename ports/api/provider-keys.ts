// Keys for providers of models, which are never given back.
import { providerKey, providers } from '../model/provider-keys.js';
import { detailed, one, operations } from './operation.js';
import {
  authorship,
  everywhere,
  headerWorkspace,
  manyIds,
  refusedWorkspace,
} from './private-wire.js';
import {
  anything,
  flag,
  integer,
  list,
  map,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

const settings = {
  api_key: optional(text({ max: 10_000 })),
  name: optional(text({ max: 150 })),
  provider_name: optional(text({ max: 150 })),
  headers: optional(map(text())),
  configuration: optional(map(text())),
  base_url: optional(text({ max: 2000 })),
  auth_config: optional(map(anything())),
} as const;

const shown = shape(
  'ProviderKey',
  'How a workspace calls a provider of models; secrets are masked.',
  {
    id: text(),
    provider: text(),
    api_key: optional(text()),
    name: optional(text()),
    provider_name: optional(text()),
    headers: optional(map(text())),
    configuration: optional(map(text())),
    base_url: optional(text()),
    read_only: flag(),
    ...authorship,
  },
);

const path = everywhere('/v1/private/llm-provider-key');
const byId = {
  path: everywhere('/v1/private/llm-provider-key/{id}'),
  params: object({ id: text() }),
} as const;
const about = one(providerKey, 'header.comet-workspace/params.id');

export const providerKeyOperations = operations({
  listProviderKeys: {
    method: 'GET',
    path,
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'All keys for providers of models that a workspace has, masked',
    replies: {
      200: shape('ProviderKeyPage', 'All keys of a workspace; `size` is how many there are.', {
        size: integer(),
        total: integer(),
        content: list(shown),
        sortableBy: texts(),
        sortable_by: texts(),
      }),
    },
  },
  createProviderKey: {
    method: 'POST',
    path,
    access: { needs: 'workspace-admin', about: headerWorkspace },
    wire: refusedWorkspace,
    audit: true,
    summary: 'Add a key for a provider of models; it is stored sealed and never given back',
    body: object({ id: optional(text()), provider: word(...providers), ...settings }),
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'conflict'],
  },
  showProviderKey: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'A key for a provider of models, masked',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  updateProviderKey: {
    ...byId,
    method: 'PATCH',
    access: { needs: 'workspace-admin', about },
    audit: true,
    summary:
      'Change a key for a provider of models. What is left out or masked stays, except that secrets must be given again for another host',
    body: object(settings),
    replies: { 204: null },
    fails: ['invalid', 'absent', 'forbidden', 'unprocessable', 'conflict'],
  },
  deleteProviderKeys: {
    method: 'POST',
    path: everywhere('/v1/private/llm-provider-key/delete'),
    access: { needs: 'workspace-admin', about: headerWorkspace },
    wire: refusedWorkspace,
    audit: true,
    summary: 'Delete keys for providers of models; unknown ids are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
});
