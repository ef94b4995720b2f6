import { projectScope, projectTarget, reach } from '#ports/model/projects';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshKey, freshName, unknownId } from '#test/api/fresh';
import { projects, workspaces } from '#test/areas/workspaces/things';

const named = {
  name: ({ projectId }: { readonly projectId: string }) => projectId,
  ownName: ({ projectName }: { readonly projectName: string }) => projectName,
  unknown: () => unknownId,
} as const;

export const fixtures: AreaFixtures = {
  areas: ['projects'],
  kinds: [
    kindIn(projectTarget, projects, { ...named, namedAnywhere: true }),
    kindIn(projectScope, projects, { ...named, namedAnywhere: true }),
    kindIn(reach, workspaces, { name: (made) => made.workspace, unknown: freshKey }),
  ],
  rows: {
    insertProject: {
      with: () => ({ 'body.name': freshName('project') }),
      ownNames: ['body.name'],
    },
    patchProject: { ownNames: ['body.name'] },
    listProjectsByPage: { ownNames: ['query.name'] },
    removeProject: {
      consumes: true,
      with: (world) => ({ 'params.id': world.of(projects).projectId }),
      notOurs: { 'params.id': 'is looked for in the workspace of the header alone' },
    },
    removeProjects: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(projects).projectId] }),
      notOurs: { 'body.ids': 'are looked for in the workspace of the header alone' },
    },
  },
};
