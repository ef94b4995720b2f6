import { Failure } from '#ports/failure';
import type { Caller, User } from '#ports/model/identity';
import { countTry, forgive, ofAccount } from './login-backoff.js';
import type { IdentityNeeds, Origin } from './needs.js';
import { requirePasswords } from './rules.js';

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
    stores.identity.findUser({ name }),
    stores.identity.findUser({ email: name }),
  ]);
  return named ?? mailed;
};

/** Begins a session of somebody who has proved who it is. */
export const openFor = async (
  { auth, audit, clock, secrets, storage }: IdentityNeeds,
  user: User,
  origin: Origin,
  way: string,
  external?: string,
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

/** Opens a session by name or e-mail and password. Rejects with `unauthenticated` alike for an unknown name and a wrong password, with `throttled` after many of them. */
export const signInByPassword = async (
  needs: IdentityNeeds,
  { name, password }: { readonly name: string; readonly password: string },
  origin: Origin,
): Promise<SignedIn> => {
  const { auth, audit, meters } = needs;
  requirePasswords(auth);
  const found = await findByEither(needs, name);
  const tried = await countTry(needs, { kind: 'address', of: origin.source }, ofAccount(name));
  const user = await tried.make(() => auth.checkPassword(name, password));
  if (user === undefined) {
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
    throw new Failure('unauthenticated', 'the name or the password is wrong');
  }
  await tried.succeeded();
  return openFor(needs, user, origin, 'password');
};

/** Changes the password of a caller who knows the old one; the session that does it stays, every other ends. */
export const changeOwnPassword = async (
  needs: IdentityNeeds,
  caller: Caller,
  { password, newPassword }: { readonly password: string; readonly newPassword: string },
  origin: Origin,
): Promise<void> => {
  const { auth, storage } = needs;
  requirePasswords(auth);
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
