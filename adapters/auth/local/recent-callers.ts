// Who presents a credential, remembered for a moment: most requests present one that was just looked up.
import type { Auth } from '#ports/auth';
import { beginnings } from '#ports/model/credentials';
import type { Caller } from '#ports/model/identity';
import { findCaller, findShared } from './callers.js';
import type { LocalAuthNeeds } from './needs.js';
import { secretPart } from './secret-part.js';

/** Less than the 5 s that are promised, so that a look that takes its time still keeps the promise. */
const rememberMs = 4000;
const touchMs = 5000;
const mostRemembered = 50_000;

interface Remembered {
  readonly caller: Caller;
  readonly until: number;
  /** When its session ends, used or not. */
  readonly endsAt: number;
  touchAt: number;
}

export interface RecentCallers {
  identify: Auth['identify'];
  /** Looks these callers up again at their next request. */
  forget(of: (caller: Caller) => boolean): void;
}

export const recentCallers = ({
  storage,
  clock,
  secrets,
  sessionLife,
  takesTokens,
}: Pick<
  LocalAuthNeeds,
  'storage' | 'clock' | 'secrets' | 'sessionLife' | 'takesTokens'
>): RecentCallers => {
  const remembered = new Map<string, Remembered>();
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
    if (via === 'key') storage.stores.apiKeys.touchKey(keyId, now).catch(() => undefined);
    if (via === 'session')
      storage.stores.sessions
        .touch(keyId, now, Math.min(now + sessionLife.idleMs, found.endsAt))
        .catch(() => undefined);
  };

  return {
    async identify(credential, { isUse = true } = {}) {
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
      if (isUse) noteUse(found);
      return found.caller;
    },
    forget(of) {
      for (const [hash, { caller }] of remembered) if (of(caller)) remembered.delete(hash);
    },
  };
};
