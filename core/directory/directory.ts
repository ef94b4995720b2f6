import { administrationFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { directoryOperations } from '#ports/api/directory';
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
import { changeMembers } from '../members/offers.js';
import { keepAdministrator, toKeyRecord } from '../members/rules.js';
import {
  changeServiceAccount,
  createServiceAccount,
  requireService,
  rotateServiceKey,
  toServiceAccount,
  toServiceAccounts,
} from './service-accounts.js';
import { moveContents } from '../administration/offers.js';
import { changeUser, endUser, homesOf, toUserRecord } from './users.js';

const pageSize = 100;
const megabyte = 1024 * 1024;

const asked = ({
  search,
  after,
  size,
}: {
  readonly search?: string | undefined;
  readonly after?: string | undefined;
  readonly size?: number | undefined;
}) => ({
  limit: size ?? pageSize,
  ...(search === undefined ? {} : { search }),
  ...(after === undefined ? {} : { after }),
});

export const directoryArea = area({
  name: 'directory',
  summary: 'Users, service accounts, workspaces and teams of the installation.',
  family: administrationFamily,
  table: directoryOperations,
  needs: {
    storage: storageOf(
      'apiKeys',
      'artifactVersions',
      'artifacts',
      'attempts',
      'credentials',
      'events',
      'members',
      'oauth',
      'registry',
      'sessions',
      'tickets',
      'usage',
      'users',
      'workspaces',
    ),
    auth: Auth,
    clock: Clock,
    notifiers: Notifiers,
    ids: Ids,
    log: Log,
    settings: Settings,
  },
  handlers: (needs) => {
    const { storage, auth, clock, ids } = needs;
    const { stores } = storage;
    return {
      async listUsers({ query }) {
        const found = await stores.users.pageUsers({
          ...asked(query),
          ...(query.kind === undefined ? {} : { kind: query.kind }),
        });
        const homes = await homesOf(stores, found);
        return {
          accounts: found.map((user) => toUserRecord(user, homes)),
          total: await stores.users.countUsers(),
        };
      },
      async createUser({ body }) {
        const { userName, workspaceName, ...rest } = body;
        const made = await auth.addUser({
          name: userName,
          ...(workspaceName === undefined ? {} : { workspace: workspaceName }),
          ...rest,
          emailProved: rest.email !== undefined,
        });
        return {
          userName: made.user.name,
          workspaceName: made.workspace,
          apiKey: made.apiKey,
          admin: made.user.admin,
        };
      },
      async getUser({ account }) {
        const { roles } = await stores.members.findReach(account.id);
        const homes = await stores.workspaces.listByIds([...roles.keys()]);
        return {
          user: toUserRecord(account, await homesOf(stores, [account])),
          workspaces: homes.map(({ id, name }) => ({
            workspaceName: name,
            role: roles.get(id) ?? 'view-only',
          })),
        };
      },
      async updateUser({ account, body }) {
        await changeUser(needs, account, body);
        return {};
      },
      async deleteUser({ account, caller }) {
        if (account.id === caller.userId && caller.via !== 'command')
          throw new Failure('conflict', 'nobody deletes himself; ask another administrator');
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
      listUserKeys: async ({ account }) => ({
        keys: (await stores.apiKeys.listKeys(account.id)).map(toKeyRecord),
      }),
      async issueUserKey({ account, body }) {
        const made = await auth.issueKey(account.id, { name: body.name });
        tellKeyChange(needs, { userId: account.id, name: body.name }, 'made');
        return made;
      },
      async revokeUserKey({ apiKey }) {
        await auth.revokeKey(apiKey.id);
        tellKeyChange(needs, apiKey, 'ended');
        return {};
      },
      async listUserSessions({ account }) {
        const found = await stores.sessions.listOf(account.id, clock.now());
        return {
          sessions: found.map(({ id, way, address, agent, createdAt, lastUsedAt, expiresAt }) => ({
            sessionId: id,
            way,
            address,
            agent,
            createdAt,
            lastUsedAt,
            expiresAt,
          })),
        };
      },
      endUserSessions: async ({ account }) => ({ ended: await auth.endSessions(account.id) }),
      async listAllWorkspaces({ query }) {
        const found = await stores.workspaces.page(asked(query));
        const owners = new Map(
          (
            await Promise.all(
              [...new Set(found.map((one) => one.ownerId))].map((id) =>
                stores.users.findUser({ id }),
              ),
            )
          ).flatMap((user) => (user === undefined ? [] : [[user.id, user.name] as const])),
        );
        return {
          workspaces: found.map(({ id, name, ownerId, members, createdAt }) => ({
            workspaceName: name,
            workspaceId: id,
            owner: owners.get(ownerId) ?? null,
            members,
            createdAt,
          })),
        };
      },
      async renameWorkspace({ workspace, body }) {
        checkWorkspaceName(body.newWorkspaceName);
        await stores.workspaces.update(workspace.id, { name: body.newWorkspaceName });
        return {};
      },
      async deleteWorkspace({ workspace, body, caller }) {
        const isGone = await storage.transaction(async (inside) => {
          const { workspaces } = inside;
          if (body.withContents === true)
            await workspaces.markContentsDeleted(workspace.id, clock.now());
          const removed = await workspaces.removeEmpty(workspace.id);
          if (removed) await tellWorkspaceDeleted(inside, { clock, ids }, workspace, caller);
          return removed;
        });
        if (!isGone)
          throw new Failure(
            'conflict',
            `workspace ${workspace.name} still holds projects, artifacts or registered models; delete or move them first`,
          );
        return {};
      },
      async moveWorkspaceContents({ workspace, body }) {
        const to = await stores.workspaces.findByName(body.targetWorkspaceName);
        if (to === undefined)
          throw new Failure(
            'absent',
            `workspace ${body.targetWorkspaceName.slice(0, 100)} does not exist`,
          );
        return storage.transaction((inside) => moveContents(inside, { clock }, workspace, to));
      },
      async setWorkspaceQuota({ workspace, body: { experiments, storageMb } }) {
        await stores.workspaces.update(workspace.id, {
          ...(experiments === undefined
            ? {}
            : { experimentsLimit: experiments === 0 ? undefined : experiments }),
          ...(storageMb === undefined
            ? {}
            : { storageLimit: storageMb === 0 ? undefined : storageMb * megabyte }),
        });
        return {};
      },
      async addUserToTeam({ account, workspace, body }) {
        const role = body.admin === true ? 'admin' : 'member';
        await changeMembers(storage, workspace.id, async (inside, { id }) => {
          const member = await inside.members.findMember(id, account.id);
          if (member !== undefined) await keepAdministrator(inside, id, member, role);
          await inside.members.setRole(id, account.id, role, member?.permissions ?? []);
        });
        await auth.forget(account.id);
        return {};
      },
      createServiceAccount: ({ body, caller }) =>
        createServiceAccount(needs, body, caller.userName),
      async listServiceAccounts() {
        const found = await stores.users.pageUsers({ kind: 'service', limit: 1000 });
        return {
          serviceAccounts: await toServiceAccounts(
            stores,
            found.filter((one) => one.suspendedAt === undefined),
          ),
        };
      },
      rotateServiceAccountKey: ({ account, caller }) =>
        rotateServiceKey(needs, requireService(account), caller.userName),
      rotateServiceAccountKeyByName: ({ account, caller }) =>
        rotateServiceKey(needs, requireService(account), caller.userName),
      async updateServiceAccount({ account, body }) {
        await changeServiceAccount(needs, requireService(account), body);
        return toServiceAccount(
          stores,
          (await stores.users.findUser({ id: account.id })) ?? account,
        );
      },
      async deleteServiceAccount({ account }) {
        await endUser(needs, requireService(account));
        return {};
      },
    };
  },
});
