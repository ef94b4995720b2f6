// Which project of which workspace a request of the private wire means, and the kinds by which its rows say so.
import {
  defineKind,
  type Asking,
  type Name,
  type WorkspacePlace,
} from '#ports/api/kind-definition';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import {
  projectScope,
  projectTarget,
  reach,
  type Project,
  type ProjectScope,
  type ProjectTarget,
} from '#ports/model/projects';
import type { Workspace } from '#ports/model/workspaces';
import { storageOf, type StorageOf, type Stores } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { requireProject } from '../experiments/offers.js';
import { readsPublic, roleOf } from '../permissions.js';
import { isUuid } from '../uuid.js';
import { isOwnDefault, takesAnyName, unnamedWorkspace } from '../workspaces/offers.js';
import { readId } from './ids.js';

/** Where clients log to that are told no project. */
const usualProject = 'Default Project';

/** Finds places; for requests that only add, they may be known as they were a moment ago. */
interface Finding {
  readonly stores: Pick<Stores, 'projects' | 'workspaces'>;
  readonly places: PlaceFinder;
}

const headerOf = ({ named }: Asking): string | undefined => {
  const text = named.header['comet-workspace'];
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
};

const outOfReach = (name: string) =>
  new Failure('absent', `workspace ${name.slice(0, 100)} does not exist or is out of reach`, {
    reason: 'workspaceOutOfReach',
  });

const findWorkspace = (
  { stores, places }: Finding,
  name: string,
  { operation }: Asking,
): Promise<Workspace | undefined> =>
  operation.adds === true ? places.findWorkspace(name) : stores.workspaces.findByName(name);

/** The caller's own workspace. Rejects with `forbidden` for a key that has none. */
const ownWorkspace = async (
  { stores, places }: Finding,
  { operation, caller: { defaultWorkspaceId } }: Asking,
): Promise<Workspace> => {
  const find = operation.adds === true ? places.findWorkspaceById : stores.workspaces.findById;
  const own = defaultWorkspaceId === undefined ? undefined : await find(defaultWorkspaceId);
  if (own === undefined) throw new Failure('forbidden', 'the key has no default workspace');
  return own;
};

/** The workspace of the header, or the caller's own. Rejects with `forbidden` for one that is not there. Whether the caller reaches it, the place says. */
export const workspaceOfHeader = async (finding: Finding, asking: Asking): Promise<Workspace> => {
  const name = headerOf(asking);
  if (name === undefined) return ownWorkspace(finding, asking);
  const found = await findWorkspace(finding, name, asking);
  if (name === unnamedWorkspace && !isOwnDefault(found, asking.caller))
    return ownWorkspace(finding, asking);
  if (found === undefined && takesAnyName(asking.caller)) return ownWorkspace(finding, asking);
  if (found === undefined) throw outOfReach(name);
  return found;
};

/** Refuses a workspace in which the caller has no part, but for what is public there. Unknown and foreign ones are refused alike. */
export const checkReach = (
  caller: Caller,
  { id, name }: Workspace,
  project: Pick<Project, 'public'> | undefined,
): void => {
  const reads = project?.public === true && readsPublic(caller, id);
  if (roleOf(caller, id) === undefined && !reads) throw outOfReach(name);
};

const absentProject = (text: string) =>
  new Failure('absent', `project ${text.slice(0, 100)} not found`);

/** Names differ by more than case and outer blanks; of several that do not, the one that is written so. */
const findByName = async (
  { stores, places }: Finding,
  workspace: Workspace,
  name: string,
  { operation }: Asking,
): Promise<Project | undefined> =>
  (operation.adds === true
    ? await places.findProject(workspace.id, name)
    : await stores.projects.findByName(workspace.id, name)) ??
  stores.projects.findByFoldedName(workspace.id, name);

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

export interface NamedProject {
  readonly project_name?: string | undefined;
  readonly project_id?: string | undefined;
}

/** By what a request or an item of a batch names its project: one text for everything that means the same one. */
export const namingOf = ({ project_id: id = '', project_name: name = '' }: NamedProject): string =>
  isBlank(id)
    ? `name ${(isBlank(name) ? usualProject : name).trim().toLowerCase()}`
    : `id ${id.trim().toLowerCase()}`;

/** The target under its usual name, when it is the project that clients log to by default and take to be there. */
export const asUsual = (target: ProjectTarget): ProjectTarget | undefined =>
  target.naming === namingOf({}) ? { ...target, name: usualProject } : undefined;

/** Whether what a request makes is a project's, not the workspace's: it names one, or its key is of one, which is the target then. */
export const isOfProject = (
  { project_id: id, project_name: name }: NamedProject,
  { scope }: Pick<Caller, 'scope'>,
): boolean => id !== undefined || !isBlank(name) || scope?.projectId !== undefined;

const isId = ({ path }: Name): boolean => /(?:_id|Id)$/.test(path);

/** Refuses an id of a query or a body that can be none; in a path it is one that is not there. */
const checkForm = ({ path }: Name, asked: string, { operation }: Asking): void => {
  if (path.startsWith('params.')) return;
  const member = path.slice(path.lastIndexOf('.') + 1);
  if (!isUuid(asked)) throw new Failure('invalid', `${member} must be a UUID`);
  if (operation.projectsOfVersion7 === true) readId(asked, member.replace(/_id$/, ''));
};

/** Where something lies that is of a project, or of a workspace alone. */
export const placeIn = (workspaceId: string, project: Project | undefined): WorkspacePlace =>
  project === undefined
    ? { workspaceId }
    : {
        workspaceId,
        projectId: project.id,
        public: project.public,
        ownerId: project.ownerId,
      };

/** An id says by itself in which workspace its project is; a header that names another one must not lead there. */
const findTargetById = async (
  finding: Finding,
  id: string,
  asking: Asking,
): Promise<ProjectTarget | undefined> => {
  const project = isUuid(id) ? await finding.stores.projects.findById(id.toLowerCase()) : undefined;
  const naming = namingOf({ project_id: id });
  if ([undefined, unnamedWorkspace].includes(headerOf(asking))) {
    const workspace =
      project === undefined
        ? undefined
        : await finding.stores.workspaces.findById(project.workspaceId);
    return project && workspace && { workspace, project, naming, name: project.name, named: true };
  }
  const workspace = await workspaceOfHeader(finding, asking);
  const found = project?.workspaceId === workspace.id ? project : undefined;
  checkReach(asking.caller, workspace, found);
  return found && { workspace, project: found, naming, name: found.name, named: true };
};

/** A project by its id, as rows know one that are about nothing else. */
export const findProjectById = async (
  finding: Finding,
  id: string,
  asking: Asking,
): Promise<{ readonly workspace: Workspace; readonly project: Project } | undefined> => {
  const { workspace, project } = (await findTargetById(finding, id, asking)) ?? {};
  return workspace === undefined || project === undefined ? undefined : { workspace, project };
};

const findTarget = async (
  finding: Finding,
  name: Name,
  asking: Asking,
): Promise<ProjectTarget | undefined> => {
  const { caller } = asking;
  const asked = name.text.trim();
  if (isId(name)) {
    checkForm(name, asked, asking);
    return findTargetById(finding, asked, asking);
  }
  const workspace = await workspaceOfHeader(finding, asking);
  const written = asked === '' ? usualProject : asked;
  const project = await findByName(finding, workspace, written, asking);
  checkReach(caller, workspace, project);
  return {
    workspace,
    project,
    naming: namingOf({ project_name: written }),
    name: written,
    named: asked !== '',
  };
};

/** The project that a key is narrowed to. */
const ownProject = async (
  { stores }: Finding,
  workspace: Workspace,
  { caller: { scope } }: Asking,
): Promise<Project | undefined> => {
  const own =
    scope?.projectId === undefined ? undefined : await stores.projects.findById(scope.projectId);
  return own?.workspaceId === workspace.id ? own : undefined;
};

const findUsual = async (finding: Finding, asking: Asking): Promise<ProjectTarget> => {
  const workspace = await workspaceOfHeader(finding, asking);
  const project =
    (await ownProject(finding, workspace, asking)) ??
    (await findByName(finding, workspace, usualProject, asking));
  checkReach(asking.caller, workspace, project);
  return { workspace, project, naming: namingOf({}), name: usualProject, named: false };
};

const findAll = async (finding: Finding, asking: Asking): Promise<ProjectScope> => {
  const workspace = await workspaceOfHeader(finding, asking);
  checkReach(asking.caller, workspace, undefined);
  const project = await ownProject(finding, workspace, asking);
  // The key of a project names it.
  return { workspace, project, named: project !== undefined };
};

/** Rows that write make the project where it is missing; rows that read need one to be named. */
export const projectTargetKind = defineKind(projectTarget, {
  needs: { storage: storageOf('projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) => ({
    find: (name, asking) => findTarget({ stores, places }, name, asking),
    isNone: ({ text }) => text.trim() === '',
    findDefault: (asking) => findUsual({ stores, places }, asking),
    idOf: ({ naming }) => naming,
    placeOf: ({ workspace, project }) => placeIn(workspace.id, project),
    absent: absentProject,
    missing: () => new Failure('invalid', 'either project_id or project_name must be provided'),
    // A key of one project makes no other one.
    forProjectKeys: async (_, { project }) => project !== undefined,
  }),
});

/** For lists of a workspace that may be narrowed to a project; the key of a project narrows them by itself. */
export const projectScopeKind = defineKind(projectScope, {
  needs: { storage: storageOf('projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) => ({
    async find(name, asking) {
      const found = await findTarget({ stores, places }, name, asking);
      return found && { workspace: found.workspace, project: found.project, named: true };
    },
    isNone: ({ text }) => text.trim() === '',
    findDefault: (asking) => findAll({ stores, places }, asking),
    placeOf: ({ workspace, project }) => placeIn(workspace.id, project),
    absent: absentProject,
    forProjectKeys: async (_, { project }) => project !== undefined,
  }),
});

/** For rows that name no project: the workspace of the header, narrowed to the project of a key that has one. */
export const reachKind = defineKind(reach, {
  needs: { storage: storageOf('projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) => ({
    find: (_, asking) => findAll({ stores, places }, asking),
    findDefault: (asking) => findAll({ stores, places }, asking),
    placeOf: ({ workspace, project }) => placeIn(workspace.id, project),
    forProjectKeys: async (_, { project }) => project !== undefined,
  }),
});

/** The project of a target, made where it is missing. Rejects with `invalid` for a name that no project may have. */
export const requireTarget = async (
  storage: StorageOf<'projects' | 'workspaces'>,
  needs: { readonly clock: Clock; readonly ids: Ids },
  { workspace, project, name }: ProjectTarget,
  caller: Caller,
): Promise<Project> =>
  project ??
  (await storage.transaction((stores) =>
    requireProject(stores, needs, { workspace, caller, projectName: name, kind: 'em' }),
  ));
