// API keys.
import type { Auth } from '#ports/auth';
import { Failure } from '#ports/failure';
import type { Scope } from '#ports/model/identity';
import type { Stores } from '#ports/storage/storage';
import type { LocalAuthNeeds } from './needs.js';
import type { RecentCallers } from './recent-callers.js';

export const checkSecret = (secret: string): void => {
  if (!/^[\x21-\x29\x2b-\x7e]{8,200}$/.test(secret))
    throw new Failure('invalid', 'an API key must have 8 to 200 printable characters and no star');
};

const requireKeyHolder = async (stores: Stores, userId: string): Promise<void> => {
  const user = await stores.users.findUser({ id: userId });
  if (user === undefined) throw new Failure('absent', 'the user does not exist');
  if (user.viewOnly) throw new Failure('forbidden', 'a view-only member has no API keys');
};

/** Keeps a key by the hash of its secret. */
export const insertKey = async (
  {
    stores,
    clock,
    ids,
    secrets,
  }: Pick<LocalAuthNeeds, 'clock' | 'ids' | 'secrets'> & {
    readonly stores: Stores;
  },
  {
    userId,
    secret,
    name,
    scope,
  }: {
    readonly userId: string;
    readonly secret: string;
    readonly name: string;
    readonly scope?: Scope | undefined;
  },
): Promise<string> => {
  const id = ids.next();
  await stores.apiKeys.insertKey({
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

type Keys = Pick<Auth, 'issueKey' | 'revokeKey' | 'rotateKey' | 'replaceKeys'>;

export const keysOf = (
  needs: Pick<LocalAuthNeeds, 'storage' | 'clock' | 'ids' | 'secrets' | 'keySuffix'>,
  { forget }: RecentCallers,
): Keys => {
  const { storage, clock, secrets, keySuffix } = needs;
  const insert = (stores: Stores, key: Parameters<typeof insertKey>[1]) =>
    insertKey({ ...needs, stores }, key);
  return {
    async issueKey(userId, { name = '', scope } = {}) {
      await requireKeyHolder(storage.stores, userId);
      const secret = secrets.apiKey();
      const keyId = await insert(storage.stores, { userId, secret, name, scope });
      return { keyId, apiKey: `${secret}${keySuffix}` };
    },
    async revokeKey(keyId) {
      forget((caller) => caller.keyId === keyId);
      return storage.stores.apiKeys.revokeKey(keyId, clock.now());
    },
    async rotateKey(keyId) {
      const secret = secrets.apiKey();
      const made = await storage.transaction(async (stores) => {
        const old = await stores.apiKeys.findKey(keyId);
        if (old === undefined) throw new Failure('absent', 'the key does not exist');
        await requireKeyHolder(stores, old.userId);
        if (!(await stores.apiKeys.retireKey(keyId, clock.now())))
          throw new Failure('conflict', 'the key was revoked');
        const { userId, name, scope } = old;
        return insert(stores, { userId, secret, name, scope });
      });
      forget((caller) => caller.keyId === keyId);
      return { keyId: made, apiKey: `${secret}${keySuffix}` };
    },
    async replaceKeys(userId, name) {
      const secret = secrets.apiKey();
      const keyId = await storage.transaction(async (stores) => {
        await stores.users.lockUser(userId);
        await requireKeyHolder(stores, userId);
        await stores.apiKeys.retireKeysOf(userId, clock.now());
        return insert(stores, { userId, secret, name });
      });
      forget((caller) => caller.userId === userId && caller.via === 'key');
      return { keyId, apiKey: `${secret}${keySuffix}` };
    },
  };
};
