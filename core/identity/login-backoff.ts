// Guessing slows down: tries are counted before they are made, across all processes, and one that must wait is not made.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Secrets } from '#ports/secrets';
import type { AttemptStore } from '#ports/storage/attempts';
import { backOffs, waitAfter } from './rules.js';

export interface GuardNeeds {
  readonly storage: { readonly stores: { readonly attempts: AttemptStore } };
  readonly clock: Clock;
  readonly secrets: Secrets;
}
export interface Guarded {
  readonly kind: keyof typeof backOffs;
  /** Whose tries are counted together. */
  readonly of: string;
}

const refuse = (waitMs: number): Failure => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new Failure('throttled', `there were too many tries; wait ${seconds} s`, {
    retryAfter: seconds,
  });
};
const mostTurns = 10;

const count = async (
  {
    storage: {
      stores: { attempts },
    },
    clock,
    secrets,
  }: GuardNeeds,
  { kind, of }: Guarded,
): Promise<string> => {
  const key = secrets.hash(`${kind}:${of}`);
  const backOff = backOffs[kind];
  for (let turn = 0; turn < mostTurns; turn++) {
    const [seen, now] = [await attempts.find(key), clock.now()];
    const tries = seen === undefined || now - seen.lastAt >= backOff.forgetMs ? 0 : seen.tries;
    const waitMs = seen === undefined ? 0 : seen.lastAt + waitAfter(tries, backOff) - now;
    if (tries > 0 && waitMs > 0) throw refuse(waitMs);
    if (await attempts.replace(key, seen, { tries: tries + 1, lastAt: now })) return key;
  }
  // Others were faster ten times over: that is what guessing looks like.
  throw refuse(1000);
};

export interface CountedTry {
  /** Makes the try. One that throws found nothing out, such as where too many passwords are being hashed, and is not counted. */
  make<T>(work: () => Promise<T>): Promise<T>;
  /** It came to a good end: an account is as if nobody had guessed, an address gets its one try back. */
  succeeded(): Promise<void>;
}

/** Counts one try at all of these, or rejects with `throttled` and counts none. */
export const countTry = async (
  needs: GuardNeeds,
  ...all: readonly Guarded[]
): Promise<CountedTry> => {
  const { attempts } = needs.storage.stores;
  const counted: { readonly key: string; readonly kind: Guarded['kind'] }[] = [];
  const make = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      for (const { key } of counted) await attempts.takeBack(key);
      throw thrown;
    }
  };
  await make(async () => {
    for (const one of all) counted.push({ key: await count(needs, one), kind: one.kind });
  });
  return {
    make,
    async succeeded() {
      for (const { key, kind } of counted)
        await (kind === 'account' ? attempts.remove(key) : attempts.takeBack(key));
    },
  };
};

/**
 * Tries at an account are counted by the name that was typed. Were the two names of one account counted together, or apart from what nobody
 * is called, waiting would tell which accounts there are.
 */
export const ofAccount = (typed: string): Guarded => ({
  kind: 'account',
  of: typed.normalize('NFKC').toLowerCase(),
});

/** An account is as if nobody had guessed: its owner has proved otherwise who it is. */
export const forgive = async (
  { storage, secrets }: GuardNeeds,
  { name, email }: { readonly name: string; readonly email: string | undefined },
): Promise<void> => {
  for (const typed of [name, ...(email === undefined ? [] : [email])])
    await storage.stores.attempts.remove(secrets.hash(`account:${ofAccount(typed).of}`));
};
