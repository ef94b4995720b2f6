import type { Name } from '#ports/api/kind-definition';
import type { Stores } from '#ports/storage/storage';

/** Id of the workspace in which a thing of two names is looked for: the one that is named, else `otherwise`; `undefined` where there is none. */
export const workspaceOf = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  { texts: [workspaceName] }: Name,
  otherwise: string | undefined,
): Promise<string | undefined> =>
  workspaceName === undefined ? otherwise : (await workspaces.findByName(workspaceName))?.id;
