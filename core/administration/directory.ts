import { area } from '#ports/api/area';
import { directoryOperations } from '#ports/api/directory';
import { Auth } from '#ports/auth';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Storage } from '#ports/storage/storage';
import { checkWorkspaceName } from '../accounts/rules.js';
import { keepAdministrator, toKeyRecord } from '../rights/rules.js';
import { changeServiceAccount, createServiceAccount, requireService, rotateServiceKey, toServiceAccount, toServiceAccounts } from './service-accounts.js';
import { changeUser, endUser, homesOf, toUserRecord } from './users.js';

const pageSize = 100;
const megabyte = 1024 * 1024;

const asked = ({ search, after, size }: { readonly search?: string | undefined; readonly after?: string | undefined; readonly size?: number | undefined }) => ({ limit: size ?? pageSize, ...(search === undefined ? {} : { search }), ...(after === undefined ? {} : { after }) });

export const directoryArea = area({
  name: 'directory', family: 'administration', table: directoryOperations, needs: { storage: Storage, auth: Auth, clock: Clock },
  handlers: (needs) => {
    const { storage, auth, clock } = needs;
    const { stores } = storage;
    return {
      async listUsers({ query }) {
        const found = await stores.identity.pageUsers({ ...asked(query), ...(query.kind === undefined ? {} : { kind: query.kind }) });
        const homes = await homesOf(stores, found);
        return { accounts: found.map((user) => toUserRecord(user, homes)), total: await stores.identity.countUsers() };
      },
      async createUser({ body }) {
        const { userName, workspaceName, ...rest } = body;
        const made = await auth.addUser({ name: userName, ...(workspaceName === undefined ? {} : { workspace: workspaceName }), ...rest });
        return { userName: made.user.name, workspaceName: made.workspace, apiKey: made.apiKey, admin: made.user.admin };
      },
      async getUser({ account }) {
        const { roles } = await stores.identity.findReach(account.id);
        const homes = await stores.workspaces.listByIds([...roles.keys()]);
        return { user: toUserRecord(account, await homesOf(stores, [account])), workspaces: homes.map(({ id, name }) => ({ workspaceName: name, role: roles.get(id) ?? 'view-only' })) };
      },
      async updateUser({ account, body }) {
        await changeUser(needs, account, body);
        return {};
      },
      async deleteUser({ account, caller }) {
        if (account.id === caller.userId && caller.via !== 'command') throw new Failure('conflict', 'nobody deletes himself; ask another administrator');
        await endUser(needs, account);
        return {};
      },
      async changeUserName({ account, body }) {
        await auth.rename(account.id, body.newUserName);
        return {};
      },
      async resetPassword({ account, body }) {
        await auth.setPassword(account.id, body.newPassword);
        return {};
      },
      listUserKeys: async ({ account }) => ({ keys: (await stores.identity.listKeys(account.id)).map(toKeyRecord) }),
      issueUserKey: ({ account, body }) => auth.issueKey(account.id, { name: body.name }),
      async revokeUserKey({ apiKey }) {
        await auth.revokeKey(apiKey.id);
        return {};
      },
      async listUserSessions({ account }) {
        const found = await stores.sessions.listOf(account.id, clock.now());
        return { sessions: found.map(({ id, way, address, agent, createdAt, lastUsedAt, expiresAt }) => ({ sessionId: id, way, address, agent, createdAt, lastUsedAt, expiresAt })) };
      },
      endUserSessions: async ({ account }) => ({ ended: await auth.endSessions(account.id) }),
      async listAllWorkspaces({ query }) {
        const found = await stores.workspaces.page(asked(query));
        const owners = new Map((await Promise.all([...new Set(found.map((one) => one.ownerId))].map((id) => stores.identity.findUser({ id })))).flatMap((user) => (user === undefined ? [] : [[user.id, user.name] as const])));
        return { workspaces: found.map(({ id, name, ownerId, members, createdAt }) => ({ workspaceName: name, workspaceId: id, owner: owners.get(ownerId) ?? null, members, createdAt })) };
      },
      async renameWorkspace({ workspace, body }) {
        checkWorkspaceName(body.newWorkspaceName);
        await stores.workspaces.update(workspace.id, { name: body.newWorkspaceName });
        return {};
      },
      async deleteWorkspace({ workspace }) {
        if (!(await storage.transaction((inside) => inside.workspaces.removeEmpty(workspace.id)))) throw new Failure('conflict', `workspace ${workspace.name} still holds projects; delete or move them first`);
        return {};
      },
      async setWorkspaceQuota({ workspace, body: { experiments, storageMb } }) {
        await stores.workspaces.update(workspace.id, {
          ...(experiments === undefined ? {} : { experimentsLimit: experiments === 0 ? undefined : experiments }), ...(storageMb === undefined ? {} : { storageLimit: storageMb === 0 ? undefined : storageMb * megabyte }),
        });
        return {};
      },
      async addUserToTeam({ account, workspace, body }) {
        const member = await stores.identity.findMember(workspace.id, account.id);
        const role = body.admin === true ? 'admin' : 'member';
        if (member !== undefined) await keepAdministrator(stores, workspace.id, member, role);
        await auth.setRole(workspace.id, account.id, role, member?.permissions);
        return {};
      },
      createServiceAccount: ({ body, caller }) => createServiceAccount(needs, body, caller.userName),
      async listServiceAccounts() {
        const found = await stores.identity.pageUsers({ kind: 'service', limit: 1000 });
        return { serviceAccounts: await toServiceAccounts(stores, found.filter((one) => one.suspendedAt === undefined)) };
      },
      rotateServiceAccountKey: ({ account, caller }) => rotateServiceKey(needs, requireService(account), caller.userName),
      rotateServiceAccountKeyByName: ({ account, caller }) => rotateServiceKey(needs, requireService(account), caller.userName),
      async updateServiceAccount({ account, body }) {
        await changeServiceAccount(needs, requireService(account), body);
        return toServiceAccount(stores, await stores.identity.findUser({ id: account.id }) ?? account);
      },
      async deleteServiceAccount({ account }) {
        await endUser(needs, requireService(account));
        return {};
      },
    };
  },
});
