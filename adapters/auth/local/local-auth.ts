// Users, roles and API keys in the product's own storage.
import type { Auth, NewUser } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Caller, User } from '#ports/model/identity';
import type { Secrets } from '#ports/secrets';
import type { Stores, Storage } from '#ports/storage/storage';

export interface LocalAuthNeeds {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly nameMinLength: number;
  /** What follows a key's secret after a star, so that clients find the server by it; empty when smart keys are off. */
  readonly keySuffix: string;
}

const rememberMs = 5000;
const touchMs = 5000;
const mostRemembered = 50_000;

interface Remembered {
  readonly caller: Caller;
  readonly userId: string;
  until: number;
  touchAt: number;
}

const secretPart = (credential: string): string => credential.split('*', 1)[0] ?? '';

export const localAuth = ({ storage, clock, ids, secrets, nameMinLength, keySuffix }: LocalAuthNeeds): Auth => {
  const remembered = new Map<string, Remembered>();

  const look = async (hash: string): Promise<Remembered | undefined> => {
    const holder = await storage.stores.identity.findKeyHolder(hash);
    if (holder === undefined) return undefined;
    const { user, keyId, roles } = holder;
    const caller: Caller = { userId: user.id, userName: user.name, admin: user.admin, defaultWorkspaceId: user.defaultWorkspaceId, keyId, roles };
    const found = { caller, userId: user.id, until: clock.now() + rememberMs, touchAt: remembered.get(hash)?.touchAt ?? 0 };
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(hash, found);
    return found;
  };
  const noteUse = (found: Remembered): void => {
    const now = clock.now();
    if (found.touchAt > now) return;
    found.touchAt = now + touchMs;
    // When a key was last used is a courtesy: a request never waits for it, nor fails by it.
    storage.stores.identity.touchKey(found.caller.keyId, now).catch(() => undefined);
  };

  const workspaceFor = async (stores: Stores, user: User, name: string): Promise<string> => {
    const found = await stores.workspaces.findByName(name);
    if (found === undefined) {
      const id = ids.next();
      await stores.workspaces.insert({ id, name, ownerId: user.id, createdAt: clock.now() });
      await stores.identity.setRole(id, user.id, 'admin');
      return id;
    }
    const members = await stores.identity.listMembers(found.id);
    await stores.identity.setRole(found.id, user.id, members.some((member) => member.role === 'admin') ? 'member' : 'admin');
    return found.id;
  };
  const checkName = (name: string): void => {
    if (name.length < nameMinLength) throw new Failure('invalid', `a user name must have at least ${nameMinLength} characters`);
    if (name.length > 100 || name.trim() !== name || /[\p{Cc}\p{Cs}/]/u.test(name)) throw new Failure('invalid', 'a user name must have at most 100 characters, no slash or control character, and no blank at its ends');
  };
  const checkSecret = (secret: string): void => {
    if (!/^[\x21-\x29\x2b-\x7e]{8,200}$/.test(secret)) throw new Failure('invalid', 'an API key must have 8 to 200 printable characters and no star');
  };
  const insertKey = async (stores: Stores, userId: string, secret: string): Promise<string> => {
    const id = ids.next();
    await stores.identity.insertKey({ id, userId, hash: secrets.hash(secret), prefix: secret.slice(0, 4), createdAt: clock.now() });
    return id;
  };

  return {
    async identify(credential) {
      const secret = secretPart(credential);
      if (secret === '') return undefined;
      const hash = secrets.hash(secret);
      const known = remembered.get(hash);
      const found = known !== undefined && known.until > clock.now() ? known : await look(hash);
      if (found === undefined) { remembered.delete(hash); return undefined; }
      noteUse(found);
      return found.caller;
    },
    async addUser(given: NewUser) {
      checkName(given.name);
      const secret = given.apiKey === undefined ? secrets.apiKey() : secretPart(given.apiKey);
      checkSecret(secret);
      const workspace = given.workspace ?? given.name;
      const user: User = { id: ids.next(), name: given.name, email: given.email, admin: given.admin ?? false, defaultWorkspaceId: undefined, createdAt: clock.now() };
      const hashed = given.password === undefined ? undefined : await secrets.hashPassword(given.password);
      const workspaceId = await storage.transaction(async (stores) => {
        await stores.identity.insertUser(user);
        if (hashed !== undefined) await stores.identity.setPassword(user.id, hashed);
        const home = await workspaceFor(stores, user, workspace);
        await stores.identity.setDefaultWorkspace(user.id, home);
        await insertKey(stores, user.id, secret);
        return home;
      });
      return { user: { ...user, defaultWorkspaceId: workspaceId }, workspace, apiKey: given.apiKey ?? `${secret}${keySuffix}` };
    },
    async issueKey(userId) {
      const secret = secrets.apiKey();
      const keyId = await insertKey(storage.stores, userId, secret);
      return { keyId, apiKey: `${secret}${keySuffix}` };
    },
    async revokeKey(keyId) {
      for (const [hash, one] of remembered) if (one.caller.keyId === keyId) remembered.delete(hash);
      return storage.stores.identity.revokeKey(keyId, clock.now());
    },
    async setRole(workspaceId, userId, role) {
      if (role === undefined) await storage.stores.identity.removeRole(workspaceId, userId);
      else await storage.stores.identity.setRole(workspaceId, userId, role);
      await this.forget(userId);
    },
    async forget(userId) {
      for (const [hash, one] of remembered) if (one.userId === userId) remembered.delete(hash);
    },
  };
};
