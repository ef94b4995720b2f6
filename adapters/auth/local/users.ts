// Making and naming users.
import type { Auth, NewUser } from '#ports/auth';
import { Failure } from '#ports/failure';
import type { User } from '#ports/model/identity';
import { homeOf, makeInTurn, type Home } from './homes.js';
import { checkSecret, insertKey } from './keys.js';
import type { LocalAuthNeeds } from './needs.js';
import { secretPart } from './secret-part.js';

const checkName = (name: string, minLength: number): void => {
  if (name.length < minLength)
    throw new Failure('invalid', `a user name must have at least ${minLength} characters`);
  if (name.length > 100 || name.trim() !== name || /[\p{Cc}\p{Cs}/]/u.test(name))
    throw new Failure(
      'invalid',
      'a user name must have at most 100 characters, no slash or control character, and no blank at its ends',
    );
};

const userOf = (given: NewUser, id: string, createdAt: number): User => ({
  id,
  name: given.name,
  email: given.email,
  emailProved: given.email !== undefined && given.emailProved === true,
  kind: given.kind ?? 'person',
  admin: given.admin ?? false,
  viewOnly: given.viewOnly ?? false,
  restricted: given.restricted ?? false,
  suspendedAt: undefined,
  defaultWorkspaceId: undefined,
  createdAt,
});

/** A user that is about to be kept. */
interface Prepared {
  readonly user: User;
  /** Hash of the password; `undefined` where none was given. */
  readonly hashed: string | undefined;
  /** Secret of the first key; `undefined` where there is to be none. */
  readonly secret: string | undefined;
  readonly workspace: NewUser['workspace'];
}

/** Checks what was given, and hashes the password before any transaction begins. */
const prepare = async (needs: LocalAuthNeeds, given: NewUser): Promise<Prepared> => {
  const { clock, ids, secrets } = needs;
  const { name, email, password, apiKey, workspace } = given;
  checkName(name, needs.nameMinLength);
  if (password !== undefined) needs.checkNewPassword(password, { name, email });
  const secret = apiKey === undefined ? secrets.apiKey() : secretPart(apiKey);
  checkSecret(secret);
  if (workspace !== undefined && workspace !== null) needs.checkWorkspaceName(workspace);
  const user = userOf(given, ids.next(), clock.now());
  const hasKey = !user.viewOnly && given.withoutKey !== true;
  return {
    user,
    hashed: password === undefined ? undefined : await secrets.hashPassword(password),
    secret: hasKey ? secret : undefined,
    workspace,
  };
};

/** Keeps a user whole or not at all; again where somebody else took the name of the workspace first. */
const keep = (
  needs: LocalAuthNeeds,
  { user, hashed, secret, workspace }: Prepared,
): Promise<Home | undefined> => {
  let isNameFree = true;
  const make = (): Promise<Home | undefined> =>
    needs.storage.transaction(async (stores) => {
      const { users, credentials } = stores;
      isNameFree = true;
      if (user.emailProved && user.email !== undefined) await users.releaseEmail(user.email);
      await users.insertUser(user);
      if (hashed !== undefined) await credentials.setPassword(user.id, hashed);
      if (secret !== undefined)
        await insertKey({ ...needs, stores }, { userId: user.id, secret, name: 'first' });
      if (workspace === null) return undefined;
      isNameFree = false;
      const home = await homeOf({ ...needs, stores }, user, workspace);
      isNameFree = true;
      await users.setDefaultWorkspace(user.id, home.id);
      return home;
    });
  return makeInTurn(make, () => !isNameFree);
};

export const addUser = async (
  needs: LocalAuthNeeds,
  given: NewUser,
): ReturnType<Auth['addUser']> => {
  const prepared = await prepare(needs, given);
  const home = await keep(needs, prepared);
  const { user, secret } = prepared;
  return {
    user: { ...user, defaultWorkspaceId: home?.id },
    workspace: home?.name ?? '',
    apiKey: secret === undefined ? '' : (given.apiKey ?? `${secret}${needs.keySuffix}`),
  };
};

export const renameUser = async (
  { storage, nameMinLength }: Pick<LocalAuthNeeds, 'storage' | 'nameMinLength'>,
  userId: string,
  name: string,
): Promise<void> => {
  checkName(name, nameMinLength);
  if (!(await storage.stores.users.updateUser(userId, { name })))
    throw new Failure('absent', 'the user does not exist');
};
