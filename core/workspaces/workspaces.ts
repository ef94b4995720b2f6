import { trackingFamily } from '#ports/api/families/tracking';
import { workspaceOperations } from '#ports/api/workspaces';
import { area } from '#ports/api/area';
import { Auth } from '#ports/auth';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { Project } from '#ports/model/projects';
import type { ProjectFigures } from '#ports/storage/projects';
import { Secrets } from '#ports/secrets';
import { storageOf } from '#ports/storage/storage';
import { changeMembers } from '../members/offers.js';
import { findByEmail } from '../members/rules.js';
import { deleteProject } from './deleting.js';
import { moveProjectTo } from './moving.js';
import { checkProjectName, checkWorkspaceName, orderProjects } from './rules.js';
import { projectKind, workspaceKind } from './kinds.js';
import { experimentSettings } from '../experiments/settings.js';

const needs = {
  storage: storageOf(
    'artifactVersions',
    'artifacts',
    'events',
    'experiments',
    'members',
    'projects',
    'registry',
    'users',
    'workspaces',
  ),
  auth: Auth,
  clock: Clock,
  ids: Ids,
  secrets: Secrets,
  settings: experimentSettings.port,
};

const toRecord = (project: Project, figures: ProjectFigures | undefined) => ({
  projectId: project.id,
  projectName: project.name,
  ownerUserName: project.ownerUserName,
  projectDescription: project.description ?? null,
  workspaceName: project.workspaceName,
  workspaceId: project.workspaceId,
  numberOfExperiments: figures?.experiments ?? 0,
  lastUpdated: figures?.lastUpdated ?? project.updatedAt,
  public: project.public,
  isPublic: project.public,
});

const toRow = (
  project: Project,
  figures: ProjectFigures | undefined,
  caller: Caller,
  counts: { readonly total: number; readonly filtered: number },
) => ({
  projectId: project.id,
  userName: project.ownerUserName,
  projectName: project.name,
  projectDesc: project.description ?? null,
  generalProject: project.name === 'general',
  totalRowCount: String(counts.total),
  filteredRowCount: String(counts.filtered),
  experimentCount: figures?.experiments ?? 0,
  imagePath: null,
  isPublic: project.public,
  teamId: project.workspaceId,
  created_at: project.createdAt,
  lastUpdated: figures?.lastUpdated ?? project.updatedAt,
  lastUpdatedByUser: project.updatedAt,
  isStarterProject: false,
  teamName: project.workspaceName,
  isInProjectTeam: caller.roles.has(project.workspaceId),
  owner: project.ownerId === caller.userId,
  canEdit:
    caller.everywhere ||
    (caller.roles.has(project.workspaceId) &&
      caller.roles.get(project.workspaceId) !== 'view-only'),
});

export const workspacesArea = area({
  name: 'workspaces',
  summary: 'The account of the caller, and projects with their share codes.',
  family: trackingFamily,
  table: workspaceOperations,
  kinds: [workspaceKind, projectKind],
  toggles: {
    'feature-move-project-to-workspace': {
      default: true,
      says: 'Moving whole projects to another workspace',
      since: 'September 2023',
    },
  },
  needs,
  handlers: ({ storage, auth, clock, ids, secrets, settings }) => ({
    async accountDetails({ caller }) {
      const home =
        caller.defaultWorkspaceId === undefined
          ? undefined
          : await storage.stores.workspaces.findById(caller.defaultWorkspaceId);
      return { userName: caller.userName, defaultWorkspaceName: home?.name ?? null };
    },
    async listWorkspaces({ caller }) {
      const found = caller.everywhere
        ? await storage.stores.workspaces.listAll()
        : await storage.stores.workspaces.listByIds([...caller.roles.keys()]);
      return { workspaceNames: found.map((workspace) => workspace.name) };
    },
    async createWorkspace({ body, caller }) {
      checkWorkspaceName(body.name);
      const id = ids.next();
      await storage.transaction(async (stores) => {
        await stores.workspaces.insert({
          id,
          name: body.name,
          ownerId: caller.userId,
          createdAt: clock.now(),
        });
        await stores.members.setRole(id, caller.userId, 'admin', []);
      });
      await auth.forget(caller.userId);
      return { workspace_name: body.name, workspace_id: id };
    },
    async addMember({ body, workspace }) {
      const { userName, name: alias, userEmail } = body;
      const called = userName ?? alias ?? userEmail;
      if (called === undefined)
        throw new Failure('invalid', 'userEmail, userName or name is required');
      // Clients write a name where an e-mail address is asked for, and the other way round.
      const user =
        (await storage.stores.users.findUser({ name: called })) ??
        (await findByEmail(storage.stores, called));
      if (user === undefined || user.kind === 'guest')
        throw new Failure('absent', `user ${called.slice(0, 100)} not found`);
      await changeMembers(storage, workspace.id, async ({ members }, { id, name }) => {
        if ((await members.findMember(id, user.id)) !== undefined)
          throw new Failure(
            'conflict',
            `user ${called.slice(0, 100)} is already member of ${name}`,
          );
        await members.setRole(id, user.id, body.admin === true ? 'admin' : 'member', []);
      });
      await auth.forget(user.id);
      return {};
    },
    async listProjects({ workspace }) {
      const projects = await storage.stores.projects.listByWorkspace(workspace.id);
      const figures = await storage.stores.projects.figures(projects.map((project) => project.id));
      return { projects: projects.map((project) => toRecord(project, figures.get(project.id))) };
    },
    async pageProjects({ query, workspace, caller }) {
      const all = await storage.stores.projects.listByWorkspace(workspace.id);
      const figures = await storage.stores.projects.figures(all.map((project) => project.id));
      const wanted = orderProjects(all, figures, query);
      const counts = { total: all.length, filtered: wanted.length };
      const start = query.offset ?? 0;
      return {
        rows: wanted
          .slice(start, start + (query.count ?? 100))
          .map((project) => toRow(project, figures.get(project.id), caller, counts)),
        filteredRowCount: counts.filtered,
        totalRowCount: counts.total,
      };
    },
    async getProject({ project }) {
      const figures = await storage.stores.projects.figures([project.id]);
      return toRecord(project, figures.get(project.id));
    },
    async createProject({ body, workspace, caller }) {
      checkProjectName(body.projectName);
      const id = ids.next();
      await storage.stores.projects.insert({
        id,
        workspaceId: workspace.id,
        name: body.projectName,
        description: body.projectDescription,
        public: body.isPublic ?? false,
        kind: 'em',
        ownerId: caller.userId,
        createdAt: clock.now(),
      });
      return { projectId: id };
    },
    async deleteProject({ body, project, caller }) {
      await deleteProject(
        storage,
        { clock, ids, settings },
        {
          project,
          caller,
          keepsExperiments: body.deleteAllExperiments !== true,
        },
      );
      return {};
    },
    async updateProject({ body, project }) {
      if (
        body.projectId !== undefined &&
        (body.projectName !== undefined || body.workspaceName !== undefined)
      )
        throw new Failure(
          'invalid',
          'give either projectId, or workspaceName and projectName, not both',
        );
      if (body.newProjectName !== undefined) checkProjectName(body.newProjectName);
      await storage.stores.projects.update(project.id, {
        updatedAt: clock.now(),
        ...(body.newProjectName === undefined ? {} : { name: body.newProjectName }),
        ...(body.newProjectDescription === undefined
          ? {}
          : { description: body.newProjectDescription }),
        ...(body.isPublic === undefined ? {} : { public: body.isPublic }),
      });
      return {};
    },
    async setProjectOwner({ body, project }) {
      const user = await storage.stores.users.findUser({ name: body.userName });
      const members = await storage.stores.members.listMembers(project.workspaceId);
      if (user === undefined || !members.some((member) => member.userId === user.id))
        throw new Failure(
          'absent',
          `user ${body.userName.slice(0, 100)} is not a member of the workspace`,
        );
      await storage.stores.projects.update(project.id, {
        ownerId: user.id,
        updatedAt: clock.now(),
      });
      return {};
    },
    async moveProject({ body, project, workspace }) {
      return storage.transaction((stores) =>
        moveProjectTo(stores, { clock }, { project, workspace, contents: body.contents }),
      );
    },
    async setProjectNotes({ body, project }) {
      await storage.stores.projects.writeNotes(project.id, body.notes);
      return {};
    },
    async getProjectNotes({ project }) {
      return { notes: await storage.stores.projects.readNotes(project.id) };
    },
    async addShareLink({ project }) {
      const shareCode = secrets.code(25);
      await storage.stores.projects.insertShareCode(project.id, shareCode, clock.now());
      return { shareCode };
    },
    async deleteShareLink({ query, project }) {
      await storage.stores.projects.removeShareCode(project.id, query.shareCode);
      return {};
    },
    async listShareLinks({ project }) {
      return { shareCodes: await storage.stores.projects.listShareCodes(project.id) };
    },
    async saveStore({ body, project }) {
      await storage.stores.projects.writeInstanceStore(
        project.id,
        body.instanceId,
        JSON.stringify(body.store),
      );
      return {};
    },
    async readStore({ query, project }) {
      const content = await storage.stores.projects.readInstanceStore(project.id, query.instanceId);
      return {
        store: content === undefined ? {} : (JSON.parse(content) as Record<string, unknown>),
      }; // written by saveStore, an object
    },
  }),
});
