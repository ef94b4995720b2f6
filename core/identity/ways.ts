// The ways of signing in, as the pages and operations use them: whom they answer becomes a user, and what they need kept is sealed.
import type { Auth } from '#ports/auth';
import { Failure, isFailure } from '#ports/failure';
import type { User } from '#ports/model/identity';
import type { Sealer } from '#ports/sealer';
import {
  ownPasswords,
  type PasswordWay,
  type RedirectWay,
  type SignInWay,
  type SignInWays,
} from '#ports/sign-in';
import { admit, type AdmittingNeeds } from './admitting.js';

export interface WayNeeds extends AdmittingNeeds {
  readonly auth: Pick<Auth, 'addUser' | 'setRole' | 'forget' | 'endSession'>;
  readonly ways: SignInWays;
  readonly sealer: Sealer;
}

/** Somebody who has proved who they are, and what their session is opened with. */
export interface Proved {
  readonly user: User;
  /** Name of the way by which they did. */
  readonly way: string;
  /** What the provider needs to hear at sign-out, sealed. */
  readonly external: string | undefined;
}

const keepMs = 10 * 60_000;
const aboutReturn = 'sign-in at a provider';
/** What is sealed of how a session began belongs to this. */
export const aboutSession = 'session at a provider';

/** Whether accounts have passwords of their own here. */
export const hasOwnPasswords = ({ all }: SignInWays): boolean =>
  all.some(({ name }) => name === ownPasswords);

const switchedOff = () =>
  new Failure('forbidden', 'passwords are switched off here; sign in at the provider');

/** Refuses what has to do with the accounts' own passwords where there are none. */
export const requirePasswords = (ways: SignInWays): void => {
  if (!hasOwnPasswords(ways)) throw switchedOff();
};

/** What came of a name and a password. */
export interface Checked {
  readonly proved?: Proved;
  /** Why a way could not tell, where none that could said yes. */
  readonly unanswered?: Failure;
}

const isPasswordWay = (way: SignInWay): way is PasswordWay => way.kind === 'password';

/** The accounts' own passwords first: they need nobody to answer, and no password of ours is sent anywhere when it is right. */
const passwordWays = ({ all }: SignInWays): readonly PasswordWay[] => {
  const ways = all.filter(isPasswordWay);
  return [
    ...ways.filter(({ name }) => name === ownPasswords),
    ...ways.filter(({ name }) => name !== ownPasswords),
  ];
};

/** Refuses a sign-in by name and password where no way takes them. */
export const requirePasswordForm = (ways: SignInWays): void => {
  if (passwordWays(ways).length === 0) throw switchedOff();
};

/**
 * Asks each way that takes a name and a password, until one knows them. Rejects with the failure of a way when none could tell; where one of
 * several could not, the others have judged the try, and it counts.
 */
export const checkByPassword = async (
  needs: WayNeeds,
  name: string,
  password: string,
): Promise<Checked> => {
  if (name === '' || password === '') return {};
  let unanswered: Failure | undefined;
  let judged = false;
  for (const way of passwordWays(needs.ways)) {
    try {
      const identity = await way.check(name, password);
      judged = true;
      if (identity !== undefined)
        return {
          proved: { user: await admit(needs, way, identity), way: way.name, external: undefined },
        };
    } catch (thrown) {
      if (!isFailure(thrown) || thrown.kind !== 'unavailable') throw thrown;
      unanswered ??= thrown;
    }
  }
  if (unanswered === undefined) return {};
  if (!judged) throw unanswered;
  return { unanswered };
};

const absent = (name: string) =>
  new Failure('absent', `there is no provider ${name.slice(0, 60)} to sign in at`);

const requireRedirect = ({ all }: SignInWays, name: string): RedirectWay => {
  const way = all.find((one) => one.name === name);
  if (way?.kind !== 'redirect') throw absent(name);
  return way;
};

/** What the browser brings back in its cookie, sealed. */
interface Kept {
  readonly way: string;
  readonly remember: string;
  readonly returnTo: string;
  readonly at: number;
}

/** Where to send the browser to sign in at a provider, and what it must bring back in a cookie. Rejects with `absent` for a way that is not a provider. */
export const beginAt = async (
  { ways, sealer, clock }: Pick<WayNeeds, 'ways' | 'sealer' | 'clock'>,
  name: string,
  returnTo: string,
): Promise<{ readonly address: string; readonly keep: string }> => {
  const { address, remember } = await requireRedirect(ways, name).begin();
  const kept: Kept = { way: name, remember, returnTo, at: clock.now() };
  return { address, keep: sealer.seal(JSON.stringify(kept), aboutReturn) };
};

const openKept = (
  { sealer, clock }: Pick<WayNeeds, 'sealer' | 'clock'>,
  name: string,
  keep: string,
): Kept => {
  let kept: Kept;
  try {
    kept = JSON.parse(sealer.open(keep, aboutReturn)) as Kept; // sealed by `beginAt`
  } catch (cause) {
    throw new Failure('unauthenticated', notBegun, { cause });
  }
  if (kept.way !== name) throw new Failure('unauthenticated', notBegun);
  if (kept.at + keepMs < clock.now())
    throw new Failure('unauthenticated', 'this sign-in took too long; begin again');
  return kept;
};
const notBegun = 'this sign-in was not begun in this browser; begin again';

/** Who came back from a provider. Rejects with `unauthenticated` for a forged, replayed or refused return, with `forbidden` for whoever may not come in. */
export const completeAt = async (
  needs: WayNeeds,
  name: string,
  query: Readonly<Record<string, string>>,
  keep: string,
): Promise<Proved & { readonly returnTo: string }> => {
  const way = requireRedirect(needs.ways, name);
  const { remember, returnTo } = openKept(needs, name, keep);
  const { identity, external } = await way.complete(query, remember);
  return {
    user: await admit(needs, way, identity),
    way: name,
    external: external === undefined ? undefined : needs.sealer.seal(external, aboutSession),
    returnTo,
  };
};

/** Ends a session; the address to which the browser must go to sign out at the provider too, where there is one. */
export const endSession = async (
  {
    auth,
    ways,
    sealer,
    storage: { stores },
  }: Pick<WayNeeds, 'auth' | 'ways' | 'sealer' | 'storage'>,
  sessionId: string,
  returnTo: string,
): Promise<string | undefined> => {
  const session = await stores.sessions.find(sessionId);
  await auth.endSession(sessionId);
  const way = ways.all.find(({ name }) => name === session?.way);
  if (way?.kind !== 'redirect' || session?.external === undefined) return undefined;
  try {
    return await way.signOut?.address(sealer.open(session.external, aboutSession), returnTo);
  } catch (thrown) {
    // Here the session has ended, whatever becomes of the provider's.
    if (isFailure(thrown) && thrown.kind === 'unavailable') return undefined;
    throw thrown;
  }
};

/** The provider's own name of a session; `undefined` where it cannot be read. */
const sessionAt = (
  { sealer }: Pick<WayNeeds, 'sealer'>,
  signOut: NonNullable<RedirectWay['signOut']>,
  external: string | undefined,
): string | undefined => {
  if (external === undefined) return undefined;
  try {
    return signOut.sessionOf(sealer.open(external, aboutSession));
  } catch (thrown) {
    if (isFailure(thrown)) return undefined; // sealed under another key: known by its user alone
    throw thrown;
  }
};

/**
 * Ends the sessions that a provider says are over, by a signed token of its own (OpenID Connect back-channel logout); answers how many. Rejects
 * with `absent` for a way that is not a provider, with `invalid` for a token that is not the provider's word to this server.
 */
export const endByProvider = async (
  needs: Pick<WayNeeds, 'auth' | 'ways' | 'sealer' | 'storage' | 'clock'>,
  name: string,
  token: string,
): Promise<number> => {
  const { signOut } = requireRedirect(needs.ways, name);
  if (signOut === undefined) throw absent(name);
  const { issuer, subject, session: ended } = await signOut.readToken(token);
  const { stores } = needs.storage;
  const user = await stores.credentials.findLinked(issuer, subject);
  const sessions =
    user === undefined ? [] : await stores.sessions.listOf(user.id, needs.clock.now());
  const over = sessions.filter(
    ({ way, external }) =>
      way === name && (ended === undefined || sessionAt(needs, signOut, external) === ended),
  );
  for (const { id } of over) await needs.auth.endSession(id);
  return over.length;
};
