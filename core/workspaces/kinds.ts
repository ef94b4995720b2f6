import { defineKind, type Name } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { project } from '#ports/model/projects';
import { workspace } from '#ports/model/workspaces';
import { storageOf, type Stores } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { naming } from '../subject-paths.js';
import { isOwnDefault, takesAnyName, unnamedWorkspace, workspaceOf } from './offers.js';

const absentWorkspace = (text: string) =>
  new Failure('absent', `workspace ${text.slice(0, 100)} does not exist`, {
    reason: 'workspaceAbsent',
  });

/** Whether a header names no workspace, although it says something. */
const namesNoWorkspace = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  { path, text }: Name,
  caller: Caller,
): Promise<boolean> => {
  if (path !== 'header.comet-workspace') return false;
  if (text !== unnamedWorkspace && !takesAnyName(caller)) return false;
  const found = await workspaces.findByName(text);
  return takesAnyName(caller) ? found === undefined : !isOwnDefault(found, caller);
};

export const workspaceKind = defineKind(workspace, {
  needs: { storage: storageOf('projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) => ({
    find: ({ text }, { operation }) =>
      operation.adds === true ? places.findWorkspace(text) : stores.workspaces.findByName(text),
    async findDefault({ operation, caller: { defaultWorkspaceId } }) {
      if (defaultWorkspaceId === undefined)
        throw new Failure('absent', 'the key has no default workspace', {
          reason: 'workspaceAbsent',
        });
      return operation.adds === true
        ? places.findWorkspaceById(defaultWorkspaceId)
        : stores.workspaces.findById(defaultWorkspaceId);
    },
    isNone: (name, { caller }) => namesNoWorkspace(stores, name, caller),
    idOf: ({ id }) => id,
    placeOf: ({ id }) => ({ workspaceId: id }),
    absent: absentWorkspace,
    /** A key of one project may do in its workspace only what names that project. */
    async forProjectKeys({ operation: { access }, named, caller: { scope } }) {
      if (access.inProject === undefined || scope?.projectId === undefined) return false;
      const own = await stores.projects.findById(scope.projectId);
      return own !== undefined && naming(named, access.inProject)?.text === own.name;
    },
    notAdmitted: () =>
      new Failure('forbidden', 'the service account is not admitted to this workspace', {
        reason: 'serviceRestricted',
      }),
  }),
});

export const projectKind = defineKind(project, {
  needs: { storage: storageOf('projects', 'workspaces') },
  rules: ({ storage: { stores } }) => ({
    async find(name, { caller }) {
      if (name.texts.length === 1) return stores.projects.findById(name.text);
      const home = await workspaceOf(stores, name, caller.defaultWorkspaceId);
      return home === undefined ? undefined : stores.projects.findByName(home, name.text);
    },
    placeOf: ({ id, workspaceId, public: isPublic, ownerId }) => ({
      workspaceId,
      projectId: id,
      public: isPublic,
      ownerId,
    }),
    absent: (text) => new Failure('absent', `project ${text.slice(0, 100)} not found`),
    missing: () =>
      new Failure('invalid', 'projectId, or workspaceName and projectName, is required', {
        reason: 'projectMissing',
      }),
    forProjectKeys: true,
  }),
});
