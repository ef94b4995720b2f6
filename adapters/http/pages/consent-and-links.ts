// The pages besides those of accounts: consent to a program, one thing, and what was logged without an account.
import type { ClaimView, ConsentView, ThingView } from '#ports/pages';
import {
  button,
  choice,
  form,
  heading,
  hidden,
  html,
  nothing,
  notice,
  type Frame,
  type Html,
} from './frame.js';

/** Where the answer goes, as a person reads it. */
const destination = (uri: string): Html => {
  const { protocol, host, hostname } = new URL(uri);
  if (/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) && protocol === 'http:')
    return html`a program on this computer (<strong>${host}</strong>)`;
  return protocol === 'https:'
    ? html`<strong>${host}</strong>`
    : html`an application on this device (<strong>${protocol}</strong>)`;
};

export const consentPage = ({
  clientName,
  registeredOn,
  asked,
  redirectUri,
  caller,
  workspaces,
  csrf,
  fault,
}: ConsentView): Frame => {
  const none = workspaces.length === 0;
  const choices = workspaces.map(({ id, name }) => ({
    value: id,
    label: name,
    chosen: id === caller.defaultWorkspaceId,
  }));
  return {
    title: `Allow ${clientName}?`,
    who: { name: caller.userName, csrf: caller.csrf ?? '' },
    content: html`${fault === undefined ? nothing : notice('fault', fault)}
${heading(`Allow ${clientName}?`, html`It asks to act as <strong>${caller.userName}</strong> in one workspace.`)}
<ul class="facts">
<li>It may see and change there what you may, and nothing elsewhere.</li>
<li>The answer goes to ${destination(redirectUri)}.</li>
<li class="soft">The program gave itself this name on ${registeredOn}; nobody has checked it. Allow it only if you have just asked for this.</li>
</ul>
${form(
  '/oauth/consent',
  csrf,
  html`${asked.map(({ name, value }) => hidden(name, value))}
${none ? notice('note', 'You belong to no workspace that it could work in.') : choice({ name: 'workspace_id', label: 'Workspace', choices })}
<div class="row">${button('Deny', { kind: 'plain', name: 'answer', value: 'deny' })}${none ? nothing : button('Allow', { name: 'answer', value: 'allow' })}</div>`,
)}
<p class="hint">Signing out everywhere, or a new password, ends what you allow here.</p>`,
  };
};

/** A small page of one thing: what it is, where it belongs, and how a program reads it. */
export const thingPage = ({ caller, kind, name, facts, read }: ThingView): Frame => ({
  title: `${kind} ${name}`,
  wide: true,
  ...(caller.csrf === undefined ? {} : { who: { name: caller.userName, csrf: caller.csrf } }),
  content: html`${heading(name, kind)}<ul class="facts">${Object.entries(facts).flatMap(([what, value]) => (value === undefined ? [] : [html`<li>${what}: ${value}</li>`]))}</ul>
<p class="soft">This release has no pages for what was logged. A program reads it with an API key:</p><code class="secret">${read}</code>`,
});

const count = (n: number, thing: string): string => `${n} ${thing}${n === 1 ? '' : 's'}`;

const claimForm = (path: string, who: NonNullable<ClaimView['who']>): Html =>
  who.workspaces.length === 0
    ? html`<p>You administer no workspace that could take them, ${who.name}.</p>`
    : form(
        path,
        who.csrf,
        html`${choice({ name: 'workspaceName', label: 'Workspace that takes them', choices: who.workspaces.map((name) => ({ value: name, label: name })) })}${button('Claim them')}`,
      );

export const claimPage = ({ token, projects, experiments, daysLeft, who }: ClaimView): Frame => {
  const path = `/claim/${encodeURIComponent(token)}`;
  return {
    title: 'Claim your experiments',
    ...(who === undefined ? {} : { who }),
    content: html`${heading('Claim your experiments')}<p>${count(experiments, 'experiment')} in ${count(projects, 'project')} were logged without an account. They are public, and will be deleted in ${count(daysLeft, 'day')} unless somebody claims them.</p>${who === undefined ? html`<p><a class="button" href="/login?returnTo=${encodeURIComponent(path)}">Sign in to claim them</a></p>` : claimForm(path, who)}`,
  };
};
