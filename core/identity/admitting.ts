// From an identity that a way of signing in answers to a user of this installation: known, linked or made now, with the roles of its groups.
import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { User } from '#ports/model/identity';
import { ownPasswords, type Admission, type Identity, type SignInWay } from '#ports/sign-in';
import type { StorageOf } from '#ports/storage/storage';
import { flagOf, grantsOf, nameFrom } from './group-rules.js';

export interface AdmittingNeeds {
  readonly auth: Pick<Auth, 'addUser' | 'setRole' | 'forget'>;
  readonly storage: StorageOf<'credentials' | 'sessions' | 'users' | 'workspaces'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: { readonly USER_NAME_MIN_LENGTH: number };
}

const everybody: Admission = { provision: 'all', domains: [], groupRules: [] };

/** How many names with a number are tried before one is drawn. */
const maxNumbered = 1000;

/** A name that nobody has: the wished one, or that with a number. */
const freeName = async (
  { storage: { stores }, ids, settings }: AdmittingNeeds,
  wish: string,
): Promise<string> => {
  const name = nameFrom(wish, settings.USER_NAME_MIN_LENGTH);
  for (let n = 1; n < maxNumbered; n++) {
    const numbered = n === 1 ? name : `${name}-${n}`;
    if ((await stores.users.findUser({ name: numbered })) === undefined) return numbered;
  }
  return `${name}-${ids.next()}`;
};

/** Sets what rules say of administering the installation and of view-only members; the last administrator stays one. */
const applyFlags = async (
  { storage }: AdmittingNeeds,
  userId: string,
  { groupRules }: Admission,
  groups: readonly string[],
): Promise<void> => {
  const admin = flagOf(groupRules, groups, 'admin');
  const viewOnly = flagOf(groupRules, groups, 'viewOnly');
  if (admin === undefined && viewOnly === undefined) return;
  await storage.transaction(async ({ users }) => {
    await users.lockAdministrators();
    const isAdmin = (await users.findUser({ id: userId }))?.admin === true;
    const keepsAdmin = admin === false && isAdmin && (await users.countAdministrators()) < 2;
    await users.updateUser(userId, {
      ...(admin === undefined || keepsAdmin ? {} : { admin }),
      ...(viewOnly === undefined ? {} : { viewOnly: viewOnly && admin !== true }),
    });
  });
};

/** Sets the roles in every workspace of which a rule speaks; workspaces of which none does are left alone. */
const applyRoles = async (
  { auth, storage: { stores }, clock, ids }: AdmittingNeeds,
  userId: string,
  { groupRules }: Admission,
  groups: readonly string[],
): Promise<void> => {
  for (const [name, granted] of grantsOf(groupRules, groups)) {
    const found = await stores.workspaces.findByName(name);
    if (found === undefined && granted === undefined) continue;
    const id = found?.id ?? ids.next();
    if (found === undefined)
      await stores.workspaces.insert({ id, name, ownerId: userId, createdAt: clock.now() });
    await auth.setRole(id, userId, granted?.role, granted?.permissions ?? []);
    const isHomeless =
      (await stores.users.findUser({ id: userId }))?.defaultWorkspaceId === undefined;
    if (granted !== undefined && isHomeless) await stores.users.setDefaultWorkspace(userId, id);
  }
};

/** The e-mail of an identity, where it is known to be theirs. */
const provedEmail = ({ email, emailProved }: Identity): string | undefined =>
  emailProved ? email : undefined;

/** Makes the user of an identity that nobody here is known by. Rejects with `forbidden` where the admission does not allow it. */
const provision = async (
  needs: AdmittingNeeds,
  identity: Identity,
  { provision: whom, groupRules }: Admission,
): Promise<User> => {
  const { groups } = identity;
  const isNamed = groups.some((group) => groupRules.some((rule) => rule.group === group));
  if (whom === 'none' || (whom === 'groups' && !isNamed))
    throw new Failure(
      'forbidden',
      'the provider vouches for you, but there is no account for you here; ask an administrator',
    );
  const email = provedEmail(identity);
  const claimed = identity.name ?? email?.split('@')[0] ?? 'user';
  // Many providers let people choose it: a name that is somebody's e-mail would be taken for that person.
  const wish =
    claimed.toLowerCase() === email?.toLowerCase() ? claimed : (claimed.split('@')[0] ?? '');
  const hasRoles = [...grantsOf(groupRules, groups).values()].some(
    (granted) => granted !== undefined,
  );
  const { user } = await needs.auth.addUser({
    name: await freeName(needs, wish),
    email,
    emailProved: email !== undefined,
    withoutKey: true,
    ...(hasRoles ? { workspace: null } : {}),
  });
  return user;
};

/** The user who has proved this e-mail; of somebody who only typed it in nothing is known. */
const findOwner = async (
  { storage: { stores } }: AdmittingNeeds,
  email: string | undefined,
): Promise<User | undefined> => {
  if (email === undefined) return undefined;
  const found = await stores.users.findUser({ email });
  return found?.emailProved === true ? found : undefined;
};

/** From now on the subject is this user. What was made before ends, so that nobody who prepared the account stays in it. */
const link = async (
  { auth, storage, clock }: AdmittingNeeds,
  userId: string,
  issuer: string,
  subject: string,
): Promise<void> => {
  await storage.transaction(async ({ users, credentials }) => {
    await users.lockUser(userId);
    await credentials.endCredentials(userId, clock.now());
    await credentials.link(userId, issuer, subject, clock.now());
  });
  await auth.forget(userId);
};

const requireDomain = (identity: Identity, { domains }: Admission): void => {
  const domain = provedEmail(identity)?.split('@').at(-1)?.toLowerCase() ?? '';
  if (domains.length > 0 && !domains.includes(domain))
    throw new Failure(
      'forbidden',
      'only verified e-mails of the domains that were set may sign in here',
    );
};

const requireActive = (user: User): void => {
  if (user.suspendedAt !== undefined || user.kind !== 'person')
    throw new Failure('forbidden', 'the account is switched off');
};

/** The way by the accounts' own passwords answers users themselves: nobody is linked or made. */
const findOwn = async ({ storage: { stores } }: AdmittingNeeds, id: string): Promise<User> => {
  const user = await stores.users.findUser({ id });
  if (user === undefined) throw new Failure('unauthenticated', 'the account is gone');
  return user;
};

/**
 * The user behind an identity: known by its subject, by an e-mail that both sides have proved, or made now; with the roles that the rules
 * give its groups. Rejects with `forbidden` for whoever may not come in.
 */
export const admit = async (
  needs: AdmittingNeeds,
  way: Pick<SignInWay, 'name' | 'admission'>,
  identity: Identity,
): Promise<User> => {
  if (way.name === ownPasswords) return findOwn(needs, identity.subject);
  const { stores } = needs.storage;
  const admission = way.admission ?? everybody;
  const { issuer = way.name, subject, groups } = identity;
  if (subject === '') throw new Failure('unauthenticated', 'the identity has no subject');
  requireDomain(identity, admission);
  const linked = await stores.credentials.findLinked(issuer, subject);
  const known = linked ?? (await findOwner(needs, provedEmail(identity)));
  const user = known ?? (await provision(needs, identity, admission));
  requireActive(user);
  if (linked === undefined) await link(needs, user.id, issuer, subject);
  await applyFlags(needs, user.id, admission, groups);
  await applyRoles(needs, user.id, admission, groups);
  await needs.auth.forget(user.id);
  return (await stores.users.findUser({ id: user.id })) ?? user;
};
