// Users, roles and API keys in the product's own storage.
import type { Auth, NewUser } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import { beginnings } from '#ports/model/credentials';
import type { Caller, Scope, User } from '#ports/model/identity';
import type { Secrets } from '#ports/secrets';
import type { Stores, Storage } from '#ports/storage/storage';
import { findCaller, findShared } from './callers.js';

export interface LocalAuthNeeds {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly nameMinLength: number;
  /** Rejects with `invalid` a password that is not acceptable for somebody of this name and e-mail. */
  readonly checkNewPassword: Auth['checkNewPassword'];
  /** Rejects with `invalid` a name that no workspace may have. */
  readonly checkWorkspaceName: (name: string) => void;
  /** How long a session lives without a use, and at the most. */
  readonly sessionLife: { readonly idleMs: number; readonly mostMs: number };
  /** What follows a key's secret after a star, so that clients find the server by it; empty when smart keys are off. */
  readonly keySuffix: string;
  /** Whether access tokens of programs are taken. */
  readonly takesTokens: boolean;
}

/** Less than the 5 s that are promised, so that a look that takes its time still keeps the promise. */
const rememberMs = 4000;
const touchMs = 5000;
const mostRemembered = 50_000;

/** How many names with a number are tried for a workspace before one is drawn. */
const mostNumbered = 50;
/** How often somebody else may take a free name first. */
const mostTurns = 10;

interface Home {
  readonly id: string;
  readonly name: string;
}

interface Remembered {
  readonly caller: Caller;
  readonly until: number;
  /** When its session ends, used or not. */
  readonly endsAt: number;
  touchAt: number;
}

const secretPart = (credential: string): string => credential.split('*', 1)[0] ?? '';

export const localAuth = ({
  storage,
  clock,
  ids,
  secrets,
  nameMinLength,
  checkNewPassword,
  checkWorkspaceName,
  sessionLife,
  keySuffix,
  takesTokens,
}: LocalAuthNeeds): Auth => {
  const remembered = new Map<string, Remembered>();
  // Somebody unknown costs the same as somebody known: without it, the time would tell which names exist.
  let unknown: Promise<string> | undefined;
  const nobody = () =>
    (unknown ??= secrets.hashPassword(secrets.token()).catch((thrown: unknown) => {
      unknown = undefined;
      throw thrown;
    }));

  const look = async (credential: string, hash: string): Promise<Remembered | undefined> => {
    const now = clock.now();
    const found = await findCaller(storage, secrets, credential, hash, now, takesTokens);
    if (found === undefined) return undefined;
    const known = {
      caller: found.caller,
      until: Math.min(now + rememberMs, found.until),
      endsAt: found.since + sessionLife.mostMs,
      touchAt: remembered.get(hash)?.touchAt ?? 0,
    };
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(hash, known);
    return known;
  };
  const noteUse = (found: Remembered): void => {
    const now = clock.now();
    if (found.touchAt > now) return;
    found.touchAt = now + touchMs;
    const { via, keyId } = found.caller;
    // When a credential was last used is a courtesy: a request never waits for it, nor fails by it.
    if (via === 'key') storage.stores.identity.touchKey(keyId, now).catch(() => undefined);
    if (via === 'session')
      storage.stores.sessions
        .touch(keyId, now, Math.min(now + sessionLife.idleMs, found.endsAt))
        .catch(() => undefined);
  };

  const makeWorkspace = async (stores: Stores, user: User, name: string): Promise<Home> => {
    const id = ids.next();
    await stores.workspaces.insert({ id, name, ownerId: user.id, createdAt: clock.now() });
    await stores.identity.setRole(id, user.id, 'admin', []);
    return { id, name };
  };
  /** The workspace that was named on purpose: joined where it exists, else made. */
  const namedWorkspace = async (stores: Stores, user: User, name: string): Promise<Home> => {
    const found = await stores.workspaces.findByName(name);
    if (found === undefined) return makeWorkspace(stores, user, name);
    await stores.identity.setRole(
      found.id,
      user.id,
      (await stores.identity.countAdmins(found.id)) > 0 ? 'member' : 'admin',
      [],
    );
    return found;
  };
  /** A workspace of the user's own, under a name that nobody has: whoever made one of the user's name is no company for it. */
  const ownWorkspace = async (stores: Stores, user: User): Promise<Home> => {
    const start = user.name.slice(0, 70).trimEnd();
    for (let n = 1; n < mostNumbered; n++) {
      const name = n === 1 ? start : `${start}-${n}`;
      if ((await stores.workspaces.findByName(name)) === undefined)
        return makeWorkspace(stores, user, name);
    }
    return makeWorkspace(stores, user, `${start}-${secrets.code(8)}`);
  };
  /** Begins again where somebody else took the free name first. */
  const makeInTurn = async <T>(make: () => Promise<T>, wasTaken: () => boolean): Promise<T> => {
    for (let turn = 1; ; turn++) {
      try {
        return await make();
      } catch (thrown) {
        if (!wasTaken() || !isFailure(thrown) || thrown.kind !== 'conflict' || turn === mostTurns)
          throw thrown;
      }
    }
  };
  const checkName = (name: string): void => {
    if (name.length < nameMinLength)
      throw new Failure('invalid', `a user name must have at least ${nameMinLength} characters`);
    if (name.length > 100 || name.trim() !== name || /[\p{Cc}\p{Cs}/]/u.test(name))
      throw new Failure(
        'invalid',
        'a user name must have at most 100 characters, no slash or control character, and no blank at its ends',
      );
  };
  const checkSecret = (secret: string): void => {
    if (!/^[\x21-\x29\x2b-\x7e]{8,200}$/.test(secret))
      throw new Failure(
        'invalid',
        'an API key must have 8 to 200 printable characters and no star',
      );
  };
  const requireKeyHolder = async (stores: Stores, userId: string): Promise<void> => {
    const user = await stores.identity.findUser({ id: userId });
    if (user === undefined) throw new Failure('absent', 'the user does not exist');
    if (user.viewOnly) throw new Failure('forbidden', 'a view-only member has no API keys');
  };
  const insertKey = async (
    stores: Stores,
    userId: string,
    secret: string,
    name: string,
    scope?: Scope,
  ): Promise<string> => {
    const id = ids.next();
    await stores.identity.insertKey({
      id,
      userId,
      name,
      hash: secrets.hash(secret),
      prefix: secret.slice(0, 4),
      scope,
      createdAt: clock.now(),
    });
    return id;
  };
  const forget = (of: (caller: Caller) => boolean): void => {
    for (const [hash, one] of remembered) if (of(one.caller)) remembered.delete(hash);
  };

  return {
    async identify(credential) {
      const secret = secretPart(credential);
      if (secret === '') return undefined;
      if (secret.startsWith(beginnings.share))
        return findShared(storage, secret.slice(beginnings.share.length));
      const hash = secrets.hash(secret);
      const known = remembered.get(hash);
      const found =
        known !== undefined && known.until > clock.now() ? known : await look(secret, hash);
      if (found === undefined) {
        remembered.delete(hash);
        return undefined;
      }
      noteUse(found);
      return found.caller;
    },
    async addUser(given: NewUser) {
      checkName(given.name);
      if (given.password !== undefined)
        checkNewPassword(given.password, { name: given.name, email: given.email });
      const secret = given.apiKey === undefined ? secrets.apiKey() : secretPart(given.apiKey);
      checkSecret(secret);
      const { workspace } = given;
      if (workspace !== undefined && workspace !== null) checkWorkspaceName(workspace);
      const user: User = {
        id: ids.next(),
        name: given.name,
        email: given.email,
        emailProved: given.email !== undefined && given.emailProved === true,
        kind: given.kind ?? 'person',
        admin: given.admin ?? false,
        viewOnly: given.viewOnly ?? false,
        restricted: given.restricted ?? false,
        suspendedAt: undefined,
        defaultWorkspaceId: undefined,
        createdAt: clock.now(),
      };
      const hasKey = !user.viewOnly && given.withoutKey !== true;
      const hashed =
        given.password === undefined ? undefined : await secrets.hashPassword(given.password);
      let isNameFree = true;
      const make = (): Promise<Home | undefined> =>
        storage.transaction(async (stores) => {
          isNameFree = true;
          if (user.emailProved && user.email !== undefined)
            await stores.identity.releaseEmail(user.email);
          await stores.identity.insertUser(user);
          if (hashed !== undefined) await stores.identity.setPassword(user.id, hashed);
          if (hasKey) await insertKey(stores, user.id, secret, 'first');
          if (workspace === null) return undefined;
          isNameFree = false;
          const home = await (workspace === undefined
            ? ownWorkspace(stores, user)
            : namedWorkspace(stores, user, workspace));
          isNameFree = true;
          await stores.identity.setDefaultWorkspace(user.id, home.id);
          return home;
        });
      const home = await makeInTurn(make, () => !isNameFree);
      return {
        user: { ...user, defaultWorkspaceId: home?.id },
        workspace: home?.name ?? '',
        apiKey: !hasKey ? '' : (given.apiKey ?? `${secret}${keySuffix}`),
      };
    },
    async rename(userId, name) {
      checkName(name);
      if (!(await storage.stores.identity.updateUser(userId, { name })))
        throw new Failure('absent', 'the user does not exist');
      await this.forget(userId);
    },
    async issueKey(userId, { name = '', scope } = {}) {
      await requireKeyHolder(storage.stores, userId);
      const secret = secrets.apiKey();
      const keyId = await insertKey(storage.stores, userId, secret, name, scope);
      return { keyId, apiKey: `${secret}${keySuffix}` };
    },
    async revokeKey(keyId) {
      forget((caller) => caller.keyId === keyId);
      return storage.stores.identity.revokeKey(keyId, clock.now());
    },
    async rotateKey(keyId) {
      const secret = secrets.apiKey();
      const made = await storage.transaction(async (stores) => {
        const old = await stores.identity.findKey(keyId);
        if (old === undefined) throw new Failure('absent', 'the key does not exist');
        await requireKeyHolder(stores, old.userId);
        if (!(await stores.identity.retireKey(keyId, clock.now())))
          throw new Failure('conflict', 'the key was revoked');
        return insertKey(stores, old.userId, secret, old.name, old.scope);
      });
      forget((caller) => caller.keyId === keyId);
      return { keyId: made, apiKey: `${secret}${keySuffix}` };
    },
    async replaceKeys(userId, name) {
      const secret = secrets.apiKey();
      const keyId = await storage.transaction(async (stores) => {
        await stores.identity.lockUser(userId);
        await requireKeyHolder(stores, userId);
        await stores.identity.retireKeysOf(userId, clock.now());
        return insertKey(stores, userId, secret, name);
      });
      forget((caller) => caller.userId === userId && caller.via === 'key');
      return { keyId, apiKey: `${secret}${keySuffix}` };
    },
    async setRole(workspaceId, userId, role, permissions = []) {
      if (role === undefined) await storage.stores.identity.removeRole(workspaceId, userId);
      else await storage.stores.identity.setRole(workspaceId, userId, role, permissions);
      await this.forget(userId);
    },
    async forget(userId) {
      forget((caller) => caller.userId === userId);
    },
    async forgetTokens() {
      forget((caller) => caller.via === 'token');
    },

    async checkPassword(nameOrEmail, password) {
      // As many questions whoever it is, and as long a computation: the time tells nothing.
      const [named, mailed] = await Promise.all([
        storage.stores.identity.findUser({ name: nameOrEmail }),
        storage.stores.identity.findUser({ email: nameOrEmail }),
      ]);
      const user = named ?? mailed;
      const hashed = await storage.stores.identity.findPassword(user?.id ?? ids.next());
      const right = await secrets.verifyPassword(password, hashed ?? (await nobody()));
      return right && hashed !== undefined && user?.suspendedAt === undefined ? user : undefined;
    },
    checkNewPassword,
    async setPassword(userId, password, keep) {
      const user = await storage.stores.identity.findUser({ id: userId });
      if (user === undefined) throw new Failure('absent', 'the user does not exist');
      checkNewPassword(password, user);
      const hashed = await secrets.hashPassword(password);
      await storage.transaction(async (stores) => {
        if (!(await stores.identity.setPassword(userId, hashed)))
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
      const user = await storage.stores.identity.findUser({ id: userId });
      if (user === undefined) throw new Failure('absent', 'the user does not exist');
      checkNewPassword(password, user);
      const hashed = await secrets.hashPassword(password);
      await storage.transaction(async ({ identity, sessions, oauth }) => {
        await identity.lockUser(userId);
        const now = await identity.findUser({ id: userId });
        const provesIt = now?.email?.toLowerCase() === email.toLowerCase();
        if (provesIt && now?.emailProved === false) {
          await identity.endCredentials(userId, clock.now());
          await identity.updateUser(userId, { emailProved: true });
        }
        await identity.setPassword(userId, hashed);
        await sessions.removeOf(userId);
        await oauth.revokeOf(userId, 'SIGN_OUT', clock.now());
      });
      forget((caller) => caller.userId === userId);
    },
    async endCredentials(userId) {
      await storage.stores.identity.endCredentials(userId, clock.now());
      forget((caller) => caller.userId === userId);
    },
    async openSession(userId, { address, agent, way, external }) {
      const token = `${beginnings.session}${secrets.token()}`;
      const [id, now] = [ids.next(), clock.now()];
      const expiresAt = now + Math.min(sessionLife.idleMs, sessionLife.mostMs);
      await storage.stores.sessions.insert({
        id,
        hash: secrets.hash(token),
        userId,
        way,
        address,
        agent: agent.slice(0, 300),
        external,
        createdAt: now,
        lastUsedAt: now,
        expiresAt,
      });
      return { sessionId: id, token, expiresAt, endsAt: now + sessionLife.mostMs };
    },
    async endSession(sessionId) {
      forget((caller) => caller.keyId === sessionId);
      await storage.stores.sessions.remove(sessionId);
    },
    async endSessions(userId) {
      forget(
        (caller) =>
          caller.userId === userId && (caller.via === 'session' || caller.via === 'token'),
      );
      // Who signs out everywhere fears that somebody else is in, and what was let in with a consent is in as well (RFC 9700, 4.14.2).
      await storage.stores.oauth.revokeOf(userId, 'SIGN_OUT', clock.now());
      return storage.stores.sessions.removeOf(userId);
    },
  };
};
