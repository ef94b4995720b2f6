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
export const deleteProject = (
  storage: StorageOf<'events' | 'experiments' | 'projects' | 'workspaces'>,
  { clock, ids, settings }: DeletingNeeds,
  {
    project,
    caller,
    keepsExperiments,
  }: { readonly project: Project; readonly caller: Caller; readonly keepsExperiments: boolean },
): Promise<void> =>
  storage.transaction(async (stores) => {
    // The workspace before the project, as whoever makes a run does.
    if (keepsExperiments) await stores.workspaces.lock(project.workspaceId);
    await stores.projects.lock(project.id);
    if (
      keepsExperiments &&
      (await stores.experiments.listIdsAtHome(project.id, undefined, 1)).length > 0
    ) {
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
      await checkProjectRoom(
        stores,
        { settings },
        home,
        await stores.experiments.countInProject(project.id),
      );
      await stores.experiments.moveAll(project.id, home.id);
    }
    await stores.projects.markDeleted(project.id, clock.now(), { keepsExperiments });
    await tellProjectDeleted(stores, { clock, ids }, project, caller);
  });
