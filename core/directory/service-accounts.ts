// Accounts of programs. One that is not restricted administers every workspace; a restricted one belongs to those it was added to.
import { organizationId } from './offers.js';
import { Failure } from '#ports/failure';
import type { User } from '#ports/model/identity';
import type { Stores } from '#ports/storage/storage';
import { homesOf, requireWorkspace, type DirectoryNeeds } from './users.js';

const start = 'sa-';

/** The account, which must be a program's. */
export const requireService = (account: User): User => {
  if (account.kind !== 'service' || account.suspendedAt !== undefined)
    throw new Failure('absent', `service account ${account.name.slice(0, 100)} not found`);
  return account;
};

export const toServiceAccount = async (
  stores: Pick<Stores, 'apiKeys' | 'users' | 'workspaces'>,
  account: User,
) => {
  const [shown] = await toServiceAccounts(stores, [account]);
  if (shown === undefined) throw new Error('a list of one gave none');
  return shown;
};

/** Accounts as they are shown; what they share is read once. */
export const toServiceAccounts = async (
  stores: Pick<Stores, 'apiKeys' | 'users' | 'workspaces'>,
  accounts: readonly User[],
) => {
  const [organization, homes] = await Promise.all([
    organizationId(stores),
    homesOf(stores, accounts),
  ]);
  return Promise.all(accounts.map((account) => shownAccount(stores, account, organization, homes)));
};

const shownAccount = async (
  stores: Pick<Stores, 'apiKeys'>,
  account: User,
  organization: string,
  homes: ReadonlyMap<string, string>,
) => {
  const keys = await stores.apiKeys.listKeys(account.id);
  const used = keys.flatMap((key) => key.lastUsedAt ?? []);
  return {
    organizationId: organization,
    name: account.name,
    createdAt: account.createdAt,
    createdBy: keys.at(-1)?.name ?? null,
    defaultWorkspaceName: homes.get(account.defaultWorkspaceId ?? '') ?? null,
    lastActivityAt: used.length === 0 ? null : Math.max(...used),
    restricted: account.restricted,
  };
};

interface NewServiceAccount {
  readonly name: string;
  /** The workspace it logs into when none is named. */
  readonly teamName?: string | undefined;
  readonly restricted?: boolean | undefined;
}

/** Makes the account; its first key has the name of who made it. */
export const createServiceAccount = async (
  { storage, auth }: DirectoryNeeds,
  wish: NewServiceAccount,
  creator: string,
) => {
  const home =
    wish.teamName === undefined ? undefined : await requireWorkspace(storage.stores, wish.teamName);
  const { user } = await auth.addUser({
    name: wish.name.startsWith(start) ? wish.name : `${start}${wish.name}`,
    kind: 'service',
    restricted: wish.restricted ?? false,
    workspace: null,
    withoutKey: true,
  });
  if (home !== undefined) {
    await storage.stores.users.setDefaultWorkspace(user.id, home.id);
    if (user.restricted) await auth.setRole(home.id, user.id, 'admin');
  }
  const { apiKey } = await auth.issueKey(user.id, { name: creator });
  return {
    ...(await toServiceAccount(storage.stores, { ...user, defaultWorkspaceId: home?.id })),
    apiKey,
  };
};

/** A new key; every older one dies. */
export const rotateServiceKey = async (
  { auth }: DirectoryNeeds,
  account: User,
  by: string,
): Promise<{ readonly apiKey: string }> => {
  const { apiKey } = await auth.replaceKeys(account.id, by);
  return { apiKey };
};

interface ServiceChange {
  readonly restricted?: boolean | undefined;
  readonly workspaceNames?: readonly string[] | undefined;
  readonly defaultWorkspaceName?: string | undefined;
}

/** Changes what is given. The list of workspaces replaces the one there was. */
export const changeServiceAccount = async (
  { storage, auth }: DirectoryNeeds,
  account: User,
  change: ServiceChange,
): Promise<void> => {
  const { stores } = storage;
  const home =
    change.defaultWorkspaceName === undefined
      ? undefined
      : await requireWorkspace(stores, change.defaultWorkspaceName);
  const wanted =
    change.workspaceNames === undefined
      ? undefined
      : await Promise.all(change.workspaceNames.map((name) => requireWorkspace(stores, name)));
  const before = (await stores.members.findReach(account.id)).roles;
  await storage.transaction(async ({ users, members }) => {
    await users.updateUser(account.id, {
      ...(change.restricted === undefined ? {} : { restricted: change.restricted }),
      ...(home === undefined ? {} : { defaultWorkspaceId: home.id }),
    });
    if (wanted === undefined) return;
    for (const workspaceId of before.keys())
      if (!wanted.some((one) => one.id === workspaceId))
        await members.removeRole(workspaceId, account.id);
    for (const { id } of wanted) await members.setRole(id, account.id, 'admin', []);
  });
  await auth.forget(account.id);
};
