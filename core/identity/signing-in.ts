import { Failure } from '#ports/failure';
import type { Caller, User } from '#ports/model/identity';
import { countTry, forgive, ofAccount } from './login-backoff.js';
import type { IdentityNeeds, Origin } from './needs.js';
import { checkByPassword, requirePasswordForm, requirePasswords } from './ways.js';

export interface SignedIn {
  readonly user: User;
  readonly token: string;
  /** Which the session's changes must carry. */
  readonly csrf: string;
  readonly expiresAt: number;
  /** When it ends however much it is used. */
  readonly endsAt: number;
}

/** The user of a name or e-mail; both are always looked for, so that the time does not tell which there is. */
const findByEither = async (
  { storage: { stores } }: IdentityNeeds,
  name: string,
): Promise<User | undefined> => {
  const [named, mailed] = await Promise.all([
    stores.users.findUser({ name }),
    stores.users.findUser({ email: name }),
  ]);
  return named ?? mailed;
};

/** Begins a session of somebody who has proved who it is. */
export const openFor = async (
  { auth, audit, clock, secrets, storage }: IdentityNeeds,
  {
    user,
    way,
    external,
  }: { readonly user: User; readonly way: string; readonly external?: string | undefined },
  origin: Origin,
): Promise<SignedIn> => {
  const { sessionId, token, expiresAt, endsAt } = await auth.openSession(user.id, {
    ...origin,
    way,
    ...(external === undefined ? {} : { external }),
  });
  await storage.stores.usage.count({
    userId: user.id,
    workspaceId: user.defaultWorkspaceId,
    kind: 'ui',
    at: clock.now(),
  });
  await audit.note({
    actorId: user.id,
    actorName: user.name,
    via: 'session',
    keyId: sessionId,
    address: origin.address,
    action: 'signIn',
    thing: { kind: 'user', id: user.id, name: user.name },
    workspaceId: undefined,
    detail: { way },
  });
  return { user, token, csrf: secrets.sign(token, 'csrf'), expiresAt, endsAt };
};

/** Counts and writes down a try that came to nothing. */
const noteRefused = async (
  { audit, meters }: Pick<IdentityNeeds, 'audit' | 'meters'>,
  found: User | undefined,
  origin: Origin,
): Promise<void> => {
  meters
    .counter('orrery_sign_in_failures', 'Tries to sign in with a wrong name or password')
    .add(1);
  // What was typed is not kept when nobody has that name: it may be a password in the wrong field.
  await audit.note({
    actorId: undefined,
    actorName: undefined,
    via: 'nobody',
    keyId: undefined,
    address: origin.address,
    action: 'signIn',
    thing: found === undefined ? undefined : { kind: 'user', id: found.id, name: found.name },
    workspaceId: undefined,
    outcome: 'refused',
    detail: {},
  });
};

/**
 * Opens a session by name or e-mail and password. Rejects with `unauthenticated` alike for an unknown name and a wrong password, with
 * `throttled` after many of them, with `unavailable` where whoever could know does not answer.
 */
export const signInByPassword = async (
  needs: IdentityNeeds,
  { name, password }: { readonly name: string; readonly password: string },
  origin: Origin,
): Promise<SignedIn> => {
  requirePasswordForm(needs.ways);
  const found = await findByEither(needs, name);
  const tried = await countTry(needs, { kind: 'address', of: origin.source }, ofAccount(name));
  const { proved, unanswered } = await tried.make(() => checkByPassword(needs, name, password));
  if (proved === undefined) {
    await noteRefused(needs, found, origin);
    throw unanswered ?? new Failure('unauthenticated', 'the name or the password is wrong');
  }
  await tried.succeeded();
  return openFor(needs, proved, origin);
};

/** Changes the password of a caller who knows the old one; the session that does it stays, every other ends. */
export const changeOwnPassword = async (
  needs: IdentityNeeds,
  caller: Caller,
  { password, newPassword }: { readonly password: string; readonly newPassword: string },
  origin: Origin,
): Promise<void> => {
  const { auth, storage } = needs;
  requirePasswords(needs.ways);
  const tried = await countTry(
    needs,
    { kind: 'address', of: origin.source },
    ofAccount(caller.userName),
  );
  const user = await tried.make(() => auth.checkPassword(caller.userName, password));
  if (user?.id !== caller.userId) throw new Failure('forbidden', 'the old password is wrong');
  await tried.succeeded();
  auth.checkNewPassword(newPassword, user);
  await auth.setPassword(
    caller.userId,
    newPassword,
    caller.via === 'session' ? caller.keyId : undefined,
  );
  await storage.stores.tickets.removeOf(caller.userId, 'reset');
  await forgive(needs, user);
};
