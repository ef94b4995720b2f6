import { area } from '#ports/api/area';
import { rightsOperations } from '#ports/api/rights';
import { Auth } from '#ports/auth';
import { Failure } from '#ports/failure';
import { Storage } from '#ports/storage/storage';
import { rotate } from './keys.js';
import { keepAdministrator, requireMember, toKeyRecord } from './rules.js';

const page = 100;

export const rightsArea = area({
  name: 'rights', family: 'tracking', table: rightsOperations, needs: { storage: Storage, auth: Auth },
  handlers: ({ storage, auth }) => ({
    listKeys: async ({ caller }) => ({ keys: (await storage.stores.identity.listKeys(caller.userId)).map(toKeyRecord) }),
    async createKey({ body, caller, workspace, project }) {
      const home = project?.workspaceId ?? (body.workspaceName === undefined ? undefined : workspace.id);
      if (project !== undefined && body.workspaceName !== undefined && project.workspaceId !== workspace.id) throw new Failure('invalid', 'the project is not in that workspace');
      const narrowed = body.readOnly === true || home !== undefined;
      return auth.issueKey(caller.userId, { name: body.name, ...(narrowed ? { scope: { readOnly: body.readOnly === true, workspaceId: home, projectId: project?.id } } : {}) });
    },
    rotateKey: ({ apiKey }) => rotate(auth, apiKey),
    async revokeKey({ apiKey }) {
      await auth.revokeKey(apiKey.id);
      return {};
    },
    async listMembers({ query, workspace }) {
      const found = await storage.stores.identity.pageMembers(workspace.id, { limit: query.size ?? page, ...(query.after === undefined ? {} : { after: query.after }) });
      return { members: found.map(({ userId, userName, role, permissions }) => ({ userName, role, permissions, owner: userId === workspace.ownerId })) };
    },
    async setMember({ body, workspace }) {
      const member = await requireMember(storage.stores, workspace.id, body.userName);
      await keepAdministrator(storage.stores, workspace.id, member, body.role);
      if (member.userId === workspace.ownerId && body.role !== 'admin') throw new Failure('conflict', `${member.userName} owns the workspace and administers it; give it to another first`);
      await auth.setRole(workspace.id, member.userId, body.role, body.permissions ?? (body.role === member.role ? member.permissions : []));
      return {};
    },
    async removeMember({ body, workspace }) {
      const member = await requireMember(storage.stores, workspace.id, body.userName);
      await keepAdministrator(storage.stores, workspace.id, member, undefined);
      if (member.userId === workspace.ownerId) throw new Failure('conflict', `${member.userName} owns the workspace; give it to another first`);
      await auth.setRole(workspace.id, member.userId, undefined);
      return {};
    },
    async leaveWorkspace({ workspace, caller }) {
      const member = await requireMember(storage.stores, workspace.id, caller.userName);
      await keepAdministrator(storage.stores, workspace.id, member, undefined);
      if (caller.userId === workspace.ownerId) throw new Failure('conflict', 'the caller owns the workspace; give it to another first');
      await auth.setRole(workspace.id, caller.userId, undefined);
      return {};
    },
    async setWorkspaceOwner({ body, workspace }) {
      const member = await requireMember(storage.stores, workspace.id, body.userName);
      if (member.role !== 'admin') throw new Failure('conflict', `${member.userName} does not administer the workspace`);
      await storage.stores.workspaces.update(workspace.id, { ownerId: member.userId });
      return {};
    },
    async setDefaultWorkspace({ workspace, caller }) {
      await storage.stores.identity.setDefaultWorkspace(caller.userId, workspace.id);
      await auth.forget(caller.userId);
      return {};
    },
  }),
});
