// Users and service accounts as an administrator of the installation sees and changes them.
import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { User } from '#ports/model/identity';
import type { Workspace } from '#ports/model/workspaces';
import type { Storage, Stores } from '#ports/storage/storage';

export interface DirectoryNeeds {
  readonly storage: Storage;
  readonly auth: Auth;
  readonly clock: Clock;
}

/** Names of the workspaces that these users log into when none is named, by id. */
export const homesOf = async ({ workspaces }: Stores, users: readonly User[]): Promise<ReadonlyMap<string, string>> =>
  new Map((await workspaces.listByIds([...new Set(users.flatMap((user) => user.defaultWorkspaceId ?? []))])).map((one) => [one.id, one.name]));

export const toUserRecord = (user: User, homes: ReadonlyMap<string, string>) => ({
  userName: user.name, email: user.email ?? null, kind: user.kind, admin: user.admin, viewOnly: user.viewOnly, restricted: user.restricted, suspendedAt: user.suspendedAt ?? null,
  defaultWorkspaceName: homes.get(user.defaultWorkspaceId ?? '') ?? null, createdAt: user.createdAt,
});

export const requireWorkspace = async ({ workspaces }: Stores, name: string): Promise<Workspace> => {
  const found = await workspaces.findByName(name);
  if (found === undefined) throw new Failure('absent', `workspace ${name.slice(0, 100)} does not exist`);
  return found;
};

/** Somebody else must be left who administers the installation. Rejects with `conflict`. */
const keepsAnother = async ({ identity }: Stores, { admin, suspendedAt }: User): Promise<void> => {
  if (admin && suspendedAt === undefined && (await identity.countAdministrators()) < 2) throw new Failure('conflict', 'this is the last administrator of the installation');
};

export interface UserChange {
  readonly email?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly viewOnly?: boolean | undefined;
  readonly suspended?: boolean | undefined;
  readonly defaultWorkspaceName?: string | undefined;
}

export const changeUser = async ({ storage, auth, clock }: DirectoryNeeds, user: User, change: UserChange): Promise<void> => {
  const { stores } = storage;
  if (change.admin === false || change.suspended === true || change.viewOnly === true) await keepsAnother(stores, user);
  if (change.viewOnly === true && (change.admin ?? user.admin)) throw new Failure('conflict', 'an administrator of the installation is no view-only member');
  const home = change.defaultWorkspaceName === undefined ? undefined : await requireWorkspace(stores, change.defaultWorkspaceName);
  await stores.identity.updateUser(user.id, {
    ...(change.email === undefined ? {} : { email: change.email === '' ? undefined : change.email }), ...(change.admin === undefined ? {} : { admin: change.admin }), ...(change.viewOnly === undefined ? {} : { viewOnly: change.viewOnly }),
    ...(change.suspended === undefined ? {} : { suspendedAt: change.suspended ? user.suspendedAt ?? clock.now() : undefined }), ...(home === undefined ? {} : { defaultWorkspaceId: home.id }),
  });
  if (change.suspended === true) await auth.endSessions(user.id);
  await auth.forget(user.id);
};

/** Ends an account for good: nobody signs in by it, and its name is never given to somebody else, under whom old runs would stand. */
export const endUser = async ({ storage, auth, clock }: DirectoryNeeds, user: User): Promise<void> => {
  await keepsAnother(storage.stores, user);
  const { roles } = await storage.stores.identity.findReach(user.id);
  for (const workspaceId of roles.keys()) {
    const member = await storage.stores.identity.findMember(workspaceId, user.id);
    const home = await storage.stores.workspaces.findById(workspaceId);
    if (member?.role === 'admin' && home !== undefined && (await storage.stores.identity.countAdmins(workspaceId)) < 2 && (await storage.stores.identity.pageMembers(workspaceId, { limit: 2 })).length > 1)
      throw new Failure('conflict', `${user.name} is the last administrator of the workspace ${home.name}, which has other members`);
  }
  await storage.transaction(async ({ identity, sessions }) => {
    for (const workspaceId of roles.keys()) await identity.removeRole(workspaceId, user.id);
    for (const key of await identity.listKeys(user.id)) await identity.revokeKey(key.id, clock.now());
    await sessions.removeOf(user.id);
    await identity.updateUser(user.id, { suspendedAt: user.suspendedAt ?? clock.now(), admin: false, email: undefined, defaultWorkspaceId: undefined });
  });
  await auth.forget(user.id);
};
