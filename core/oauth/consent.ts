// The page on which a user allows a program something, or does not. It works without script and shows nothing that the program could forge but its name.
import { area } from '#ports/api/area';
import { consentOperations } from '#ports/api/oauth';
import { Audit } from '#ports/audit';
import { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { OAuthClient } from '#ports/model/oauth';
import type { Workspace } from '#ports/model/workspaces';
import { Secrets } from '#ports/secrets';
import { Settings } from '#ports/settings';
import { Storage } from '#ports/storage/storage';
import {
  button,
  choice,
  form,
  framed,
  heading,
  hidden,
  html,
  nothing,
  notice,
  pageHeaders,
  type Html,
} from '../pages.js';
import {
  allow,
  checkAsked,
  checkCsrf,
  eligible,
  loginFor,
  openCsrf,
  refusedAt,
  requireChosen,
  unseen,
  type Asked,
  type ConsentNeeds,
} from './consenting.js';
import { sourcesFor, toInstant } from './rules.js';

const asHidden = (asked: Asked): readonly Html[] =>
  (
    [
      'client_id',
      'redirect_uri',
      'response_type',
      'code_challenge',
      'code_challenge_method',
      'resource',
      'state',
    ] as const
  ).map((name) => (asked[name] === undefined ? nothing : hidden(name, asked[name])));

/** Where the answer goes, as a person reads it. */
const destination = (uri: string): Html => {
  const { protocol, host, hostname } = new URL(uri);
  if (/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) && protocol === 'http:')
    return html`a program on this computer (<strong>${host}</strong>)`;
  return protocol === 'https:'
    ? html`<strong>${host}</strong>`
    : html`an application on this device (<strong>${protocol}</strong>)`;
};

interface Shown {
  readonly client: OAuthClient;
  readonly asked: Asked;
  readonly caller: Caller;
  readonly workspaces: readonly Workspace[];
  readonly csrf: string;
  readonly fault: string | undefined;
}

const consentPage = ({ client, asked, caller, workspaces, csrf, fault }: Shown): string => {
  const none = workspaces.length === 0;
  const choices = workspaces.map(({ id, name }) => ({
    value: id,
    label: name,
    chosen: id === caller.defaultWorkspaceId,
  }));
  return framed({
    title: `Allow ${client.name}?`,
    who: { name: caller.userName, csrf: caller.csrf ?? '' },
    content: html`${fault === undefined ? nothing : notice('fault', fault)}
${heading(`Allow ${client.name}?`, html`It asks to act as <strong>${caller.userName}</strong> in one workspace.`)}
<ul class="facts">
<li>It may see and change there what you may, and nothing elsewhere.</li>
<li>The answer goes to ${destination(asked.redirect_uri ?? '')}.</li>
<li class="soft">The program gave itself this name on ${toInstant(client.createdAt).slice(0, 10)}; nobody has checked it. Allow it only if you have just asked for this.</li>
</ul>
${form(
  '/oauth/consent',
  csrf,
  html`${asHidden(asked)}
${none ? notice('note', 'You belong to no workspace that it could work in.') : choice({ name: 'workspace_id', label: 'Workspace', choices })}
<div class="row">${button('Deny', { kind: 'plain', name: 'answer', value: 'deny' })}${none ? nothing : button('Allow', { name: 'answer', value: 'allow' })}</div>`,
)}
<p class="hint">Signing out everywhere, or a new password, ends what you allow here.</p>`,
  });
};

export const consentArea = area({
  name: 'consent',
  family: 'page',
  table: consentOperations,
  needs: {
    storage: Storage,
    clock: Clock,
    ids: Ids,
    secrets: Secrets,
    settings: Settings,
    audit: Audit,
  },
  handlers: (needs: ConsentNeeds & { readonly audit: Audit }) => {
    /** Written once the form was proved to be the user's own. */
    const note = (
      caller: Caller,
      client: OAuthClient,
      address: string,
      answer: 'allowed' | 'denied',
      workspaceId?: string,
    ) =>
      needs.audit.note({
        actorId: caller.userId,
        actorName: caller.userName,
        via: caller.via,
        keyId: caller.keyId,
        address,
        action: 'answerConsent',
        thing: { kind: 'oauthClient', id: client.id, name: client.name },
        workspaceId,
        detail: { answer },
      });
    const show = async (
      client: OAuthClient,
      asked: Asked,
      caller: Caller,
      cookies: string | undefined,
      fault?: string,
    ) => {
      const { token, cookie } = openCsrf(needs, caller, cookies);
      const headers = {
        ...pageHeaders(sourcesFor(asked.redirect_uri ?? '')),
        'Set-Cookie': cookie,
      };
      return {
        headers,
        body: consentPage({
          client,
          asked,
          caller,
          workspaces: await eligible(needs, caller),
          csrf: token,
          fault,
        }),
      };
    };
    const sent = (address: string) => ({ headers: unseen, body: address });
    return {
      async showConsent({ query, caller, headers }) {
        const { client, refused } = await checkAsked(needs, query);
        if (refused !== undefined) return { status: 302, body: sent(refused) } as const;
        if (caller?.via !== 'session')
          return { status: 302, body: sent(loginFor(needs, query)) } as const;
        return { status: 200, body: await show(client, query, caller, headers['cookie']) } as const;
      },
      async answerConsent({ body, caller, headers, address }) {
        const { client, refused } = await checkAsked(needs, body);
        if (refused !== undefined) return { status: 303, body: sent(refused) } as const;
        if (caller?.via !== 'session')
          return { status: 303, body: sent(loginFor(needs, body)) } as const;
        try {
          checkCsrf(needs, caller, headers['cookie'], body.csrf);
          if (body.answer !== 'allow') {
            await note(caller, client, address, 'denied');
            return {
              status: 303,
              body: sent(refusedAt(needs, body, 'access_denied', 'the user did not allow it')),
            } as const;
          }
          const workspace = await requireChosen(needs, caller, body);
          await note(caller, client, address, 'allowed', workspace.id);
          return {
            status: 303,
            body: sent(await allow(needs, caller, client, body, workspace)),
          } as const;
        } catch (thrown) {
          if (!isFailure(thrown) || thrown.kind !== 'forbidden') throw thrown;
          return {
            status: 403,
            body: await show(
              client,
              body,
              caller,
              headers['cookie'],
              `Nothing was allowed: ${thrown.message}. Look at it once more.`,
            ),
          } as const;
        }
      },
    };
  },
});
