// Signing in, by password or through a provider, and out.
import { Failure, isFailure } from '#ports/failure';
import type { ToldRequest } from '#ports/sign-in';
import { isOwnPath } from '../own-path.js';
import { dropReturn, dropSession, formProof, keepReturn, keepSession } from './cookies.js';
import { countTry } from './login-backoff.js';
import { originOf, type IdentityNeeds } from './needs.js';
import { openFor, signInByPassword } from './signing-in.js';
import { beginAt, completeAt, endSession, hasOwnPasswords } from './ways.js';
import { enterByHeaders, offeredWays, readHeaders } from './by-header.js';
import {
  show,
  sentTo,
  shownAgain,
  usual,
  stale,
  requireText,
  noticeOf,
  ownPath,
  toSignIn,
  type PageHandlers,
} from './page-replies.js';

/** Characters of a value that a provider sends back, at most; a longer one is left out. */
const mostReturned = 8000;
const providerStatuses = {
  absent: 404,
  unavailable: 503,
  unauthenticated: 401,
  forbidden: 403,
} as const;
const loginView = async (
  needs: IdentityNeeds,
  csrf: string,
  returnTo: string | undefined,
  request: ToldRequest,
) => ({
  csrf,
  ways: await offeredWays(needs, request),
  ownPasswords: hasOwnPasswords(needs.ways),
  signUp: needs.settings.ORRERY_SIGN_UP,
  ...(returnTo !== undefined && isOwnPath(returnTo) ? { returnTo } : {}),
});

/** Whether a failed try from there is still one to write down: anybody may fail as often as they like. */
const isCounted = (needs: IdentityNeeds, source: string): Promise<boolean> =>
  countTry(needs, { kind: 'address', of: source }).then(
    () => true,
    (thrown: unknown) => {
      if (isFailure(thrown) && thrown.kind === 'throttled') return false;
      throw thrown;
    },
  );

export const signInPages = (
  needs: IdentityNeeds,
): PageHandlers<
  'showLogin' | 'login' | 'beginSignIn' | 'finishSignIn' | 'showLogout' | 'logout'
> => ({
  async showLogin(call) {
    const { query, caller, cookies } = call;
    const returnTo = ownPath(query.returnTo);
    if (caller?.via === 'session') return sentTo(returnTo);
    // Whoever just signed out, or could not come in, is asked how they want to sign in.
    const proxied = query.told === undefined ? await readHeaders(needs, call) : undefined;
    if (proxied !== undefined)
      return sentTo(`/login/${proxied.way.name}?returnTo=${encodeURIComponent(returnTo)}`);
    const proof = formProof(needs, cookies);
    const view = await loginView(needs, proof.token, query.returnTo, call);
    return show(200, 'login', { ...view, ...noticeOf(query.told) }, proof.details);
  },
  async login(call) {
    const { name = '', password = '', returnTo, csrf } = call.body;
    const proof = formProof(needs, call.cookies);
    try {
      if (!proof.holds(csrf)) throw new Failure('forbidden', stale);
      const opened = await signInByPassword(
        needs,
        {
          name: requireText(name, 'the name'),
          password: requireText(password, 'the password'),
        },
        originOf(call),
      );
      return sentTo(ownPath(returnTo), keepSession(needs, opened));
    } catch (thrown) {
      const { status, fault, details } = shownAgain(thrown, {
        ...usual,
        unauthenticated: 401,
        unavailable: 503,
      });
      return show(
        status,
        'login',
        { ...(await loginView(needs, proof.token, returnTo, call)), name, fault },
        {
          ...proof.details,
          ...details,
        },
      );
    }
  },
  async beginSignIn(call) {
    const {
      params: { way },
      query: { returnTo },
    } = call;
    try {
      if (needs.ways.all.some(({ name, kind }) => name === way && kind === 'headers')) {
        const proved = await enterByHeaders(needs, way, call);
        const opened = await openFor(needs, proved, originOf(call));
        return sentTo(ownPath(returnTo), keepSession(needs, opened));
      }
      const { address, keep } = await beginAt(needs, way, ownPath(returnTo));
      return sentTo(address, { cookies: [keepReturn(keep)] });
    } catch (thrown) {
      const { status, fault } = shownAgain(thrown, providerStatuses);
      return show(status, 'gone', { title: 'Single sign-on', says: fault, action: toSignIn });
    }
  },
  async finishSignIn(call) {
    const {
      params: { way },
      query,
    } = call;
    try {
      const given = Object.fromEntries(
        Object.entries(query).filter(
          (pair): pair is [string, string] =>
            typeof pair[1] === 'string' && pair[1].length <= mostReturned,
        ),
      );
      const { returnTo, ...proved } = await completeAt(
        needs,
        way,
        given,
        call.cookies.signInReturn ?? '',
      );
      const opened = await openFor(needs, proved, originOf(call));
      return sentTo(returnTo, { cookies: [...keepSession(needs, opened).cookies, dropReturn] });
    } catch (thrown) {
      const { status, fault } = shownAgain(thrown, providerStatuses);
      if (status !== 404 && (await isCounted(needs, call.source)))
        await needs.audit.note({
          actorId: undefined,
          actorName: undefined,
          via: 'nobody',
          keyId: undefined,
          address: call.address,
          action: 'signIn',
          thing: undefined,
          workspaceId: undefined,
          outcome: 'refused',
          detail: { way, reason: fault },
        });
      return show(
        status,
        'gone',
        { title: 'Single sign-on', says: fault, action: toSignIn },
        { cookies: [dropReturn] },
      );
    }
  },
  showLogout: async ({ caller }) =>
    caller?.via === 'session' ? show(200, 'logout', { caller }) : sentTo('/login'),
  async logout({ caller }) {
    const address = await endSession(needs, caller.keyId, `${needs.settings.baseUrl}/login`);
    const dropped = { cookies: [dropSession] };
    if (address === undefined) return sentTo('/login?told=out', dropped);
    // Not by a redirect: browsers hold one after a form against the policy of the page that the form was on, which allows this server only.
    return show(
      200,
      'gone',
      {
        title: 'You are signed out',
        says: 'you are signed out here; your provider is told next',
        action: {
          href: address,
          label: 'Go on to your provider',
        },
      },
      { ...dropped, continueAt: address },
    );
  },
});
