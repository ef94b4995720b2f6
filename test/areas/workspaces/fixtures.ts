import { project } from '#ports/model/projects';
import { workspace } from '#ports/model/workspaces';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshKey, freshName, unknownId } from '#test/api/fresh';
import { projects, spareAccounts, workspaces } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['workspaces'],
  kinds: [
    kindIn(workspace, workspaces, {
      name: (made) => made.workspace,
      ownName: (_, world) => world.of(projects).projectName,
      unknown: freshKey,
    }),
    kindIn(project, projects, {
      name: ({ projectId }) => projectId,
      ownName: ({ projectName }) => projectName,
      unknown: () => unknownId,
      missingCode: 98219,
    }),
  ],
  supplies: [spareAccounts],
  rows: {
    accountDetails: { aboutCaller: 'tells of the caller' },
    listWorkspaces: { aboutCaller: 'lists what the caller belongs to' },
    createWorkspace: {
      aboutCaller: "what is made becomes the caller's",
      with: () => ({ 'body.name': freshName('space') }),
    },
    addMember: {
      with: (world) => ({ 'body.userName': world.of(spareAccounts).newcomers.pop() ?? 'nobody' }),
    },
    createProject: {
      with: () => ({ 'body.projectName': freshName('project') }),
      ownNames: ['body.projectName'],
    },
    deleteProject: { consumes: true },
    updateProject: { ownNames: ['body.newProjectName'] },
    setProjectOwner: { with: (world) => ({ 'body.userName': world.owner.name }), consumes: true },
    moveProject: { consumes: true },
    deleteShareLink: { consumes: true },
  },
};
