// Deleting a project, for the wires that know projects.
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { Project } from '#ports/model/projects';
import type { Workspace } from '#ports/model/workspaces';
import type { DomainEvents } from '#ports/events';
import type { StorageOf, Stores } from '#ports/storage/storage';
import { checkProjectRoom } from '../experiments/offers.js';
import type { ExperimentSettings } from '../experiments/settings.js';
import { requireHome } from './homes.js';

interface DeletingNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: ExperimentSettings;
}

interface DeletingRequest {
  readonly project: Project;
  readonly caller: Caller;
  readonly keepsExperiments: boolean;
}

/** Experiments that one transaction moves: no writer of them waits longer than for so many. */
const movedAtOnce = 100;

/** The project in which the experiments of one that goes find a home. Rejects with `invalid` where it has no room for all that are left. */
const findHome = async (
  stores: Pick<Stores, 'experiments' | 'projects'>,
  { clock, ids, settings }: DeletingNeeds,
  { project, caller }: DeletingRequest,
): Promise<Project> => {
  const home = await requireHome(
    stores,
    { clock, ids },
    {
      workspaceId: project.workspaceId,
      kind: project.kind,
      ownerId: caller.userId,
      removed: project,
    },
  );
  const coming = await stores.experiments.countInProject(project.id);
  await checkProjectRoom(stores, { settings }, home, coming);
  return home;
};

/**
 * Gives most of a project's experiments their new home while the project is still there, some in each transaction. Whoever reads meanwhile finds
 * each of them in one of the two projects; where this breaks off the project stays with the rest, and deleting it again goes on.
 */
const moveMost = async (
  storage: StorageOf<'experiments' | 'projects' | 'workspaces'>,
  needs: DeletingNeeds,
  request: DeletingRequest,
): Promise<void> => {
  const { id, workspaceId } = request.project;
  for (let left = true; left;)
    left = await storage.transaction(async (stores) => {
      await stores.workspaces.lock(workspaceId);
      const there = await stores.experiments.listIdsAtHome(id, undefined, movedAtOnce + 1);
      if (there.length <= movedAtOnce) return false;
      const home = await findHome(stores, needs, request);
      await stores.experiments.move(there.slice(0, movedAtOnce), {
        workspaceId,
        projectId: home.id,
      });
      return true;
    });
};

interface TellingNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Tells, within the transaction that removes it, that a workspace is gone. */
export const tellWorkspaceDeleted = (
  { events }: Pick<Stores, 'events'>,
  { clock, ids }: TellingNeeds,
  { id, name }: Pick<Workspace, 'id' | 'name'>,
  { userName }: Pick<Caller, 'userName'>,
): Promise<void> => {
  const detail: DomainEvents['workspace.deleted'] = {
    workspaceId: id,
    workspaceName: name,
    userName,
  };
  return events.append({
    id: ids.next(),
    subject: `workspace:${id}`,
    name: 'workspace.deleted',
    at: clock.now(),
    detail,
  });
};

const tellProjectDeleted = (
  { events }: Pick<Stores, 'events'>,
  { clock, ids }: TellingNeeds,
  project: Project,
  { userName }: Pick<Caller, 'userName'>,
): Promise<void> => {
  const detail: DomainEvents['project.deleted'] = {
    projectId: project.id,
    projectName: project.name,
    workspaceId: project.workspaceId,
    userName,
  };
  return events.append({
    id: ids.next(),
    subject: `project:${project.id}`,
    name: 'project.deleted',
    at: clock.now(),
    detail,
  });
};

/** Deletes a project with what is in it; with `keepsExperiments` its experiments find a home in the default project. Rejects with `invalid` where that has no room for them. */
export const deleteProject = async (
  storage: StorageOf<'events' | 'experiments' | 'projects' | 'workspaces'>,
  needs: DeletingNeeds,
  request: DeletingRequest,
): Promise<void> => {
  const { project, keepsExperiments } = request;
  if (keepsExperiments) await moveMost(storage, needs, request);
  await storage.transaction(async (stores) => {
    // The workspace before the project, as whoever makes a run does.
    if (keepsExperiments) await stores.workspaces.lock(project.workspaceId);
    await stores.projects.lock(project.id);
    if (
      keepsExperiments &&
      (await stores.experiments.listIdsAtHome(project.id, undefined, 1)).length > 0
    ) {
      const home = await findHome(stores, needs, request);
      await stores.experiments.moveAll(project.id, home.id);
    }
    await stores.projects.markDeleted(project.id, needs.clock.now(), { keepsExperiments });
    await tellProjectDeleted(stores, needs, project, request.caller);
  });
};
