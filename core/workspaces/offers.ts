import type { Name } from '#ports/api/kind-definition';
import type { Caller } from '#ports/model/identity';
import type { Workspace } from '#ports/model/workspaces';
import type { Stores } from '#ports/storage/storage';

/** Id of the workspace in which a thing of two names is looked for: the one that is named, else `otherwise`; `undefined` where there is none. */
export const workspaceOf = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  { texts: [workspaceName] }: Name,
  otherwise: string | undefined,
): Promise<string | undefined> =>
  workspaceName === undefined ? otherwise : (await workspaces.findByName(workspaceName))?.id;

/** What clients of the private wire name that were told no workspace. */
export const unnamedWorkspace = 'default';
/** Whether a workspace of that name is really meant: the caller belongs to it. */
export const isOwnDefault = (found: Workspace | undefined, { roles }: Caller): boolean =>
  found !== undefined && roles.has(found.id);
/** Whether a header with the name of no workspace means the caller's own: where authentication is off there is one user, whatever clients were told. */
export const takesAnyName = ({ via }: Caller): boolean => via === 'none';
export { deleteProject, tellWorkspaceDeleted } from './deleting.js';
