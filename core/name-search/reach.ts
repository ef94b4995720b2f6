// What of the installation a caller finds by name.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { NameReach } from '#ports/storage/names';
import type { Stores } from '#ports/storage/storage';
import { readsPublic } from '../permissions.js';

/** All workspaces of the caller, as far as the credential reaches, and what is public elsewhere unless it is narrowed to one. */
export const reachOf = (caller: Caller): NameReach => ({
  workspaceIds: caller.everywhere ? 'all' : [...caller.roles.keys()],
  public: caller.scope?.workspaceId === undefined,
  projectId: caller.scope?.projectId,
});

/** The id of the one workspace that is asked for. A workspace of others is found, since things in it may be public, except with a credential that leaves it out. */
export const findWithin = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  caller: Caller,
  name: string,
): Promise<string> => {
  const found = await workspaces.findByName(name);
  if (found === undefined || !readsPublic(caller, found.id))
    throw new Failure('absent', `workspace ${name.slice(0, 100)} not found`);
  return found.id;
};
