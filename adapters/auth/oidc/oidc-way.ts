// Signing in at an OpenID Connect provider: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, 3.1).
import * as client from 'openid-client';
import type { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import type { Admission, Identity, RedirectWay } from '#ports/sign-in';
import { groupsIn, textClaim } from './claims.js';
import { discoverOnce, type ProviderSettings } from './provider.js';
import { oidcSignOut } from './sign-out.js';

export interface OidcSettings extends ProviderSettings {
  readonly scopes: string;
  readonly label: string;
  /** Where the provider sends the browser back to. */
  readonly returnUrl: string;
  readonly userClaim: string;
  readonly groupsClaim: string;
  readonly admission: Admission;
}

/** What the browser must bring back unchanged. */
interface Remembered {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

const refused = (reason: string, cause?: unknown) =>
  new Failure('unauthenticated', reason, { cause });

type Claims = Readonly<Record<string, unknown>>;

/** Who the claims are about. Only an e-mail that the provider has verified is known to be theirs. */
const identityOf = (
  { userClaim, groupsClaim }: Pick<OidcSettings, 'userClaim' | 'groupsClaim'>,
  { issuer, subject, claims }: { issuer: string; subject: string; claims: Claims },
): Identity => ({
  issuer,
  subject,
  name: textClaim(claims, userClaim),
  email: textClaim(claims, 'email'),
  emailProved: claims['email_verified'] === true,
  groups: groupsIn(claims, groupsClaim),
});

/** Exchanges the code of a return for the claims about who came back. */
const exchange = async (config: client.Configuration, here: URL, kept: Remembered) => {
  const tokens = await client.authorizationCodeGrant(config, here, {
    pkceCodeVerifier: kept.verifier,
    expectedState: kept.state,
    expectedNonce: kept.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw refused('the provider gave no identity');
  // What a provider leaves out of its token, it tells when asked.
  const more =
    config.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    claims: { ...more, ...claims },
    idToken: tokens.id_token,
  };
};

/** Why a return came to nothing, as the person may hear it. */
const explain = (thrown: unknown): unknown => {
  if (isFailure(thrown)) return thrown;
  const error = thrown instanceof client.AuthorizationResponseError ? thrown.error : undefined;
  return refused(
    error === 'access_denied'
      ? 'the provider refused the sign-in'
      : "the provider's answer does not belong to this sign-in; begin again",
    thrown,
  );
};

export const oidcWay = (
  { clock }: { readonly clock: Clock },
  settings: OidcSettings,
): RedirectWay => {
  const { label, returnUrl, scopes, clientId, admission } = settings;
  const provider = discoverOnce(settings);
  return {
    kind: 'redirect',
    name: 'oidc',
    label,
    admission,
    async begin() {
      const config = await provider();
      const kept: Remembered = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri: returnUrl,
        scope: scopes,
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, remember: JSON.stringify(kept) };
    },
    async complete(query, remember) {
      const kept = JSON.parse(remember) as Remembered; // as `begin` wrote it; nobody else can
      const config = await provider();
      const here = new URL(returnUrl);
      for (const [name, value] of Object.entries(query)) here.searchParams.set(name, value);
      const found = await exchange(config, here, kept).catch((thrown: unknown) => {
        throw explain(thrown);
      });
      return { identity: identityOf(settings, found), external: found.idToken };
    },
    signOut: oidcSignOut({ provider, clientId, clock }),
  };
};
