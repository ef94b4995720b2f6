// Passwords that the accounts themselves keep.
import type { Auth } from '#ports/auth';
import { Failure } from '#ports/failure';
import type { LocalAuthNeeds } from './needs.js';
import type { RecentCallers } from './recent-callers.js';

type Passwords = Pick<
  Auth,
  'checkPassword' | 'checkNewPassword' | 'setPassword' | 'setPasswordByMail'
>;

export const passwordsOf = (
  { storage, clock, ids, secrets, checkNewPassword }: LocalAuthNeeds,
  { forget }: RecentCallers,
): Passwords => {
  // Somebody unknown costs the same as somebody known: without it, the time would tell which names exist.
  let unknown: Promise<string> | undefined;
  const nobody = () =>
    (unknown ??= secrets.hashPassword(secrets.token()).catch((thrown: unknown) => {
      unknown = undefined;
      throw thrown;
    }));

  /** The hash of a password that the user may have. Rejects with `absent`, and with `invalid`. */
  const hashNew = async (userId: string, password: string): Promise<string> => {
    const user = await storage.stores.users.findUser({ id: userId });
    if (user === undefined) throw new Failure('absent', 'the user does not exist');
    checkNewPassword(password, user);
    return secrets.hashPassword(password);
  };
  return {
    async checkPassword(nameOrEmail, password) {
      // As many questions whoever it is, and as long a computation: the time tells nothing.
      const [named, mailed] = await Promise.all([
        storage.stores.users.findUser({ name: nameOrEmail }),
        storage.stores.users.findUser({ email: nameOrEmail }),
      ]);
      const user = named ?? mailed;
      const hashed = await storage.stores.credentials.findPassword(user?.id ?? ids.next());
      const right = await secrets.verifyPassword(password, hashed ?? (await nobody()));
      return right && hashed !== undefined && user?.suspendedAt === undefined ? user : undefined;
    },
    checkNewPassword,
    async setPassword(userId, password, keep) {
      const hashed = await hashNew(userId, password);
      await storage.transaction(async (stores) => {
        if (!(await stores.credentials.setPassword(userId, hashed)))
          throw new Failure('absent', 'the user does not exist');
        await stores.sessions.removeOf(userId, keep);
        await stores.oauth.revokeOf(userId, 'SIGN_OUT', clock.now());
      });
      forget(
        (caller) =>
          caller.userId === userId &&
          (caller.via === 'session' || caller.via === 'token') &&
          caller.keyId !== keep,
      );
    },
    async setPasswordByMail(userId, password, email) {
      const hashed = await hashNew(userId, password);
      await storage.transaction(async ({ users, credentials, sessions, oauth }) => {
        await users.lockUser(userId);
        const now = await users.findUser({ id: userId });
        const provesIt = now?.email?.toLowerCase() === email.toLowerCase();
        if (provesIt && now?.emailProved === false) {
          await credentials.endCredentials(userId, clock.now());
          await users.updateUser(userId, { emailProved: true });
        }
        await credentials.setPassword(userId, hashed);
        await sessions.removeOf(userId);
        await oauth.revokeOf(userId, 'SIGN_OUT', clock.now());
      });
      forget((caller) => caller.userId === userId);
    },
  };
};
