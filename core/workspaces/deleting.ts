// Deleting a project, for the wires that know projects.
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { Project } from '#ports/model/projects';
import type { StorageOf } from '#ports/storage/storage';
import { checkProjectRoom } from '../experiments/offers.js';
import type { ExperimentSettings } from '../experiments/settings.js';
import { requireHome } from './homes.js';

interface DeletingNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: ExperimentSettings;
}

/** Deletes a project with what is in it; with `keepsExperiments` its experiments find a home in the default project. Rejects with `invalid` where that has no room for them. */
export const deleteProject = (
  storage: StorageOf<'experiments' | 'projects' | 'workspaces'>,
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
  });
