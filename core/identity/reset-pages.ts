// A new password by a link that was sent.
import { Failure } from '#ports/failure';
import { dropSession, formProof } from './cookies.js';
import { sendsMail } from './mailing.js';
import { originOf, type IdentityNeeds } from './needs.js';
import { askForReset, readReset, setByReset } from './resetting.js';
import {
  shown,
  show,
  sentTo,
  shownAgain,
  usual,
  stale,
  requireText,
  goneLink,
  type PageHandlers,
} from './page-replies.js';

const goneReset = (thrown: unknown) =>
  goneLink(thrown, 'This link no longer works', {
    href: '/password/forgot',
    label: 'Ask for a new link',
  });

export const resetPages = (
  needs: IdentityNeeds,
): PageHandlers<'showForgot' | 'forgot' | 'showReset' | 'setByForm'> => {
  const minLength = needs.settings.PASSWORD_MIN_LENGTH;
  return {
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
  };
};
