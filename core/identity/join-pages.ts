// How somebody becomes a user: by an invitation, or by signing up.
import type { PageViews } from '#ports/pages';
import { Failure } from '#ports/failure';
import { formProof, keepSession } from './cookies.js';
import { enterByInvitation, joinByInvitation, readInvitation } from './inviting.js';
import { originOf, type IdentityNeeds } from './needs.js';
import { openFor } from './signing-in.js';
import { requireSignUp, signUp } from './signing-up.js';
import { hasOwnPasswords } from './ways.js';
import {
  show,
  sentTo,
  shownAgain,
  usual,
  stale,
  requireText,
  home,
  goneLink,
  type PageHandlers,
} from './page-replies.js';

const goneInvitation = (thrown: unknown) =>
  goneLink(thrown, 'This invitation no longer works', { href: '/login', label: 'To sign-in' });

export const joinPages = (
  needs: IdentityNeeds,
): PageHandlers<'showInvitation' | 'enter' | 'showSignUp' | 'signUpByForm'> => {
  const { settings } = needs;
  const minLength = settings.PASSWORD_MIN_LENGTH;
  const byPassword = () => hasOwnPasswords(needs.ways);
  /** Signs a new user in, and shows the key that was made. */
  const welcome = async (
    proved: Parameters<typeof openFor>[1],
    made: Pick<PageViews['welcome'], 'workspaceName' | 'apiKey'>,
    call: Parameters<typeof originOf>[0],
  ) => {
    const opened = await openFor(needs, proved, originOf(call));
    const shows = {
      ...made,
      userName: proved.user.name,
      csrf: opened.csrf,
      baseUrl: settings.baseUrl,
    };
    return show(200, 'welcome', shows, keepSession(needs, opened));
  };
  return {
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
          return welcome(
            { user, way: 'invitation' },
            { workspaceName: workspace.name, apiKey },
            call,
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
        return welcome({ user, way: 'sign-up' }, { workspaceName: workspace, apiKey }, call);
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
  };
};
