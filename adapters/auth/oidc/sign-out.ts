// Signing out at the provider too, and sessions that the provider ends.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as client from 'openid-client';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { ProviderSignOut } from '#ports/sign-in';
import { textClaim } from './claims.js';
import { timeoutSeconds } from './provider.js';

export interface SignOutNeeds {
  readonly provider: () => Promise<client.Configuration>;
  readonly clientId: string;
  readonly clock: Clock;
}

const event = 'http://schemas.openid.net/event/backchannel-logout';
const invalid = (cause?: unknown) =>
  new Failure('invalid', "logout_token is not the provider's word to this server", { cause });

/** What is kept of a sign-in is its ID token. */
export const oidcSignOut = ({ provider, clientId, clock }: SignOutNeeds): ProviderSignOut => {
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  return {
    async address(external, returnTo) {
      const config = await provider();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(config, {
        id_token_hint: external,
        post_logout_redirect_uri: returnTo,
      }).href;
    },
    /** As OpenID Connect Back-Channel Logout 1.0, 2.6 has it. */
    async readToken(token) {
      const metadata = (await provider()).serverMetadata();
      keys ??= createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), {
        timeoutDuration: timeoutSeconds * 1000,
      });
      const { payload } = await jwtVerify(token, keys, {
        issuer: metadata.issuer,
        audience: clientId,
        maxTokenAge: '5m',
        currentDate: new Date(clock.now()),
        clockTolerance: 60,
      }).catch((cause: unknown) => {
        throw invalid(cause);
      });
      const events = payload['events'];
      const isLogout = typeof events === 'object' && events !== null && event in events;
      // With a nonce it would be an ID token, which anybody who saw one could send.
      if (!isLogout || 'nonce' in payload || payload.sub === undefined) throw invalid();
      return { issuer: metadata.issuer, subject: payload.sub, session: textClaim(payload, 'sid') };
    },
    sessionOf(external) {
      try {
        return textClaim(decodeJwt(external), 'sid');
      } catch {
        return undefined;
      } // not a token of ours: known by its user alone
    },
  };
};
