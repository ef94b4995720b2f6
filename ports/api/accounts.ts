// Account, workspaces and projects as the public clients ask for them.
import { maybe, one, operations } from './operation.js';
import { flag, integer, list, map, millis, nullable, object, optional, record, text, texts, anything, word } from './schema.js';
import { read, saved, write } from './tracking.js';

export const projectRecord = object({
  projectId: text(),
  projectName: text(),
  ownerUserName: text(),
  projectDescription: nullable(text()),
  workspaceName: text(),
  workspaceId: text(),
  numberOfExperiments: integer(),
  lastUpdated: millis(),
  public: flag(),
  isPublic: flag(),
});

const projectRow = object({
  projectId: text(), userName: text(), projectName: text(), projectDesc: nullable(text()), generalProject: flag(), totalRowCount: text(), filteredRowCount: text(),
  experimentCount: integer(), imagePath: nullable(text()), isPublic: flag(), teamId: text(), created_at: millis(), lastUpdated: millis(), lastUpdatedByUser: millis(),
  isStarterProject: flag(), teamName: text(), isInProjectTeam: flag(), owner: flag(), canEdit: flag(),
});

const projectNamed = (where: 'query' | 'body') => [`${where}.projectId`, `${where}.workspaceName/${where}.projectName`] as const;

export const accountOperations = operations({
  accountDetails: {
    method: 'GET', path: read('/account-details'), access: 'caller', about: 'caller', summary: 'Who the key belongs to',
    replies: { 200: object({ userName: text(), defaultWorkspaceName: nullable(text()) }) },
  },
  listWorkspaces: {
    method: 'GET', path: read('/workspaces'), access: 'caller', about: 'caller', summary: 'Names of the workspaces the caller belongs to',
    replies: { 200: object({ workspaceNames: texts() }) },
  },
  createWorkspace: {
    method: 'POST', path: write('/workspace/new'), access: 'caller', about: 'caller', audited: true, summary: 'Create a workspace, which the caller then administers', unbounded: true,
    body: object({ name: text({ min: 1 }), plan: optional(text()) }),
    replies: { 200: saved({ workspace_name: text(), workspace_id: text() }) }, fails: ['invalid', 'conflict'],
  },
  addMember: {
    method: 'POST', path: write('/add-workspace-member'), access: 'workspace-admin', about: one('workspace', 'body.workspaceName'), summary: 'Add a user to a workspace, as a member or as an administrator', permission: { of: 'invite', butNot: 'body.admin' }, audited: true,
    body: object({ workspaceName: text({ min: 1 }), userEmail: optional(text()), userName: optional(text()), name: optional(text()), admin: optional(flag()) }),
    replies: { 200: saved({}, 'added') }, fails: ['invalid', 'absent', 'conflict'],
  },
  listProjects: {
    method: 'GET', path: read('/projects'), access: 'read', about: maybe('workspace', 'query.workspaceName'), summary: 'All projects of a workspace',
    query: object({ workspaceName: optional(text()) }),
    replies: { 200: object({ projects: list(projectRecord) }) }, fails: ['invalid'],
  },
  pageProjects: {
    method: 'GET', path: read('/projects/page'), access: 'read', about: maybe('workspace', 'query.workspaceName'), summary: 'A page of the projects of a workspace',
    query: object({
      workspaceName: optional(text()), offset: optional(integer({ minimum: 0 })), count: optional(integer({ minimum: 1 })), sort: optional(text()), order: optional(text()),
      owner: optional(text()), public: optional(flag()), starterProject: optional(flag()), search: optional(text()),
    }),
    replies: { 200: object({ rows: list(projectRow), filteredRowCount: integer(), totalRowCount: integer() }) }, fails: ['invalid'],
  },
  getProject: {
    method: 'GET', path: read('/project'), access: 'read', about: one('project', ...projectNamed('query')), summary: 'One project, by id or by names',
    query: object({ projectId: optional(text()), workspaceName: optional(text()), projectName: optional(text()) }),
    replies: { 200: projectRecord }, fails: ['invalid', 'absent'], refusals: { absent: { status: 404 } },
  },
  createProject: {
    method: 'POST', path: write('/project/create'), access: 'write', about: maybe('workspace', 'body.workspaceName'), summary: 'Create a project', permission: { of: 'publish', when: 'body.isPublic' },
    body: object({ workspaceName: optional(text()), projectName: text({ min: 1 }), projectDescription: optional(text()), isPublic: optional(flag()) }),
    replies: { 200: saved({ projectId: text() }) }, fails: ['invalid', 'conflict'],
  },
  deleteProject: {
    method: 'POST', path: write('/project/delete'), access: 'write', about: one('project', ...projectNamed('body')), audited: true, unbounded: false, summary: 'Delete a project, and with it its experiments or only their place there',
    body: object({ projectId: optional(text()), workspaceName: optional(text()), projectName: optional(text()), deleteAllExperiments: optional(flag()) }),
    replies: { 200: saved({}, 'Deleted') }, fails: ['invalid', 'absent'], refusals: { absent: { status: 404 } },
  },
  updateProject: {
    method: 'POST', path: write('/project/update'), access: 'write', about: one('project', ...projectNamed('body')), audited: true, unbounded: false, summary: 'Change what is sent of a project', permission: { of: 'publish', when: 'body.isPublic' },
    body: object({
      projectId: optional(text()), workspaceName: optional(text()), projectName: optional(text()),
      newProjectName: optional(text({ min: 1 })), newProjectDescription: optional(text()), isPublic: optional(flag()),
    }),
    replies: { 200: saved({}, 'Updated') }, fails: ['invalid', 'absent', 'conflict'],
  },
  setProjectOwner: {
    method: 'POST', path: write('/project/update-owner'), access: 'workspace-admin', about: one('project', 'body.projectId'), audited: true, summary: 'Give a project to another member',
    body: object({ projectId: text(), userName: text({ min: 1 }) }),
    replies: { 200: saved() }, fails: ['invalid', 'absent'],
  },
  moveProject: {
    method: 'POST', path: write('/project/move'), access: 'workspace-admin', about: [one('project', 'body.projectId'), one('workspace', 'body.targetWorkspaceName')],
    audited: true, summary: 'Move a project with its experiments, links and notes to another workspace; where they made artifacts or registered models, contents says whether these move along ("move") or stay ("leave")', toggle: 'feature-move-project-to-workspace',
    body: object({ projectId: text(), targetWorkspaceName: text({ min: 1 }), contents: optional(word('move', 'leave')) }),
    replies: { 200: saved({ artifacts: integer(), models: integer() }) }, fails: ['invalid', 'absent', 'conflict'],
  },
  setProjectNotes: {
    method: 'POST', path: write('/project/notes'), access: 'write', about: one('project', 'body.projectId'), summary: 'Replace the notes of a project',
    body: object({ projectId: text(), notes: text() }), replies: { 200: saved() }, fails: ['invalid', 'absent'],
  },
  getProjectNotes: {
    method: 'GET', path: read('/project/notes'), access: 'read', about: one('project', 'query.projectId'), summary: 'The notes of a project',
    query: object({ projectId: text() }), replies: { 200: object({ notes: text() }) }, fails: ['invalid', 'absent'],
  },
  addShareLink: {
    method: 'GET', path: write('/project/add-share-link'), access: 'write', about: one('project', 'query.projectId'), audited: true, summary: 'Make a share code, by which anybody reads the project and its experiments (?shareCode= in place of a key) until it is taken back',
    query: object({ projectId: text() }), replies: { 200: saved({ shareCode: text() }) }, fails: ['invalid', 'absent'],
  },
  deleteShareLink: {
    method: 'GET', path: write('/project/delete-project-share-link'), access: 'write', about: one('project', 'query.projectId'), audited: true, summary: 'Take a share code back',
    query: object({ projectId: text(), shareCode: text() }), replies: { 200: saved() }, fails: ['invalid', 'absent'],
  },
  listShareLinks: {
    method: 'GET', path: read('/project/get-project-share-links'), access: 'read', about: one('project', 'query.projectId'), summary: 'Share codes of a project',
    query: object({ projectId: text() }), replies: { 200: object({ shareCodes: texts() }) }, fails: ['invalid', 'absent'],
  },
  saveStore: {
    method: 'POST', path: write('/project/store'), access: 'write', about: one('project', 'body.projectId'), summary: 'Save the key/value store of one panel instance',
    body: object({ instanceId: text({ min: 1 }), projectId: text(), store: record() }), replies: { 200: saved({}, 'Stored') }, fails: ['invalid', 'absent'],
  },
  readStore: {
    method: 'GET', path: read('/project/store'), access: 'read', about: one('project', 'query.projectId'), summary: 'The key/value store of one panel instance',
    query: object({ projectId: text(), instanceId: text() }), replies: { 200: object({ store: map(anything()) }) }, fails: ['invalid', 'absent'],
  },
});

