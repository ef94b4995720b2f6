import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { memberOperations } from '#ports/api/members';
import { Auth } from '#ports/auth';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { Log } from '#ports/log';
import { Notifiers } from '#ports/notify';
import { Settings } from '#ports/settings';
import { storageOf } from '#ports/storage/storage';
import { tellWorkspaceDeleted } from '../workspaces/offers.js';
import { checkWorkspaceName } from '../workspaces/rules.js';
import { tellKeyChange } from '../identity/offers.js';
import { changeMembers } from './offers.js';
import { keepAdministrator, requireMember, toKeyRecord } from './rules.js';

const page = 100;

export const membersArea = area({
  name: 'members',
  summary: 'API keys, and the members and owners of workspaces.',
  family: trackingFamily,
  table: memberOperations,
  needs: {
    storage: storageOf(
      'apiKeys',
      'attempts',
      'credentials',
      'events',
      'members',
      'oauth',
      'sessions',
      'tickets',
      'usage',
      'users',
      'workspaces',
    ),
    auth: Auth,
    notifiers: Notifiers,
    clock: Clock,
    ids: Ids,
    log: Log,
    settings: Settings,
  },
  handlers: (needs) => {
    const { storage, auth, clock, ids } = needs;
    const takeOut = async (workspaceId: string, userName: string, owns: string): Promise<void> => {
      const userId = await changeMembers(storage, workspaceId, async (stores, { id, ownerId }) => {
        const member = await requireMember(stores, id, userName);
        await keepAdministrator(stores, id, member, undefined);
        if (member.userId === ownerId) throw new Failure('conflict', owns);
        await stores.members.removeRole(id, member.userId);
        return member.userId;
      });
      await auth.forget(userId);
    };
    return {
      listKeys: async ({ caller }) => ({
        keys: (await storage.stores.apiKeys.listKeys(caller.userId)).map(toKeyRecord),
      }),
      async createKey({ body, caller, workspace, project }) {
        const home =
          project?.workspaceId ?? (body.workspaceName === undefined ? undefined : workspace.id);
        if (
          project !== undefined &&
          body.workspaceName !== undefined &&
          project.workspaceId !== workspace.id
        )
          throw new Failure('invalid', 'the project is not in that workspace');
        const narrowed = body.readOnly === true || home !== undefined;
        const made = await auth.issueKey(caller.userId, {
          name: body.name,
          ...(narrowed
            ? {
                scope: {
                  readOnly: body.readOnly === true,
                  workspaceId: home,
                  projectId: project?.id,
                },
              }
            : {}),
        });
        tellKeyChange(needs, { userId: caller.userId, name: body.name }, 'made');
        return made;
      },
      async rotateKey({ apiKey }) {
        const made = await auth.rotateKey(apiKey.id);
        tellKeyChange(needs, apiKey, 'replaced');
        return made;
      },
      async revokeKey({ apiKey }) {
        await auth.revokeKey(apiKey.id);
        tellKeyChange(needs, apiKey, 'ended');
        return {};
      },
      async listMembers({ query, workspace }) {
        const found = await storage.stores.members.pageMembers(workspace.id, {
          limit: query.size ?? page,
          ...(query.after === undefined ? {} : { after: query.after }),
        });
        return {
          members: found.map(({ userId, userName, role, permissions }) => ({
            userName,
            role,
            permissions,
            owner: userId === workspace.ownerId,
          })),
        };
      },
      async setMember({ body, workspace }) {
        const userId = await changeMembers(
          storage,
          workspace.id,
          async (stores, { id, ownerId }) => {
            const member = await requireMember(stores, id, body.userName);
            await keepAdministrator(stores, id, member, body.role);
            if (member.userId === ownerId && body.role !== 'admin')
              throw new Failure(
                'conflict',
                `${member.userName} owns the workspace and administers it; give it to another first`,
              );
            await stores.members.setRole(
              id,
              member.userId,
              body.role,
              body.permissions ?? (body.role === member.role ? member.permissions : []),
            );
            return member.userId;
          },
        );
        await auth.forget(userId);
        return {};
      },
      async removeMember({ body, workspace }) {
        await takeOut(
          workspace.id,
          body.userName,
          `${body.userName} owns the workspace; give it to another first`,
        );
        return {};
      },
      async leaveWorkspace({ workspace, caller }) {
        await takeOut(
          workspace.id,
          caller.userName,
          'the caller owns the workspace; give it to another first',
        );
        return {};
      },
      async setWorkspaceOwner({ body, workspace }) {
        await changeMembers(storage, workspace.id, async (stores, { id }) => {
          const member = await requireMember(stores, id, body.userName);
          if (member.role !== 'admin')
            throw new Failure('conflict', `${member.userName} does not administer the workspace`);
          await stores.workspaces.update(id, { ownerId: member.userId });
        });
        return {};
      },
      async renameOwnWorkspace({ body, workspace }) {
        checkWorkspaceName(body.newWorkspaceName);
        await storage.stores.workspaces.update(workspace.id, { name: body.newWorkspaceName });
        return {};
      },
      async deleteOwnWorkspace({ workspace, caller }) {
        if (caller.defaultWorkspaceId === workspace.id)
          throw new Failure(
            'conflict',
            `the caller logs into ${workspace.name} when no workspace is named; choose another default first`,
          );
        const isGone = await storage.transaction(async (stores) => {
          const removed = await stores.workspaces.removeEmpty(workspace.id);
          if (removed) await tellWorkspaceDeleted(stores, { clock, ids }, workspace, caller);
          return removed;
        });
        if (!isGone)
          throw new Failure(
            'conflict',
            `workspace ${workspace.name} still holds projects, artifacts or registered models; delete or move them first`,
          );
        await auth.forget(caller.userId);
        return {};
      },
      async setDefaultWorkspace({ workspace, caller }) {
        await storage.stores.users.setDefaultWorkspace(caller.userId, workspace.id);
        await auth.forget(caller.userId);
        return {};
      },
    };
  },
});
