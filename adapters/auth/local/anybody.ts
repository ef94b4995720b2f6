// Who calls where nobody has to say who they are.
import type { Auth } from '#ports/auth';
import type { Caller } from '#ports/model/identity';
import { recallCaller } from './callers.js';
import type { LocalAuthNeeds } from './needs.js';

/** What stands where others have the id of their key: the nil UUID (RFC 9562, 5.9). */
const noKey = '00000000-0000-0000-0000-000000000000';
/** As long as callers with a credential are remembered. */
const rememberMs = 4000;

export const anybodyOf = ({
  storage,
  clock,
  everybodyIs,
}: Pick<LocalAuthNeeds, 'storage' | 'clock' | 'everybodyIs'>): {
  readonly anybody: Auth['anybody'];
  /** Looks the user up again at the next request. */
  readonly forget: () => void;
} => {
  let known: { readonly caller: Caller | undefined; readonly until: number } | undefined;
  const look = async (name: string): Promise<Caller | undefined> => {
    const user = await storage.stores.users.findUser({ name });
    if (user === undefined) return undefined;
    return recallCaller(storage, { userId: user.id, via: 'none', keyId: noKey, scope: undefined });
  };
  return {
    async anybody() {
      if (everybodyIs === undefined) return undefined;
      if (known === undefined || known.until <= clock.now())
        known = { until: clock.now() + rememberMs, caller: await look(everybodyIs) };
      return known.caller;
    },
    forget: () => {
      known = undefined;
    },
  };
};
