// Signing in by the headers of a proxy: the first page opens a session, as that of any other way. A session counts only as long as the proxy
// names nobody else: whoever signs out there and lets a colleague in has left our session in the browser.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { OfferedWay } from '#ports/pages';
import type { HeadersWay, Identity, SignInWay, ToldRequest } from '#ports/sign-in';
import { admit } from './admitting.js';
import { aboutSession, type Proved, type WayNeeds } from './ways.js';

interface Asserted {
  readonly way: HeadersWay;
  readonly identity: Identity;
}

const isHeadersWay = (way: SignInWay): way is HeadersWay => way.kind === 'headers';

/** Whom the headers name, by the first of the ways that is told by them. */
export const readHeaders = async (
  { ways }: Pick<WayNeeds, 'ways'>,
  request: ToldRequest,
): Promise<Asserted | undefined> => {
  for (const way of ways.all.filter(isHeadersWay)) {
    const identity = await way.read(request);
    if (identity !== undefined) return { way, identity };
  }
  return undefined;
};

/** What tells one identity from another, as a session keeps it. */
const keyOf = ({ way, identity: { issuer = way.name, subject } }: Asserted): string =>
  JSON.stringify([issuer, subject]);

/** Signs in whom the headers name, by this way. Rejects with `unauthenticated` where they name nobody, with `forbidden` for whoever may not come in. */
export const enterByHeaders = async (
  needs: WayNeeds,
  name: string,
  request: ToldRequest,
): Promise<Proved> => {
  const way = needs.ways.all.find((one) => one.name === name);
  const identity = way?.kind === 'headers' ? await way.read(request) : undefined;
  if (way?.kind !== 'headers' || identity === undefined)
    throw new Failure('unauthenticated', 'no proxy that is trusted says who you are');
  return {
    user: await admit(needs, way, identity),
    way: name,
    external: needs.sealer.seal(keyOf({ way, identity }), aboutSession),
  };
};

/** Sessions whose beginnings are remembered. */
const maxRemembered = 10_000;

/** Whether a session still counts for a request. */
export type SessionJudge = (caller: Caller, request: ToldRequest) => Promise<boolean>;

/** Refuses a session that headers began and that belongs to somebody else than they name now; `undefined` where no way is told by headers. */
export const judgeSessions = (
  needs: Pick<WayNeeds, 'ways' | 'sealer' | 'storage'>,
): SessionJudge | undefined => {
  if (!needs.ways.all.some(isHeadersWay)) return undefined;
  // How a session began never changes; `undefined` for one that headers did not begin.
  const begunBy = new Map<string, string | undefined>();
  const beginningOf = async (sessionId: string, way: string): Promise<string | undefined> => {
    if (begunBy.has(sessionId)) return begunBy.get(sessionId);
    const session = await needs.storage.stores.sessions.find(sessionId);
    const key =
      session?.way === way && session.external !== undefined
        ? needs.sealer.open(session.external, aboutSession)
        : undefined;
    if (begunBy.size >= maxRemembered) begunBy.clear();
    begunBy.set(sessionId, key);
    return key;
  };
  return async (caller, request) => {
    const asserted = await readHeaders(needs, request);
    if (asserted === undefined) return true;
    const begun = await beginningOf(caller.keyId, asserted.way.name);
    return begun === undefined || begun === keyOf(asserted);
  };
};

/** The ways as a page offers them. Of those by password the form is one; those by headers are offered to whom they name. */
export const offeredWays = async (
  needs: Pick<WayNeeds, 'ways'>,
  request: ToldRequest,
): Promise<readonly OfferedWay[]> => {
  const asserted = await readHeaders(needs, request);
  return needs.ways.all
    .filter((way) => way.kind !== 'headers' || way === asserted?.way)
    .map(({ name, kind, label }) => ({
      name,
      kind: kind === 'password' ? 'password' : 'provider',
      label,
    }));
};
