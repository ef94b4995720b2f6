// Builders of what most cases need around the record they are about.
import { systemIds as ids } from '#adapters/system/ids';
import type { Stores } from '#ports/storage/storage';

export interface World {
  readonly userId: string;
  readonly workspaceId: string;
  readonly projectId: string;
}

export const makeProject = async (stores: Stores, world: Pick<World, 'userId' | 'workspaceId'>): Promise<string> => {
  const id = ids.next();
  await stores.projects.insert({ id, workspaceId: world.workspaceId, name: `project ${id}`, description: undefined, public: false, kind: 'em', ownerId: world.userId, createdAt: 1000 });
  return id;
};

/** A user, a workspace of theirs and a project in it. */
export const makeWorld = async (stores: Stores): Promise<World> => {
  const [userId, workspaceId] = [ids.next(), ids.next()];
  await stores.identity.insertUser({ id: userId, name: `user ${userId}`, email: undefined, admin: false, defaultWorkspaceId: workspaceId, createdAt: 1000 });
  await stores.workspaces.insert({ id: workspaceId, name: `workspace ${workspaceId}`, ownerId: userId, createdAt: 1000 });
  await stores.identity.setRole(workspaceId, userId, 'admin');
  return { userId, workspaceId, projectId: await makeProject(stores, { userId, workspaceId }) };
};

export interface MadeRun {
  readonly id: string;
  readonly key: string;
}

export const makeRun = async (stores: Stores, world: World, { name = 'run', createdAt = 1000 } = {}): Promise<MadeRun> => {
  const made = { id: ids.next(), key: ids.key() };
  await stores.experiments.insert({ ...made, workspaceId: world.workspaceId, projectId: world.projectId, userId: world.userId, name, createdAt, beatMs: 25_000, alive: false, offline: false });
  return made;
};
