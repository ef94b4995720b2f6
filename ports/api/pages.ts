// Pages on which people sign in and look after their account. They work without script.
import { bytes, form, headed, operations, page, redirect } from './operation.js';
import { object, optional, text } from './schema.js';

const typed = optional(text({ max: 1000 }));
const typedLong = optional(text({ max: 8000 }));
const csrf = optional(text({ max: 100 }));
const returnTo = optional(text({ max: 8000 }));
const ticket = object({ ticket: text({ min: 1, max: 200 }) });
const shown = headed(page);
const sent = headed(redirect);
/** A form again, with what was wrong with it. */
const again = { 400: shown, 403: shown, 429: shown } as const;
const mine = { access: 'caller', about: 'caller', by: ['session'], personal: true, refusals: { unauthenticated: { status: 303 } } } as const;

export const pageOperations = operations({
  showStyle: { method: 'GET', path: '/pages-1.css', access: 'public', summary: 'The look of the pages', replies: { 200: headed(bytes('text/css')) } },
  showLogin: { method: 'GET', path: '/login', access: 'visitor', summary: 'The page on which people sign in', query: object({ returnTo, told: optional(text({ max: 20 })) }), replies: { 200: shown, 303: sent }, fails: ['invalid'] },
  login: { method: 'POST', path: '/login', access: 'visitor', summary: 'Sign in by a form', body: form(object({ csrf, name: typed, password: typed, returnTo })), replies: { 303: sent, ...again, 401: shown }, fails: ['invalid'] },
  beginSignIn: { method: 'GET', path: '/login/{way}', access: 'public', summary: 'Go to the provider of single sign-on', params: object({ way: text({ min: 1, max: 60 }) }), query: object({ returnTo }), replies: { 303: sent, 404: shown, 503: shown }, fails: ['invalid'] },
  finishSignIn: {
    method: 'GET', path: '/login/{way}/return', access: 'public', summary: 'Come back from that provider', params: object({ way: text({ min: 1, max: 60 }) }),
    query: object({ code: typedLong, state: typedLong, iss: typedLong, session_state: typedLong, error: typedLong, error_description: typedLong, error_uri: typedLong }),
    replies: { 303: sent, 401: shown, 403: shown, 404: shown, 503: shown }, fails: ['invalid'],
  },
  showLogout: { method: 'GET', path: '/logout', access: 'visitor', summary: 'The page on which people sign out', replies: { 200: shown, 303: sent } },
  logout: { method: 'POST', path: '/logout', ...mine, audited: true, summary: 'Sign out by a form', body: form(object({ csrf })), replies: { 200: shown, 303: sent } },
  showForgot: { method: 'GET', path: '/password/forgot', access: 'public', summary: 'The page on which a link to set a password is asked for', replies: { 200: shown } },
  forgot: { method: 'POST', path: '/password/forgot', access: 'public', summary: 'Ask for that link by a form', body: form(object({ csrf, name: typed })), replies: { 200: shown, ...again }, fails: ['invalid'] },
  showReset: { method: 'GET', path: '/password/reset/{ticket}', access: 'public', summary: 'The page of a link that sets a password', params: ticket, replies: { 200: shown, 404: shown }, fails: ['invalid'] },
  setByForm: { method: 'POST', path: '/password/reset/{ticket}', access: 'public', summary: 'Set a password by a form', params: ticket, body: form(object({ csrf, password: typed })), replies: { 303: sent, ...again, 404: shown }, fails: ['invalid'] },
  showInvitation: { method: 'GET', path: '/invitation/{ticket}', access: 'visitor', summary: 'The page of an invitation', params: ticket, replies: { 200: shown, 404: shown }, fails: ['invalid'] },
  enter: { method: 'POST', path: '/invitation/{ticket}', access: 'visitor', summary: 'Accept an invitation by a form', params: ticket, body: form(object({ csrf, name: typed, password: typed })), replies: { 200: shown, 303: sent, ...again, 404: shown, 409: shown }, fails: ['invalid'] },
  showSignUp: { method: 'GET', path: '/signup', access: 'public', summary: 'The page on which people make an account, where that is switched on', replies: { 200: shown, 403: shown } },
  signUpByForm: { method: 'POST', path: '/signup', access: 'public', summary: 'Make an account by a form', body: form(object({ csrf, email: typed, name: typed, password: typed })), replies: { 200: shown, ...again, 409: shown }, fails: ['invalid'] },
  showAccount: { method: 'GET', path: '/account', ...mine, summary: 'The page of the caller\'s own account: sessions, password, API keys', query: object({ told: optional(text({ max: 20 })) }), replies: { 200: shown }, fails: ['invalid'] },
  changeMyPassword: { method: 'POST', path: '/account/password', ...mine, audited: true, summary: 'Change the caller\'s password by a form', body: form(object({ csrf, password: typed, newPassword: typed })), replies: { 303: sent, ...again }, fails: ['invalid'] },
  endMySession: { method: 'POST', path: '/account/sessions/end', ...mine, audited: true, summary: 'End one session by a form', body: form(object({ csrf, sessionId: text({ max: 100 }) })), replies: { 303: sent }, fails: ['invalid', 'absent'] },
  endMySessions: { method: 'POST', path: '/account/sessions/end-all', ...mine, audited: true, summary: 'Sign out everywhere by a form', body: form(object({ csrf })), replies: { 303: sent } },
  endMyProgram: { method: 'POST', path: '/account/programs/end', ...mine, audited: true, summary: 'End all that a program may do for the caller by a form', body: form(object({ csrf, clientId: text({ max: 100 }) })), replies: { 303: sent }, fails: ['invalid', 'absent'] },
  makeMyKey: { method: 'POST', path: '/account/keys', ...mine, personal: false, audited: true, summary: 'Make an API key by a form; it is shown this once', body: form(object({ csrf, name: typed })), replies: { 200: shown }, fails: ['invalid', 'forbidden'] },
  revokeMyKey: { method: 'POST', path: '/account/keys/revoke', ...mine, audited: true, summary: 'End one API key by a form', body: form(object({ csrf, keyId: text({ max: 100 }) })), replies: { 303: sent }, fails: ['invalid', 'absent'] },
});
