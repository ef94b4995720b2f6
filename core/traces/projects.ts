// Which project a request of the private wire means.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Project } from '#ports/model/projects';
import type { Workspace } from '#ports/model/workspaces';
import type { StorageOf, Stores } from '#ports/storage/storage';
import { requireProject, type MakingNeeds } from '../experiments/offers.js';
import { isUuid } from '../uuid.js';

const usualProject = 'Default Project';

export interface Named {
  readonly project_name?: string | undefined;
  readonly project_id?: string | undefined;
}

/** A text by which requests that mean the same project are gathered. */
export const namingOf = ({ project_id: id, project_name: name }: Named): string =>
  id === undefined ? `name ${folded(nameOf(name))}` : `id ${id.toLowerCase()}`;

const nameOf = (name: string | undefined): string =>
  name === undefined || name.trim() === '' ? usualProject : name.trim();
const folded = (name: string): string => name.toLowerCase();

type ProjectStores = Pick<Stores, 'projects' | 'workspaces'>;

const findById = async (
  { projects }: ProjectStores,
  workspace: Workspace,
  id: string,
): Promise<Project> => {
  const found = isUuid(id) ? await projects.findById(id.toLowerCase()) : undefined;
  if (found?.workspaceId !== workspace.id)
    throw new Failure('absent', `project ${id.slice(0, 100)} not found`);
  return found;
};

/** Names differ by more than case and outer blanks; of several that do not, the one that is written so. */
const findByName = async (
  { projects }: ProjectStores,
  workspace: Workspace,
  name: string,
): Promise<Project | undefined> =>
  (await projects.findByName(workspace.id, name)) ??
  (await projects.listByWorkspace(workspace.id)).find(
    (one) => folded(one.name.trim()) === folded(name),
  );

/** The project to write to, made where there is none of that name. Rejects with `absent` for an id that is not there. */
export const projectToWrite = async (
  storage: StorageOf<'projects' | 'workspaces'>,
  needs: Pick<MakingNeeds, 'clock' | 'ids'>,
  { workspace, caller, named }: { workspace: Workspace; caller: Caller; named: Named },
): Promise<Project> => {
  if (named.project_id !== undefined) return findById(storage.stores, workspace, named.project_id);
  const name = nameOf(named.project_name);
  return (
    (await findByName(storage.stores, workspace, name)) ??
    storage.transaction((stores) =>
      requireProject(stores, needs, { workspace, caller, projectName: name, kind: 'em' }),
    )
  );
};

/** The project to read, or `undefined` where there is none of that name. Rejects with `absent` for an unknown id, and with `invalid` where none is named. */
export const projectToRead = async (
  stores: ProjectStores,
  workspace: Workspace,
  { project_id: id, project_name: name }: Named,
): Promise<Project | undefined> => {
  if (id !== undefined) return findById(stores, workspace, id);
  if (name === undefined || name.trim() === '')
    throw new Failure('invalid', 'project_id or project_name is required');
  return findByName(stores, workspace, name.trim());
};
