import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { OAuthClient } from '#ports/model/oauth';
import type { StorageOf } from '#ports/storage/storage';
import { readRegistration } from './rules.js';
import type { OAuthSettings } from './settings.js';

export interface RegisteringNeeds {
  readonly storage: StorageOf<'oauth'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: OAuthSettings;
}

const windowMs = 60_000;
const mostFull = 10_000;

/**
 * Registers a client. Anybody may, so attempts are counted by address and minute in the database, for all processes together; an address
 * that has used its minute up is remembered here, and costs no more than that.
 */
export const registering = ({ storage, clock, ids, settings }: RegisteringNeeds) => {
  const full = new Map<string, number>();
  const count = async (source: string): Promise<void> => {
    const [now, most] = [clock.now(), settings.ORRERY_OAUTH_REGISTRATIONS_PER_MINUTE];
    const until = (Math.floor(now / windowMs) + 1) * windowMs;
    const refuse = () =>
      new Failure('throttled', `at most ${most} clients a minute are registered from one address`, {
        retryAfter: Math.max(1, Math.ceil((until - now) / 1000)),
      });
    if (full.get(source) === until) throw refuse();
    if ((await storage.stores.oauth.addAttempt(`register ${source} ${until}`, until)) <= most)
      return;
    if (full.size >= mostFull) full.clear();
    full.set(source, until);
    throw refuse();
  };
  return async (body: Readonly<Record<string, unknown>>, source: string): Promise<OAuthClient> => {
    await count(source);
    const { name, ...rest } = readRegistration(body);
    const id = ids.next();
    const client: OAuthClient = {
      ...rest,
      id,
      name: name ?? id,
      createdAt: clock.now(),
      disabledAt: undefined,
    };
    await storage.stores.oauth.insertClient(client);
    return client;
  };
};
