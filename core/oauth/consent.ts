// The page on which a user allows a program something, or does not. It works without script and shows nothing that the program could forge but its name.
import { pageFamily } from '#ports/api/families/page';
import { area } from '#ports/api/area';
import { consentOperations } from '#ports/api/oauth';
import { Audit } from '#ports/audit';
import { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { OAuthClient } from '#ports/model/oauth';
import { Secrets } from '#ports/secrets';
import { storageOf } from '#ports/storage/storage';
import {
  allow,
  checkAsked,
  checkCsrf,
  eligible,
  loginFor,
  openCsrf,
  refusedAt,
  requireChosen,
  type Asked,
  type ConsentNeeds,
} from './authorization-request.js';
import { sourcesFor, toInstant } from './rules.js';
import { oauthSettings } from './settings.js';

/** The members of a request that the form of its page repeats. */
const repeated = (asked: Asked) =>
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
  ).flatMap((name) => (asked[name] === undefined ? [] : [{ name, value: asked[name] }]));

export const consentArea = area({
  name: 'consent',
  summary: 'The page on which a user allows a program access, or does not.',
  family: pageFamily,
  table: consentOperations,
  needs: {
    storage: storageOf('oauth', 'workspaces'),
    clock: Clock,
    ids: Ids,
    secrets: Secrets,
    settings: oauthSettings.port,
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
      held: string | undefined,
      fault?: string,
    ) => {
      const { token, cookie } = openCsrf(needs, caller, held);
      const redirectUri = asked.redirect_uri ?? '';
      const shows = {
        clientName: client.name,
        registeredOn: toInstant(client.createdAt).slice(0, 10),
        asked: repeated(asked),
        redirectUri,
        answersAt: sourcesFor(redirectUri),
        caller,
        workspaces: await eligible(needs, caller),
        csrf: token,
        fault,
      };
      return { cookies: [cookie], body: { page: 'consent', shows } } as const;
    };
    const sentTo = <const S extends 302 | 303>(status: S, address: string) =>
      ({ status, secret: true, body: address }) as const;
    return {
      async showConsent({ query, caller, cookies }) {
        const { client, refused } = await checkAsked(needs, query);
        if (refused !== undefined) return sentTo(302, refused);
        if (caller?.via !== 'session') return sentTo(302, loginFor(needs, query));
        return { status: 200, ...(await show(client, query, caller, cookies.consent)) } as const;
      },
      async answerConsent({ body, caller, cookies, address }) {
        const { client, refused } = await checkAsked(needs, body);
        if (refused !== undefined) return sentTo(303, refused);
        if (caller?.via !== 'session') return sentTo(303, loginFor(needs, body));
        try {
          checkCsrf(needs, caller, cookies.consent, body.csrf);
          if (body.answer !== 'allow') {
            await note(caller, client, address, 'denied');
            return sentTo(
              303,
              refusedAt(needs, body, 'access_denied', 'the user did not allow it'),
            );
          }
          const workspace = await requireChosen(needs, caller, body);
          await note(caller, client, address, 'allowed', workspace.id);
          return sentTo(303, await allow(needs, caller, client, body, workspace));
        } catch (thrown) {
          if (!isFailure(thrown) || thrown.kind !== 'forbidden') throw thrown;
          return {
            status: 403,
            ...(await show(
              client,
              body,
              caller,
              cookies.consent,
              `Nothing was allowed: ${thrown.message}. Look at it once more.`,
            )),
          } as const;
        }
      },
    };
  },
});
