// What names are acceptable, and how projects are chosen for a page. Pure.
import { Failure } from '#ports/failure';
import type { Project } from '#ports/model/projects';
import type { ProjectFigures } from '#ports/storage/projects';

/** Project into which runs go that name none. */
export const defaultProject = 'general';

const projectNameMost = 1000;

/** First parts of the server's own addresses: a workspace of such a name would have no pages. A test holds them against every row. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...['.well-known', 'account', 'api', 'app', 'clientlib', 'experiment', 'favicon.ico', 'health'],
  ...[
    'invitation',
    'login',
    'logout',
    'metrics',
    'mpm',
    'is-alive',
    'oauth',
    'openapi.json',
    'opik',
    'optimizer',
  ],
  ...[
    'pages-1.css',
    'password',
    'project',
    'robots.txt',
    'settings',
    'signup',
    's',
    'svc',
    'swagger',
    'v1',
    'w',
  ],
]);

export const checkWorkspaceName = (name: string): void => {
  if (reservedNames.has(name.toLowerCase()))
    throw new Failure(
      'invalid',
      `a workspace cannot be called ${name}, since pages of the server have that address`,
    );
  if (name === '') throw new Failure('invalid', 'a workspace name must not be empty');
  if (name.length > 80)
    throw new Failure('invalid', 'a workspace name must have at most 80 characters');
  if (name.trim() !== name || /[\p{Cc}/]/u.test(name))
    throw new Failure(
      'invalid',
      'a workspace name must have no slash or control character, and no blank at its ends',
    );
};

export const checkProjectName = (name: string): void => {
  if (name.length > projectNameMost)
    throw new Failure('invalid', `a project name must have at most ${projectNameMost} characters`, {
      reason: 'projectNameTooLong',
    });
};

export interface ProjectChoice {
  readonly sort?: string | undefined;
  readonly order?: string | undefined;
  readonly owner?: string | undefined;
  readonly public?: boolean | undefined;
  readonly starterProject?: boolean | undefined;
  readonly search?: string | undefined;
}

const sortings: Readonly<
  Record<string, (project: Project, figures: ProjectFigures | undefined) => string | number>
> = {
  projectName: (project) => project.name.toLowerCase(),
  created_at: (project) => project.createdAt,
  lastUpdated: (project, figures) => figures?.lastUpdated ?? project.updatedAt,
  experimentCount: (_, figures) => figures?.experiments ?? 0,
};

/** The projects asked for, by the column asked for (else the newest activity first). */
export const orderProjects = (
  projects: readonly Project[],
  figures: ReadonlyMap<string, ProjectFigures>,
  choice: ProjectChoice,
): readonly Project[] => {
  const phrase = choice.search?.toLowerCase();
  const wanted = projects.filter(
    (project) =>
      (choice.owner === undefined || project.ownerUserName === choice.owner) &&
      (choice.public === undefined || project.public === choice.public) &&
      choice.starterProject !== true &&
      (phrase === undefined || project.name.toLowerCase().includes(phrase)),
  );
  const of =
    sortings[
      choice.sort !== undefined && Object.hasOwn(sortings, choice.sort)
        ? choice.sort
        : 'lastUpdated'
    ];
  const sign = choice.order?.toLowerCase() === 'asc' ? 1 : -1;
  return [...wanted].sort((a, b) => {
    const [left, right] = [of?.(a, figures.get(a.id)) ?? 0, of?.(b, figures.get(b.id)) ?? 0];
    return left < right ? -sign : left > right ? sign : a.id < b.id ? -1 : 1;
  });
};
