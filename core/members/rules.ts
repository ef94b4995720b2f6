// What holds for keys and members. Pure.
import { Failure } from '#ports/failure';
import type { Role, User } from '#ports/model/identity';
import type { StoredKey } from '#ports/storage/api-keys';
import type { Member } from '#ports/storage/members';
import type { Stores } from '#ports/storage/storage';

export const toKeyRecord = ({
  id,
  name,
  prefix,
  scope,
  createdAt,
  lastUsedAt,
  revokedAt,
}: StoredKey) => ({
  keyId: id,
  name,
  prefix,
  scope:
    scope === undefined
      ? null
      : {
          readOnly: scope.readOnly,
          workspaceId: scope.workspaceId ?? null,
          projectId: scope.projectId ?? null,
        },
  createdAt,
  lastUsedAt: lastUsedAt ?? null,
  revokedAt: revokedAt ?? null,
});

/** The member of that name. Rejects with `absent`. */
export const requireMember = async (
  stores: Pick<Stores, 'members' | 'users'>,
  workspaceId: string,
  userName: string,
): Promise<Member> => {
  const user = await stores.users.findUser({ name: userName });
  const member =
    user === undefined ? undefined : await stores.members.findMember(workspaceId, user.id);
  if (member === undefined)
    throw new Failure('absent', `user ${userName.slice(0, 100)} is not a member of the workspace`);
  return member;
};

/** Whose e-mail this is, as far as it was proved; whoever merely typed it in is not known by it. */
export const findByEmail = async (
  { users }: Pick<Stores, 'users'>,
  email: string,
): Promise<User | undefined> => {
  const found = await users.findUser({ email });
  return found?.emailProved === true ? found : undefined;
};

/** A workspace keeps an administrator: whoever is the last one stays one. Holds while the members are held. Rejects with `conflict`. */
export const keepAdministrator = async (
  stores: Pick<Stores, 'members'>,
  workspaceId: string,
  member: Member,
  becomes: Role | undefined,
): Promise<void> => {
  if (
    member.role === 'admin' &&
    becomes !== 'admin' &&
    (await stores.members.countAdmins(workspaceId)) < 2
  )
    throw new Failure('conflict', `${member.userName} is the last administrator of the workspace`);
};
