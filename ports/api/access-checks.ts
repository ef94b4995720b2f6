// By which programs of the private wire ask whether their credential reaches a workspace.
import { operations } from './operation.js';
import { everywhere, headerWorkspace, refusedWorkspace } from './private-wire.js';
import { object, record, text } from './schema.js';

const ofWorkspace = {
  access: { needs: 'read', about: headerWorkspace },
  wire: refusedWorkspace,
} as const;

export const accessCheckOperations = operations({
  checkAccess: {
    ...ofWorkspace,
    method: 'POST',
    path: everywhere('/v1/private/auth'),
    summary: 'Whether the credential reaches the workspace of the header',
    body: record(),
    replies: { 204: null },
  },
  showAccessWorkspace: {
    ...ofWorkspace,
    method: 'GET',
    path: everywhere('/v1/private/auth/workspace'),
    summary: 'The workspace that the header and the credential name',
    replies: { 200: object({ workspace_name: text() }) },
  },
});
