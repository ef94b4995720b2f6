import type { ProjectScope } from '#ports/model/projects';
import type { Stores } from '#ports/storage/storage';

/** Ids of the projects that a request is about: of those that it names, or of all of a workspace, the ones that the credential reaches. */
export const projectsWithin = async (
  { projects }: Pick<Stores, 'projects'>,
  { workspace, project }: ProjectScope,
  named: readonly string[] | undefined,
): Promise<readonly string[]> => {
  const reached =
    project === undefined
      ? (await projects.listByWorkspace(workspace.id)).map(({ id }) => id)
      : [project.id];
  if (named === undefined) return reached;
  const wanted = new Set(named);
  return reached.filter((id) => wanted.has(id));
};
