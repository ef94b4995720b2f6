// Users and service accounts as an administrator of the installation sees and changes them.
import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { User } from '#ports/model/identity';
import type { Workspace } from '#ports/model/workspaces';
import type { StorageOf, Stores } from '#ports/storage/storage';

export interface DirectoryNeeds {
  readonly storage: StorageOf<
    'apiKeys' | 'credentials' | 'members' | 'tickets' | 'users' | 'workspaces'
  >;
  readonly auth: Auth;
  readonly clock: Clock;
}

/** Names of the workspaces that these users log into when none is named, by id. */
export const homesOf = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  users: readonly User[],
): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (
      await workspaces.listByIds([
        ...new Set(users.flatMap((user) => user.defaultWorkspaceId ?? [])),
      ])
    ).map((one) => [one.id, one.name]),
  );

export const toUserRecord = (user: User, homes: ReadonlyMap<string, string>) => ({
  userName: user.name,
  email: user.email ?? null,
  kind: user.kind,
  admin: user.admin,
  viewOnly: user.viewOnly,
  restricted: user.restricted,
  suspendedAt: user.suspendedAt ?? null,
  defaultWorkspaceName: homes.get(user.defaultWorkspaceId ?? '') ?? null,
  createdAt: user.createdAt,
});

export const requireWorkspace = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  name: string,
): Promise<Workspace> => {
  const found = await workspaces.findByName(name);
  if (found === undefined)
    throw new Failure('absent', `workspace ${name.slice(0, 100)} does not exist`);
  return found;
};

/** Somebody else must be left who administers the installation. Holds while its administrators are held. Rejects with `conflict`. */
const keepsAnother = async (
  { users }: Pick<Stores, 'users'>,
  { admin, suspendedAt }: User,
): Promise<void> => {
  if (admin && suspendedAt === undefined && (await users.countAdministrators()) < 2)
    throw new Failure('conflict', 'this is the last administrator of the installation');
};

export interface UserChange {
  readonly email?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly viewOnly?: boolean | undefined;
  readonly suspended?: boolean | undefined;
  readonly defaultWorkspaceName?: string | undefined;
}

export const changeUser = async (
  { storage, auth, clock }: DirectoryNeeds,
  user: User,
  change: UserChange,
): Promise<void> => {
  const home =
    change.defaultWorkspaceName === undefined
      ? undefined
      : await requireWorkspace(storage.stores, change.defaultWorkspaceName);
  // What began before an account was switched off, or while it was, ends: lifting it brings no session and no program back.
  if (change.suspended === false && user.suspendedAt !== undefined) await auth.endSessions(user.id);
  await storage.transaction(async (stores) => {
    await stores.users.lockAdministrators();
    const current = (await stores.users.findUser({ id: user.id })) ?? user;
    if (change.admin === false || change.suspended === true || change.viewOnly === true)
      await keepsAnother(stores, current);
    if (change.viewOnly === true && (change.admin ?? current.admin))
      throw new Failure('conflict', 'an administrator of the installation is no view-only member');
    if (change.email !== undefined && change.email !== '')
      await stores.users.releaseEmail(change.email);
    await stores.users.updateUser(user.id, {
      ...(change.email === undefined
        ? {}
        : {
            email: change.email === '' ? undefined : change.email,
            emailProved: change.email !== '',
          }),
      ...(change.admin === undefined ? {} : { admin: change.admin }),
      ...(change.viewOnly === undefined ? {} : { viewOnly: change.viewOnly }),
      ...(change.suspended === undefined
        ? {}
        : { suspendedAt: change.suspended ? (current.suspendedAt ?? clock.now()) : undefined }),
      ...(home === undefined ? {} : { defaultWorkspaceId: home.id }),
    });
  });
  if (change.suspended === true) {
    await auth.endSessions(user.id);
    await storage.stores.tickets.removeOf(user.id, 'reset');
  }
  await auth.forget(user.id);
};

/** A workspace with other members keeps an administrator. Rejects with `conflict`. A guest's own goes with the guest. */
const keepsWorkspace = async (
  { members, workspaces }: Pick<Stores, 'members' | 'workspaces'>,
  user: User,
  workspaceId: string,
): Promise<void> => {
  const member = await members.findMember(workspaceId, user.id);
  const home = await workspaces.findById(workspaceId);
  if (
    user.kind === 'guest' ||
    member?.role !== 'admin' ||
    home === undefined ||
    (await members.countAdmins(workspaceId)) > 1
  )
    return;
  if ((await members.pageMembers(workspaceId, { limit: 2 })).length > 1)
    throw new Failure(
      'conflict',
      `${user.name} is the last administrator of the workspace ${home.name}, which has other members`,
    );
};

/**
 * Ends an account for good: nobody signs in by it, and its name is never given to somebody else, under whom old runs would stand. Switched on again,
 * it has no password, key, session or program of before.
 */
export const endUser = async (
  { storage, auth, clock }: DirectoryNeeds,
  user: User,
): Promise<void> => {
  const held = [...(await storage.stores.members.findReach(user.id)).roles.keys()].sort();
  await storage.transaction(async (stores) => {
    const { users, credentials, members } = stores;
    await users.lockAdministrators();
    for (const workspaceId of held) await members.lockMembers(workspaceId);
    await keepsAnother(stores, (await users.findUser({ id: user.id })) ?? user);
    for (const workspaceId of (await members.findReach(user.id)).roles.keys()) {
      if (!held.includes(workspaceId))
        throw new Failure(
          'conflict',
          `${user.name} has joined another workspace just now; try again`,
        );
      await keepsWorkspace(stores, user, workspaceId);
      await members.removeRole(workspaceId, user.id);
    }
    await credentials.endCredentials(user.id, clock.now());
    await users.updateUser(user.id, {
      suspendedAt: user.suspendedAt ?? clock.now(),
      admin: false,
      email: undefined,
      emailProved: false,
      defaultWorkspaceId: undefined,
    });
  });
  await auth.forget(user.id);
};
