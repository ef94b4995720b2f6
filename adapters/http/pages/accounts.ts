// The pages on which people sign in and look after their account.
import type { Caller } from '#ports/model/identity';
import type { StoredKey } from '#ports/storage/api-keys';
import type { StoredSession } from '#ports/storage/sessions';
import {
  asSentence,
  button,
  field,
  form,
  heading,
  hidden,
  html,
  notice,
  nothing,
  type Frame,
  type Html,
} from './frame.js';
import type {
  AccountView,
  ForgotView,
  GoneView,
  InvitationView,
  LoginView,
  ShownProgram,
  SignUpView,
  TicketView,
  Notice,
  WelcomeView,
} from '#ports/pages';
import { browserOf, fromNow } from './format.js';

const noticeBox = ({ fault, done }: Notice): Html =>
  fault !== undefined
    ? notice('fault', asSentence(fault))
    : done !== undefined
      ? notice('done', asSentence(done))
      : nothing;
const back = (returnTo: string | undefined): string =>
  returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`;
const newPassword = (name: string, label: string, minLength: number): Html =>
  field({
    name,
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: `At least ${minLength} characters. A few words that do not belong together are easy to remember and hard to guess.`,
  });

/** Who is signed in, for the frame. */
export const whoOf = (caller: Caller | undefined): Pick<Frame, 'who'> =>
  caller?.csrf === undefined ? {} : { who: { name: caller.userName, csrf: caller.csrf } };

export const loginPage = ({
  csrf,
  name,
  returnTo,
  ways,
  ownPasswords,
  signUp,
  ...view
}: LoginView): Frame => {
  const byPassword = ways.some(({ kind }) => kind === 'password');
  const providers = ways
    .filter(({ kind }) => kind === 'provider')
    .map(
      (way) =>
        html`<p><a class="button" href="/login/${encodeURIComponent(way.name)}${back(returnTo)}">${way.label}</a></p>`,
    );
  const fields = html`${returnTo === undefined ? nothing : hidden('returnTo', returnTo)}
${field({ name: 'name', label: 'User name or e-mail', autocomplete: 'username', autofocus: name === undefined, ...(name === undefined ? {} : { value: name }) })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', autofocus: name !== undefined })}
${button('Sign in')}`;
  return {
    title: 'Sign in',
    content: html`${heading('Sign in', 'to your experiments, models and artifacts')}${noticeBox(view)}${byPassword ? form('/login', csrf, fields) : nothing}${providers}
<p class="links">${ownPasswords ? html`<a href="/password/forgot">Forgot your password?</a>` : nothing}${signUp ? html`<a href="/signup">Make an account</a>` : nothing}</p>`,
  };
};

export const logoutPage = ({ caller }: { readonly caller: Caller }): Frame => ({
  title: 'Sign out',
  ...whoOf(caller),
  content: html`${heading('Sign out', `You are signed in as ${caller.userName}.`)}${form('/logout', caller.csrf ?? '', button('Sign out'))}<p class="links"><a href="/account">Back to your account</a></p>`,
});

export const forgotPage = ({ csrf, ...view }: ForgotView): Frame => ({
  title: 'Forgot your password',
  content: html`${heading('Forgot your password?', 'Say who you are, and a link to set a new one comes by mail.')}${noticeBox(view)}
${form('/password/forgot', csrf, html`${field({ name: 'name', label: 'User name or e-mail', autocomplete: 'username', autofocus: true, ...(view.name === undefined ? {} : { value: view.name }) })}${button('Send the link')}`)}<p class="links"><a href="/login">Back to sign-in</a></p>`,
});
export const askedPage = ({ mails }: { readonly mails: boolean }): Frame => ({
  title: 'Look into your mailbox',
  content: html`${heading(mails ? 'Look into your mailbox' : 'Ask an administrator')}
<p>${mails ? 'If there is such an account, a link to set a new password is on its way to its mailbox. It works once and not for long.' : 'This server sends no mail. An administrator can make a one-time link for you by which you set a new password.'}</p><p class="links"><a href="/login">Back to sign-in</a></p>`,
});

export const resetPage = ({
  csrf,
  ticket,
  minLength,
  userName,
  ...view
}: TicketView & { readonly userName: string }): Frame => ({
  title: 'Set a new password',
  content: html`${heading('Set a new password', `for the account ${userName}`)}${noticeBox(view)}
${form(`/password/reset/${encodeURIComponent(ticket)}`, csrf, html`<input type="text" name="name" value="${userName}" autocomplete="username" aria-label="User name" readonly hidden>${newPassword('password', 'New password', minLength)}${button('Set the password')}`)}`,
});

/** A link that leads nowhere any more. */
export const gonePage = ({ title, says, action }: GoneView): Frame => ({
  title,
  content: html`${heading(title)}<p>${asSentence(says)}</p><p class="links"><a href="${action.href}">${action.label}</a></p>`,
});

export const invitationPage = ({
  csrf,
  ticket,
  minLength,
  workspaceName,
  email,
  caller,
  member,
  byPassword,
  name,
  ...view
}: InvitationView): Frame => {
  const here = `/invitation/${encodeURIComponent(ticket)}`;
  const title = `Join ${workspaceName}`;
  if (caller !== undefined && member)
    return {
      title,
      ...whoOf(caller),
      content: html`${heading(title)}<p>You are a member of ${workspaceName} already.</p><p class="links"><a href="/account">To your account</a></p>`,
    };
  if (caller !== undefined)
    return {
      title,
      ...whoOf(caller),
      content: html`${heading(title, `as ${caller.userName}`)}${noticeBox(view)}${form(here, csrf, button(`Join ${workspaceName}`))}`,
    };
  if (!byPassword)
    return {
      title,
      content: html`${heading(title, `You were invited as ${email}.`)}${noticeBox(view)}<p><a class="button" href="/login${back(here)}">Sign in to join</a></p>`,
    };
  return {
    title,
    content: html`${heading(title, `You were invited as ${email}. Choose a name and a password for your account.`)}${noticeBox(view)}
${form(here, csrf, html`${field({ name: 'name', label: 'User name', autocomplete: 'username', autofocus: true, ...(name === undefined ? {} : { value: name }) })}${newPassword('password', 'Password', minLength)}${button('Make the account and join')}`)}
<p class="links"><a href="/login${back(here)}">You have an account? Sign in</a></p>`,
  };
};

export const signUpPage = ({ csrf, minLength, email, name, ...view }: SignUpView): Frame => ({
  title: 'Make an account',
  content: html`${heading('Make an account')}${noticeBox(view)}
${form('/signup', csrf, html`${field({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'email', autofocus: true, ...(email === undefined ? {} : { value: email }) })}${field({ name: 'name', label: 'User name', autocomplete: 'username', ...(name === undefined ? {} : { value: name }) })}${newPassword('password', 'Password', minLength)}${button('Make the account')}`)}
<p class="links"><a href="/login">You have an account? Sign in</a></p>`,
});

const keyShown = (apiKey: string): Html =>
  html`Copy the key now: it is not shown again.<code class="secret" id="api-key">${apiKey}</code>`;

/** The first page of a new account. */
export const welcomePage = ({
  userName,
  csrf,
  workspaceName,
  apiKey,
  baseUrl,
}: WelcomeView): Frame => ({
  title: 'Welcome',
  wide: true,
  who: { name: userName, csrf },
  content: html`${heading(`Welcome, ${userName}`, `Your scripts log into ${workspaceName} with this API key.`)}${notice('done', keyShown(apiKey))}
<h2>Point a script here</h2><code class="secret">export COMET_URL_OVERRIDE=${baseUrl}/clientlib/</code><p class="links"><a href="/account">To your account</a></p>`,
});

const sessionRow = (
  { caller, now }: AccountView,
  { id, agent, address, lastUsedAt }: StoredSession,
): Html => {
  const current = id === caller.keyId;
  return html`<tr><td>${browserOf(agent)}</td><td>${address}</td><td>${current ? 'this session' : fromNow(lastUsedAt, now)}</td>
<td>${current ? nothing : form('/account/sessions/end', caller.csrf ?? '', html`${hidden('sessionId', id)}<button class="link" aria-label="End the session of ${browserOf(agent)} at ${address}">End</button>`)}</td></tr>`;
};
const keyRow = (
  { caller, now }: AccountView,
  { id, name, prefix, createdAt, lastUsedAt }: StoredKey,
): Html => html`<tr><td>${name === '' ? 'unnamed' : name}</td><td><code>${prefix}…</code></td><td>${fromNow(createdAt, now)}</td><td>${lastUsedAt === undefined ? 'never used' : `used ${fromNow(lastUsedAt, now)}`}</td>
<td>${form('/account/keys/revoke', caller.csrf ?? '', html`${hidden('keyId', id)}<button class="link" aria-label="Revoke the key ${name} ${prefix}">Revoke</button>`)}</td></tr>`;

const keysOf = (view: AccountView): Html => {
  if (view.caller.viewOnly)
    return html`<h2>API keys</h2><p class="soft">A view-only member reads here and has no API keys.</p>`;
  const live = view.keys.filter(({ revokedAt }) => revokedAt === undefined);
  return html`<h2>API keys</h2><p class="soft">A script proves by a key that it may log for you. Give each its own, so that one can be revoked alone.</p>${view.apiKey === undefined ? nothing : notice('done', keyShown(view.apiKey))}
${live.length === 0 ? html`<p>You have no key.</p>` : html`<table><thead><tr><th scope="col">Name</th><th scope="col">Begins with</th><th scope="col">Made</th><th scope="col">Used</th><th scope="col">Action</th></tr></thead><tbody>${live.map((key) => keyRow(view, key))}</tbody></table>`}
${form('/account/keys', view.caller.csrf ?? '', html`<div class="row">${field({ name: 'name', label: 'Name of a new key', autocomplete: 'off' })}${button('Make a key', { kind: 'plain' })}</div>`)}`;
};

const programRow = (
  { caller, now }: AccountView,
  { client, workspaces }: ShownProgram,
): Html => html`<tr><td>${client.name}${client.clientUri === undefined ? nothing : html`<div class="hint">${client.clientUri}</div>`}${client.disabledAt === undefined ? nothing : html`<div class="hint">switched off by an administrator</div>`}</td>
<td>${workspaces.map(({ workspaceName }) => html`<div>${workspaceName}</div>`)}</td><td>${fromNow(Math.min(...workspaces.map(({ since }) => since)), now)}</td><td>${fromNow(Math.max(...workspaces.map(({ usedAt }) => usedAt)), now)}</td>
<td>${form('/account/programs/end', caller.csrf ?? '', html`${hidden('clientId', client.id)}<button class="link" aria-label="End the access of ${client.name}">End access</button>`)}</td></tr>`;

const programsOf = (view: AccountView): Html =>
  view.programs.length === 0
    ? nothing
    : html`<h2>Connected programs</h2><p class="soft">You allowed these programs to act for you. They gave themselves their names; nobody has checked them.</p>
<table><thead><tr><th scope="col">Program</th><th scope="col">Workspace</th><th scope="col">Allowed</th><th scope="col">Refreshed</th><th scope="col">Action</th></tr></thead><tbody>${view.programs.map((one) => programRow(view, one))}</tbody></table>`;

export const accountPage = (view: AccountView): Frame => {
  const { caller, email, workspaceName, sessions, hasPassword, minLength } = view;
  const csrf = caller.csrf ?? '';
  const passwordForm = html`<input type="text" name="userName" value="${caller.userName}" autocomplete="username" aria-label="User name" readonly hidden><div class="row">${field({ name: 'password', label: 'Old password', type: 'password', autocomplete: 'current-password' })}${newPassword('newPassword', 'New password', minLength)}</div>${button('Change the password', { kind: 'plain' })}`;
  return {
    title: 'Your account',
    wide: true,
    ...whoOf(caller),
    content: html`${heading(caller.userName, [email, workspaceName === undefined ? undefined : `logs into ${workspaceName}`, caller.admin ? 'administers this installation' : undefined].filter((one) => one !== undefined).join(' · '))}${noticeBox(view)}
${keysOf(view)}
${programsOf(view)}
<h2>Sessions</h2><table><thead><tr><th scope="col">Browser</th><th scope="col">Address</th><th scope="col">Last used</th><th scope="col">Action</th></tr></thead><tbody>${sessions.map((one) => sessionRow(view, one))}</tbody></table>
${form('/account/sessions/end-all', csrf, button('Sign out everywhere', { kind: 'danger' }))}
${hasPassword ? html`<h2>Password</h2>${form('/account/password', csrf, passwordForm)}` : nothing}`,
  };
};
