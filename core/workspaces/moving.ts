// Moving a project to another workspace, and what its experiments have made there. Over stores handed in.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Project } from '#ports/model/projects';
import type { Workspace } from '#ports/model/workspaces';
import type { ProjectProduct } from '#ports/storage/projects';
import type { Stores } from '#ports/storage/storage';
import { lockBoth, moveArtifact, moveModel } from '../administration/offers.js';
import { checkWorkspaceRoom } from '../experiments/offers.js';

/** What becomes of the artifacts and registered models of a project that moves. */
export type Contents = 'move' | 'leave';

export interface Moved {
  readonly artifacts: number;
  readonly models: number;
}

const most = 10_000;
const counted = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
const countKind = (products: readonly ProjectProduct[], kind: ProjectProduct['kind']): number =>
  products.filter((one) => one.kind === kind).length;

const undecided = (project: Project, products: readonly ProjectProduct[]): Failure => {
  const [artifacts, models] = [countKind(products, 'artifact'), countKind(products, 'model')];
  const made = [
    ...(artifacts > 0 ? [counted(artifacts, 'artifact')] : []),
    ...(models > 0 ? [counted(models, 'registered model')] : []),
  ].join(' and ');
  return new Failure(
    'invalid',
    `experiments of project ${project.name.slice(0, 100)} made ${made} of workspace ${project.workspaceName}: contents must say whether they move along (move) or stay there (leave)`,
  );
};

/** What moves along. Rejects with `invalid` where that is not decided, or where something is of other projects too. */
const chooseProducts = (
  project: Project,
  products: readonly ProjectProduct[],
  contents: Contents | undefined,
): readonly ProjectProduct[] => {
  if (products.length === 0 || contents === 'leave') return [];
  if (contents === undefined) throw undecided(project, products);
  if (products.length >= most)
    throw new Failure(
      'invalid',
      `project ${project.name.slice(0, 100)} has more than ${most} artifacts or registered models, which do not move at once`,
    );
  const shared = products.find((one) => one.shared);
  if (shared !== undefined)
    throw new Failure(
      'invalid',
      `${shared.kind} ${shared.name.slice(0, 100)} has versions of other projects too, so it cannot move along: leave it, or move those versions' experiments into the project first`,
    );
  return products;
};

/**
 * Gives a project to another workspace, and with `move` what its experiments have made, with a number behind a name that is taken there. Rejects
 * with `invalid`, before anything is moved, where it has made something and nothing says what becomes of that, and where the workspace is full;
 * with `conflict` when the project's name is taken there.
 */
export const moveProjectTo = async (
  stores: Pick<
    Stores,
    'artifactVersions' | 'artifacts' | 'experiments' | 'projects' | 'registry' | 'workspaces'
  >,
  { clock }: { readonly clock: Clock },
  {
    project,
    workspace,
    contents,
  }: {
    readonly project: Project;
    readonly workspace: Workspace;
    readonly contents: Contents | undefined;
  },
): Promise<Moved> => {
  if (project.workspaceId === workspace.id) return { artifacts: 0, models: 0 };
  await lockBoth(stores, { id: project.workspaceId, name: project.workspaceName }, workspace);
  const products = chooseProducts(
    project,
    await stores.projects.listProducts(project.id, most),
    contents,
  );
  await checkWorkspaceRoom(stores, workspace, await stores.experiments.countInProject(project.id));
  if (!(await stores.projects.moveToWorkspace(project.id, workspace.id, clock.now())))
    throw new Failure('absent', `project ${project.name.slice(0, 100)} was deleted just now`);
  for (const one of products) {
    if (one.kind === 'artifact') await moveArtifact(stores, one, workspace);
    else await moveModel(stores, one, workspace, clock.now());
  }
  return { artifacts: countKind(products, 'artifact'), models: countKind(products, 'model') };
};
