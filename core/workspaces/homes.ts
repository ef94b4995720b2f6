import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Project, ProjectKind } from '#ports/model/projects';
import type { Stores } from '#ports/storage/storage';
import { defaultProject } from './rules.js';

interface HomeRequest {
  readonly workspaceId: string;
  readonly kind: ProjectKind;
  readonly ownerId: string;
  /** The project that is going, which cannot take in its own experiments. */
  readonly removed: Project;
}

/** The workspace's default project of that kind, made when there is none. Rejects with `invalid` when it is the one that is going, or holds runs of the other kind. */
export const requireHome = async (
  stores: Pick<Stores, 'projects'>,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  { workspaceId, kind, ownerId, removed }: HomeRequest,
): Promise<Project> => {
  const name = kind === 'llm' ? `llm-${defaultProject}` : defaultProject;
  if (removed.name === name)
    throw new Failure(
      'invalid',
      `project ${name} takes in experiments of deleted projects; delete it together with its experiments`,
    );
  const found = await stores.projects.findByName(workspaceId, name);
  if (found !== undefined && found.kind !== kind)
    throw new Failure(
      'invalid',
      `project ${name} takes in experiments of deleted projects and holds the other kind of runs; rename it first`,
    );
  if (found !== undefined) return found;
  const id = ids.next();
  await stores.projects.insert({
    id,
    workspaceId,
    name,
    description: undefined,
    public: false,
    kind,
    ownerId,
    createdAt: clock.now(),
  });
  const made = await stores.projects.findById(id);
  if (made === undefined) throw new Failure('absent', `project ${name} was deleted just now`);
  return made;
};
