// Sign-in at an OpenID Connect provider, over accounts, keys and sessions of the product's own.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as client from 'openid-client';
import type { Auth, Vouched } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { User } from '#ports/model/identity';
import type { Sealer } from '#ports/sealer';
import type { Storage } from '#ports/storage/storage';
import { flagOf, grantsOf, groupsIn, nameFrom, textClaim, type GroupRule } from './rules.js';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  readonly scopes: string;
  readonly label: string;
  /** Where the provider sends the browser back to. */
  readonly returnUrl: string;
  readonly userClaim: string;
  readonly groupsClaim: string;
  readonly rules: readonly GroupRule[];
  /** Who gets an account at the first sign-in: everybody whom the provider vouches for, those in a group that a rule names, or nobody. */
  readonly provision: 'all' | 'groups' | 'none';
  /** Domains of e-mails that may sign in; any, when empty. */
  readonly domains: readonly string[];
  /** Whether people may sign in by name and password too. */
  readonly localAccounts: boolean;
  readonly nameMinLength: number;
}

export interface OidcNeeds {
  /** What everything but signing in at the provider is left to. */
  readonly local: Auth;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly ids: Ids;
}

const way = 'oidc';
const keptMs = 10 * 60_000;
const timeoutSeconds = 10;
const aboutReturn = 'sign-in at a provider';
const aboutSession = 'session at a provider';

/** What the browser brings back in its cookie, sealed. */
interface Kept {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly at: number;
}

const refused = (reason: string, cause?: unknown) =>
  new Failure('unauthenticated', reason, { cause });
/** Whether plain http is no danger: the provider is on this machine. */
const isHere = (issuer: URL): boolean =>
  issuer.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(issuer.hostname);

export const oidcAuth = (
  { local, storage, sealer, clock, ids }: OidcNeeds,
  settings: OidcSettings,
): Auth => {
  const { stores } = storage;
  let discovered: Promise<client.Configuration> | undefined;
  /** The provider's own description, asked for when it is first needed, and again after a failure. */
  const provider = (): Promise<client.Configuration> => {
    const issuer = new URL(settings.issuer);
    discovered ??= client
      .discovery(
        issuer,
        settings.clientId,
        undefined,
        settings.clientSecret === ''
          ? client.None()
          : client.ClientSecretPost(settings.clientSecret),
        {
          timeout: timeoutSeconds,
          ...(isHere(issuer) ? { execute: [client.allowInsecureRequests] } : {}),
        },
      )
      .catch((cause: unknown) => {
        discovered = undefined;
        throw new Failure('unavailable', 'the provider of single sign-on does not answer', {
          cause,
          retryAfter: 10,
        });
      });
    return discovered;
  };

  const openKept = (keep: string): Kept => {
    let kept: Kept;
    try {
      kept = JSON.parse(sealer.open(keep, aboutReturn)) as Kept; // sealed by `begin`
    } catch (cause) {
      throw refused('this sign-in was not begun in this browser; begin again', cause);
    }
    if (kept.at + keptMs < clock.now()) throw refused('this sign-in took too long; begin again');
    return kept;
  };

  /** A name that nobody has: the provider's, or that with a number. */
  const freeName = async (wish: string): Promise<string> => {
    const name = nameFrom(wish, settings.nameMinLength);
    for (let n = 1; n < 1000; n++) {
      const one = n === 1 ? name : `${name}-${n}`;
      if ((await stores.identity.findUser({ name: one })) === undefined) return one;
    }
    return `${name}-${ids.next()}`;
  };

  /** What the rules give these groups, set anew at every sign-in; workspaces of which no rule speaks are left alone. */
  const applyRules = async (user: User, groups: readonly string[]): Promise<void> => {
    const { rules } = settings;
    const [admin, viewOnly] = [flagOf(rules, groups, 'admin'), flagOf(rules, groups, 'viewOnly')];
    if (admin !== undefined || viewOnly !== undefined)
      await storage.transaction(async ({ identity }) => {
        await identity.lockAdministrators();
        const isAdmin = (await identity.findUser({ id: user.id }))?.admin === true;
        const keepsAdmin = admin === false && isAdmin && (await identity.countAdministrators()) < 2;
        const change = {
          ...(admin === undefined || keepsAdmin ? {} : { admin }),
          ...(viewOnly === undefined ? {} : { viewOnly: viewOnly && admin !== true }),
        };
        await identity.updateUser(user.id, change);
      });
    for (const [name, granted] of grantsOf(rules, groups)) {
      const found = await stores.workspaces.findByName(name);
      if (found === undefined && granted === undefined) continue;
      const id = found?.id ?? ids.next();
      if (found === undefined)
        await stores.workspaces.insert({ id, name, ownerId: user.id, createdAt: clock.now() });
      await local.setRole(id, user.id, granted?.role, granted?.permissions ?? []);
      if (
        granted !== undefined &&
        (await stores.identity.findUser({ id: user.id }))?.defaultWorkspaceId === undefined
      )
        await stores.identity.setDefaultWorkspace(user.id, id);
    }
    await local.forget(user.id);
  };

  const provisioned = async (
    claims: Readonly<Record<string, unknown>>,
    email: string | undefined,
    groups: readonly string[],
  ): Promise<User> => {
    const named = groups.some((group) => settings.rules.some((rule) => rule.group === group));
    if (settings.provision === 'none' || (settings.provision === 'groups' && !named))
      throw new Failure(
        'forbidden',
        'the provider vouches for you, but there is no account for you here; ask an administrator',
      );
    const claimed = textClaim(claims, settings.userClaim) ?? email?.split('@')[0] ?? 'user';
    // Many providers let people choose it: a name that is somebody's e-mail would be taken for that person.
    const wish =
      claimed.toLowerCase() === email?.toLowerCase() ? claimed : (claimed.split('@')[0] ?? '');
    const withRoles = [...grantsOf(settings.rules, groups).values()].some(
      (granted) => granted !== undefined,
    );
    const { user } = await local.addUser({
      name: await freeName(wish),
      email,
      emailProved: email !== undefined,
      withoutKey: true,
      ...(withRoles ? { workspace: null } : {}),
    });
    return user;
  };

  /** Whose e-mail it is; of somebody who only typed it in nothing is known. */
  const ownerOf = async (email: string): Promise<User | undefined> => {
    const found = await stores.identity.findUser({ email });
    return found?.emailProved === true ? found : undefined;
  };
  /** From now on the provider says who this is. What was made before ends, so that nobody who prepared the account stays in it. */
  const link = async (user: User, issuer: string, subject: string): Promise<void> => {
    await storage.transaction(async ({ identity }) => {
      await identity.lockUser(user.id);
      await identity.endCredentials(user.id, clock.now());
      await identity.link(user.id, issuer, subject, clock.now());
    });
    await local.forget(user.id);
  };

  /** The user behind a subject of the provider: known by it, by an e-mail that it has verified, or made now. */
  const userOf = async (
    issuer: string,
    subject: string,
    claims: Readonly<Record<string, unknown>>,
  ): Promise<User> => {
    const verified = claims['email_verified'] === true ? textClaim(claims, 'email') : undefined;
    if (
      settings.domains.length > 0 &&
      !settings.domains.includes(verified?.split('@').at(-1)?.toLowerCase() ?? '')
    )
      throw new Failure(
        'forbidden',
        'only verified e-mails of the domains that were set may sign in here',
      );
    const groups = groupsIn(claims, settings.groupsClaim);
    const linked = await stores.identity.findLinked(issuer, subject);
    const known = linked ?? (verified === undefined ? undefined : await ownerOf(verified));
    const user = known ?? (await provisioned(claims, verified, groups));
    if (user.suspendedAt !== undefined || user.kind !== 'person')
      throw new Failure('forbidden', 'the account is switched off');
    if (linked === undefined) await link(user, issuer, subject);
    await applyRules(user, groups);
    return (await stores.identity.findUser({ id: user.id })) ?? user;
  };

  const exchanged = async (query: Readonly<Record<string, string>>, kept: Kept) => {
    const config = await provider();
    const here = new URL(settings.returnUrl);
    for (const [name, value] of Object.entries(query)) here.searchParams.set(name, value);
    try {
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
    } catch (thrown) {
      if (isFailure(thrown)) throw thrown;
      const told = thrown instanceof client.AuthorizationResponseError ? thrown.error : undefined;
      throw refused(
        told === 'access_denied'
          ? 'the provider refused the sign-in'
          : "the provider's answer does not belong to this sign-in; begin again",
        thrown,
      );
    }
  };

  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  /** Of whom, and of which session, a logout token speaks (OpenID Connect Back-Channel Logout 1.0, 2.6). */
  const readLogout = async (
    token: string,
  ): Promise<{
    readonly issuer: string;
    readonly subject: string;
    readonly sid: string | undefined;
  }> => {
    const metadata = (await provider()).serverMetadata();
    keys ??= createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), {
      timeoutDuration: timeoutSeconds * 1000,
    });
    const invalid = (cause?: unknown) =>
      new Failure('invalid', "logout_token is not the provider's word to this server", { cause });
    const { payload } = await jwtVerify(token, keys, {
      issuer: metadata.issuer,
      audience: settings.clientId,
      maxTokenAge: '5m',
      currentDate: new Date(clock.now()),
      clockTolerance: 60,
    }).catch((cause: unknown) => {
      throw invalid(cause);
    });
    const events = payload['events'];
    const speaksOfLogout =
      typeof events === 'object' &&
      events !== null &&
      'http://schemas.openid.net/event/backchannel-logout' in events;
    // With a nonce it would be an ID token, which anybody who saw one could send.
    if (!speaksOfLogout || 'nonce' in payload || payload.sub === undefined) throw invalid();
    return { issuer: metadata.issuer, subject: payload.sub, sid: textClaim(payload, 'sid') };
  };
  const sidOf = (external: string | undefined): string | undefined => {
    if (external === undefined) return undefined;
    try {
      return textClaim(decodeJwt(sealer.open(external, aboutSession)), 'sid');
    } catch {
      return undefined;
    } // sealed under another key: known by its user alone
  };

  return {
    ...local,
    ways: () => [
      { name: way, kind: 'provider', label: settings.label },
      ...(settings.localAccounts ? local.ways() : []),
    ],
    checkPassword: async (nameOrEmail, password) =>
      settings.localAccounts ? local.checkPassword(nameOrEmail, password) : undefined,
    async begin(name, returnTo) {
      if (name !== way) return local.begin(name, returnTo);
      const config = await provider();
      const [state, nonce, verifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ];
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri: settings.returnUrl,
        scope: settings.scopes,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const kept: Kept = { state, nonce, verifier, returnTo, at: clock.now() };
      return { address: address.href, keep: sealer.seal(JSON.stringify(kept), aboutReturn) };
    },
    async complete(name, query, keep): Promise<Vouched & { readonly returnTo: string }> {
      if (name !== way) return local.complete(name, query, keep);
      const kept = openKept(keep);
      const { issuer, subject, claims, idToken } = await exchanged(query, kept);
      return {
        user: await userOf(issuer, subject, claims),
        external: idToken,
        returnTo: kept.returnTo,
      };
    },
    async endByProvider(name, logoutToken) {
      if (name !== way) return local.endByProvider(name, logoutToken);
      const { issuer, subject, sid } = await readLogout(logoutToken);
      const user = await stores.identity.findLinked(issuer, subject);
      const sessions = user === undefined ? [] : await stores.sessions.listOf(user.id, clock.now());
      const over = sessions.filter(
        (session) => session.way === way && (sid === undefined || sidOf(session.external) === sid),
      );
      for (const { id } of over) await local.endSession(id, '');
      return over.length;
    },
    openSession: (userId, session) =>
      local.openSession(userId, {
        ...session,
        ...(session.external === undefined
          ? {}
          : { external: sealer.seal(session.external, aboutSession) }),
      }),
    async endSession(sessionId, returnTo) {
      const session = await stores.sessions.find(sessionId);
      await local.endSession(sessionId, returnTo);
      if (session?.way !== way || session.external === undefined) return undefined;
      // Here the session has ended, whatever becomes of the provider's.
      const config = await provider().catch(() => undefined);
      if (config?.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(config, {
        id_token_hint: sealer.open(session.external, aboutSession),
        post_logout_redirect_uri: returnTo,
      }).href;
    },
  };
};
