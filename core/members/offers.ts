import { Failure } from '#ports/failure';
import type { Workspace } from '#ports/model/workspaces';
import type { StorageOf, Stores } from '#ports/storage/storage';

/**
 * Changes who is what in a workspace, in a transaction that holds its members: of several that do this at once each sees what the one before left,
 * so that a rule about who must stay holds. Gives `work` the workspace as it is then. Rejects with `absent` when it is gone; `work` may run again.
 */
export const changeMembers = <T>(
  storage: StorageOf<'members' | 'users' | 'workspaces'>,
  workspaceId: string,
  work: (
    stores: Pick<Stores, 'members' | 'users' | 'workspaces'>,
    workspace: Workspace,
  ) => Promise<T>,
): Promise<T> =>
  storage.transaction(async (stores) => {
    await stores.members.lockMembers(workspaceId);
    const workspace = await stores.workspaces.findById(workspaceId);
    if (workspace === undefined) throw new Failure('absent', 'the workspace no longer exists');
    return work(stores, workspace);
  });
