// By which programs of the private wire ask whether their credential reaches a workspace.
import { workspace } from '../model/workspaces.js';
import { maybe, operations } from './operation.js';
import { object, record, text } from './schema.js';

const everywhere = <const P extends string>(path: P) =>
  [path, `/api${path}`, `/opik/api${path}`] as const;
/** A workspace that is out of reach and one that is not there are refused alike, as the wire does for its header. */
const ofWorkspace = {
  access: { needs: 'read', about: maybe(workspace, 'header.comet-workspace') },
  wire: { refusals: { absent: { status: 403 } } },
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
