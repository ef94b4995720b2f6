import { pageFamily } from '#ports/api/families/page';
import { area } from '#ports/api/area';
import type { ReplyDetails } from '#ports/api/operation';
import { pageOperations } from '#ports/api/pages';
import { Failure, isFailure, type FailureKind } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { endProgram, listPrograms } from '../oauth/offers.js';
import { isOwnPath } from '../own-path.js';
import type { ToldRequest } from '#ports/sign-in';
import type { AccountView, PageName, PageView, PageViews, Notice } from '#ports/pages';
import { dropReturn, dropSession, formProof, keepReturn, keepSession } from './cookies.js';
import { countTry } from './login-backoff.js';
import { requireOwnSession } from './identity.js';
import { enterByInvitation, joinByInvitation, readInvitation } from './inviting.js';
import { sendsMail } from './mailing.js';
import { identityNeeds, originOf, type IdentityNeeds } from './needs.js';
import { tellKeyChange } from './offers.js';
import { askForReset, readReset, setByReset } from './resetting.js';
import { changeOwnPassword, openFor, signInByPassword } from './signing-in.js';
import { requireSignUp, signUp } from './signing-up.js';
import { beginAt, completeAt, endSession, hasOwnPasswords } from './ways.js';
import { enterByHeaders, offeredWays, readHeaders } from './by-header.js';

const stale = 'the form was open for too long, or cookies are switched off; please try again';
const home = '/account';
/** Characters of a value that a provider sends back, at most; a longer one is left out. */
const mostReturned = 8000;
const toSignIn = { href: '/login?told=again', label: 'To sign-in' } as const;
/** Where a browser goes on to: a path of this server that it asked for, or the account. */
const ownPath = (path: string | undefined): string =>
  path !== undefined && isOwnPath(path) ? path : home;
const after: Readonly<Record<string, string>> = {
  password: 'your password is set; sign in with it',
  out: 'you are signed out',
  changed: 'the password is changed, and every other session has ended',
  joined: 'you are a member now',
  ended: 'the session has ended',
  revoked: 'the key is revoked',
  program: 'the program has no access any more',
};
const noticeOf = (word: string | undefined): Notice =>
  word !== undefined && Object.hasOwn(after, word) ? { done: after[word] } : {};

const shown = <N extends PageName>(page: N, shows: PageViews[N], details: ReplyDetails = {}) => ({
  ...details,
  body: { page, shows } as PageView, // a pair of the closed set, as the parameters say
});
/** A page with its status. */
const show = <const S extends number, N extends PageName>(
  status: S,
  page: N,
  shows: PageViews[N],
  details: ReplyDetails = {},
) => ({ status, ...shown(page, shows, details) });
const sentTo = (address: string, details: ReplyDetails = {}) =>
  ({ ...details, status: 303, secret: true, body: address }) as const;

/** A refusal as the form shows it again, where it has a status for it; the rest goes on as it is. */
const shownAgain = <S extends number>(
  thrown: unknown,
  statuses: Readonly<Partial<Record<FailureKind, S>>>,
): {
  readonly status: S;
  readonly fault: string;
  readonly details: { readonly retryAfter?: number };
} => {
  const status = isFailure(thrown) ? statuses[thrown.kind] : undefined;
  if (!isFailure(thrown) || status === undefined) throw thrown;
  return {
    status,
    fault: thrown.message,
    details: thrown.retryAfter === undefined ? {} : { retryAfter: thrown.retryAfter },
  };
};
const providerStatuses = {
  absent: 404,
  unavailable: 503,
  unauthenticated: 401,
  forbidden: 403,
} as const;
const usual = { invalid: 400, forbidden: 403, throttled: 429 } as const;

const requireText = (value: string | undefined, what: string): string => {
  if (value === undefined || value === '') throw new Failure('invalid', `${what} is missing`);
  return value;
};

const readAccount = async (needs: IdentityNeeds, caller: Caller): Promise<AccountView> => {
  const {
    storage: { stores },
    clock,
    settings,
  } = needs;
  const now = clock.now();
  const [user, sessions, keys, programs, password, workspace] = await Promise.all([
    stores.users.findUser({ id: caller.userId }),
    stores.sessions.listOf(caller.userId, now),
    stores.apiKeys.listKeys(caller.userId),
    listPrograms(needs, caller.userId),
    stores.credentials.findPassword(caller.userId),
    caller.defaultWorkspaceId === undefined
      ? undefined
      : stores.workspaces.findById(caller.defaultWorkspaceId),
  ]);
  return {
    caller,
    email: user?.email,
    workspaceName: workspace?.name,
    sessions,
    keys,
    programs,
    hasPassword: password !== undefined && hasOwnPasswords(needs.ways),
    minLength: settings.PASSWORD_MIN_LENGTH,
    now,
  };
};

export const pagesArea = area({
  name: 'pages',
  summary: 'Pages on which people sign in and look after their accounts.',
  family: pageFamily,
  table: pageOperations,
  needs: identityNeeds,
  handlers: (needs) => {
    const {
      storage: { stores },
      auth,
      settings,
    } = needs;
    const minLength = settings.PASSWORD_MIN_LENGTH;
    const byPassword = () => hasOwnPasswords(needs.ways);
    const loginView = async (csrf: string, returnTo: string | undefined, request: ToldRequest) => ({
      csrf,
      ways: await offeredWays(needs, request),
      ownPasswords: hasOwnPasswords(needs.ways),
      signUp: settings.ORRERY_SIGN_UP,
      ...(returnTo !== undefined && isOwnPath(returnTo) ? { returnTo } : {}),
    });
    /** Whether a failed try from there is still one to write down: anybody may fail as often as they like. */
    const isCounted = (source: string): Promise<boolean> =>
      countTry(needs, { kind: 'address', of: source }).then(
        () => true,
        (thrown: unknown) => {
          if (isFailure(thrown) && thrown.kind === 'throttled') return false;
          throw thrown;
        },
      );
    const goneInvitation = (thrown: unknown) => {
      const { status, fault } = shownAgain(thrown, { absent: 404 });
      return show(status, 'gone', {
        title: 'This invitation no longer works',
        says: fault,
        action: { href: '/login', label: 'To sign-in' },
      });
    };
    const goneReset = (thrown: unknown) => {
      const { status, fault } = shownAgain(thrown, { absent: 404 });
      return show(status, 'gone', {
        title: 'This link no longer works',
        says: fault,
        action: {
          href: '/password/forgot',
          label: 'Ask for a new link',
        },
      });
    };
    return {
      async showLogin(call) {
        const { query, caller, cookies } = call;
        const returnTo = ownPath(query.returnTo);
        if (caller?.via === 'session') return sentTo(returnTo);
        // Whoever just signed out, or could not come in, is asked how they want to sign in.
        const proxied = query.told === undefined ? await readHeaders(needs, call) : undefined;
        if (proxied !== undefined)
          return sentTo(`/login/${proxied.way.name}?returnTo=${encodeURIComponent(returnTo)}`);
        const proof = formProof(needs, cookies);
        const view = await loginView(proof.token, query.returnTo, call);
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
            { ...(await loginView(proof.token, returnTo, call)), name, fault },
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
          if (status !== 404 && (await isCounted(call.source)))
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
        const address = await endSession(needs, caller.keyId, `${settings.baseUrl}/login`);
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
      async showForgot({ cookies }) {
        const proof = formProof(needs, cookies);
        return shown('forgot', { csrf: proof.token }, proof.details);
      },
      async forgot(call) {
        const proof = formProof(needs, call.cookies);
        try {
          if (!proof.holds(call.body.csrf)) throw new Failure('forbidden', stale);
          await askForReset(needs, requireText(call.body.name, 'the name'), originOf(call));
          return show(200, 'asked', { mails: sendsMail(needs) });
        } catch (thrown) {
          const { status, fault, details } = shownAgain(thrown, usual);
          return show(
            status,
            'forgot',
            { csrf: proof.token, fault, name: call.body.name ?? '' },
            {
              ...proof.details,
              ...details,
            },
          );
        }
      },
      async showReset({ params: { ticket }, cookies }) {
        const proof = formProof(needs, cookies);
        try {
          const { name: userName } = await readReset(needs, ticket);
          return show(
            200,
            'reset',
            { csrf: proof.token, ticket, minLength, userName },
            proof.details,
          );
        } catch (thrown) {
          return goneReset(thrown);
        }
      },
      async setByForm(call) {
        const { ticket } = call.params;
        const proof = formProof(needs, call.cookies);
        try {
          const { name: userName } = await readReset(needs, ticket);
          try {
            if (!proof.holds(call.body.csrf)) throw new Failure('forbidden', stale);
            await setByReset(
              needs,
              ticket,
              requireText(call.body.password, 'the password'),
              originOf(call),
            );
            return sentTo('/login?told=password', { cookies: [dropSession] });
          } catch (thrown) {
            const { status, fault, details } = shownAgain(thrown, usual);
            return show(
              status,
              'reset',
              { csrf: proof.token, ticket, minLength, userName, fault },
              { ...proof.details, ...details },
            );
          }
        } catch (thrown) {
          return goneReset(thrown);
        }
      },
      async showInvitation({ params: { ticket }, caller, cookies }) {
        const proof = formProof(needs, cookies);
        try {
          const {
            invitation: { email },
            workspace,
          } = await readInvitation(needs, ticket);
          return show(
            200,
            'invitation',
            {
              csrf: proof.token,
              ticket,
              minLength,
              email,
              workspaceName: workspace.name,
              caller,
              member: caller?.roles.has(workspace.id) === true,
              byPassword: byPassword(),
            },
            proof.details,
          );
        } catch (thrown) {
          return goneInvitation(thrown);
        }
      },
      async enter(call) {
        const {
          params: { ticket },
          caller,
          body: { name, password },
        } = call;
        const proof = formProof(needs, call.cookies);
        try {
          const {
            invitation: { email },
            workspace,
          } = await readInvitation(needs, ticket);
          try {
            if (!proof.holds(call.body.csrf)) throw new Failure('forbidden', stale);
            if (caller !== undefined) {
              await joinByInvitation(needs, ticket, caller, originOf(call));
              return sentTo(`${home}?told=joined`);
            }
            const { user, apiKey } = await enterByInvitation(
              needs,
              ticket,
              {
                name: requireText(name, 'the name'),
                password: requireText(password, 'the password'),
              },
              originOf(call),
            );
            const opened = await openFor(needs, { user, way: 'invitation' }, originOf(call));
            return show(
              200,
              'welcome',
              {
                userName: user.name,
                csrf: opened.csrf,
                workspaceName: workspace.name,
                apiKey,
                baseUrl: settings.baseUrl,
              },
              keepSession(needs, opened),
            );
          } catch (thrown) {
            const { status, fault, details } = shownAgain(thrown, { ...usual, conflict: 409 });
            return show(
              status,
              'invitation',
              {
                csrf: proof.token,
                ticket,
                minLength,
                email,
                workspaceName: workspace.name,
                caller,
                member: caller?.roles.has(workspace.id) === true,
                byPassword: byPassword(),
                name,
                fault,
              },
              { ...proof.details, ...details },
            );
          }
        } catch (thrown) {
          return goneInvitation(thrown);
        }
      },
      async showSignUp({ cookies }) {
        if (!settings.ORRERY_SIGN_UP)
          return show(403, 'gone', {
            title: 'Accounts are made by invitation',
            says: 'ask an administrator of this server for one',
            action: { href: '/login', label: 'To sign-in' },
          });
        const proof = formProof(needs, cookies);
        return show(200, 'signUp', { csrf: proof.token, minLength }, proof.details);
      },
      async signUpByForm(call) {
        const { csrf, email, name, password } = call.body;
        const proof = formProof(needs, call.cookies);
        requireSignUp(needs);
        try {
          if (!proof.holds(csrf)) throw new Failure('forbidden', stale);
          const { user, apiKey, workspace } = await signUp(
            needs,
            {
              email: requireText(email, 'the e-mail'),
              name: requireText(name, 'the name'),
              password: requireText(password, 'the password'),
            },
            originOf(call),
          );
          const opened = await openFor(needs, { user, way: 'sign-up' }, originOf(call));
          return show(
            200,
            'welcome',
            {
              userName: user.name,
              csrf: opened.csrf,
              workspaceName: workspace,
              apiKey,
              baseUrl: settings.baseUrl,
            },
            keepSession(needs, opened),
          );
        } catch (thrown) {
          const { status, fault, details } = shownAgain(thrown, { ...usual, conflict: 409 });
          return show(
            status,
            'signUp',
            { csrf: proof.token, minLength, email, name, fault },
            {
              ...proof.details,
              ...details,
            },
          );
        }
      },
      showAccount: async ({ caller, query }) =>
        shown('account', { ...(await readAccount(needs, caller)), ...noticeOf(query.told) }),
      async changeMyPassword(call) {
        try {
          await changeOwnPassword(
            needs,
            call.caller,
            {
              password: requireText(call.body.password, 'the old password'),
              newPassword: requireText(call.body.newPassword, 'the new password'),
            },
            originOf(call),
          );
          return sentTo(`${home}?told=changed`);
        } catch (thrown) {
          const { status, fault, details } = shownAgain(thrown, usual);
          return show(
            status,
            'account',
            { ...(await readAccount(needs, call.caller)), fault },
            details,
          );
        }
      },
      async endMySession({ body, caller }) {
        await requireOwnSession(needs, body.sessionId, caller);
        await auth.endSession(body.sessionId);
        return sentTo(`${home}?told=ended`);
      },
      async endMySessions({ caller }) {
        await auth.endSessions(caller.userId);
        return sentTo('/login?told=out', { cookies: [dropSession] });
      },
      async endMyProgram({ body, caller }) {
        await endProgram(needs, caller.userId, body.clientId);
        return sentTo(`${home}?told=program`);
      },
      async makeMyKey({ body, caller }) {
        const name = requireText(body.name?.trim(), 'the name of the key').slice(0, 100);
        const { apiKey } = await auth.issueKey(caller.userId, { name });
        tellKeyChange(needs, { userId: caller.userId, name }, 'made');
        return shown('account', { ...(await readAccount(needs, caller)), apiKey });
      },
      async revokeMyKey({ body, caller }) {
        const key = await stores.apiKeys.findKey(body.keyId);
        if (key?.userId !== caller.userId)
          throw new Failure('absent', `key ${body.keyId.slice(0, 80)} not found`);
        await auth.revokeKey(body.keyId);
        tellKeyChange(needs, key, 'ended');
        return sentTo(`${home}?told=revoked`);
      },
    };
  },
});
