// What a workspace has settled for traces, and what of the wire is there.
import { operations } from './operation.js';
import { everywhere, headerWorkspace, refusedWorkspace } from './private-wire.js';
import { anything, flag, map, object, optional, shape, text } from './schema.js';

const configuration = shape(
  'WorkspaceConfiguration',
  'What a workspace has settled; the timeout is an ISO 8601 duration such as PT15M.',
  {
    timeout_to_mark_thread_as_inactive: optional(text()),
    truncation_on_tables: optional(flag()),
    color_map: optional(map(text())),
  },
);
const path = everywhere('/v1/private/workspaces/configurations');

export const workspaceConfigurationOperations = operations({
  showWorkspaceConfiguration: {
    method: 'GET',
    path,
    access: { needs: 'read', about: headerWorkspace },
    summary: 'What the workspace has settled',
    replies: { 200: configuration },
    fails: ['absent'],
  },
  putWorkspaceConfiguration: {
    method: 'PUT',
    path,
    access: { needs: 'write', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'Settle it anew; what is left out is as it always is',
    body: configuration,
    // Clients read what is settled from the reply.
    replies: { 200: configuration },
    fails: ['invalid'],
  },
  deleteWorkspaceConfiguration: {
    method: 'DELETE',
    path,
    access: { needs: 'write', about: headerWorkspace, unbounded: false },
    audit: true,
    summary: 'Go back to what always is',
    replies: { 204: null },
    fails: ['absent'],
  },
  showServiceToggles: {
    method: 'GET',
    path: everywhere('/v1/private/toggles'),
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'Which parts of this wire are there',
    replies: { 200: map(anything()) },
  },
  showWireVersion: {
    method: 'GET',
    path: everywhere('/v1/private/workspaces/versions'),
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'Which form of the wire the workspace has',
    replies: { 200: object({ opik_version: text() }) },
  },
});
