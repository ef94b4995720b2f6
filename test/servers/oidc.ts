// An OpenID Connect provider of its own, by the library that its authors certified, whose people are a table and agree to everything.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

export interface ProviderPerson {
  readonly sub: string;
  readonly name?: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly groups?: readonly string[];
}

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who is at the browser from now on; `undefined` refuses. */
  person: ProviderPerson | undefined;
  /** A token by which it says that sessions are over; `given` wins over what a right one holds. */
  logoutToken(given: JWTPayload): Promise<string>;
  stop(): Promise<void>;
}

export interface ProviderOptions {
  readonly returnUrl: string;
  readonly afterSignOut: string;
  /** Whether it takes part in signing out. */
  readonly signsOut?: boolean;
  /** A free one, when left out. */
  readonly port?: number;
}

/** By what it knows the product. */
export const providerClient = {
  clientId: 'orrery',
  clientSecret: 'provider-secret-of-the-tests',
} as const;
const { clientId, clientSecret } = providerClient;

/** Starts it on this machine. */
export const startProvider = async ({
  returnUrl,
  afterSignOut,
  signsOut = true,
  port = 0,
}: ProviderOptions): Promise<TestProvider> => {
  const people = new Map<string, ProviderPerson>();
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
    response.end();
  };
  const server = createServer((request, response) => {
    handle(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address has this form
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const configuration: Configuration = {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'tests', alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [returnUrl],
        post_logout_redirect_uris: [afterSignOut],
        token_endpoint_auth_method: 'client_secret_post',
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups'],
      email: ['email', 'email_verified'],
    },
    scopes: ['openid', 'profile', 'email'],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: signsOut,
        logoutSource: (ctx, form) => {
          ctx.body = `<!doctype html>${form}<script>document.forms[0].submit()</script>`;
        },
      },
    },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ['a key of the tests'] },
    conformIdTokenClaims: false,
    findAccount: (_, id) => {
      const person = people.get(id);
      return {
        accountId: id,
        claims: () =>
          Promise.resolve({
            sub: id,
            name: person?.name,
            preferred_username: person?.name,
            groups: person?.groups,
            email: person?.email,
            email_verified: person?.emailVerified ?? true,
          }),
      };
    },
  };
  const provider = new Provider(issuer, configuration);
  const answer = provider.callback();
  const made: TestProvider = {
    issuer,
    clientId,
    clientSecret,
    person: undefined,
    logoutToken: (given) =>
      new SignJWT({
        iss: issuer,
        aud: clientId,
        iat: Math.floor(Date.now() / 1000),
        jti: randomUUID(),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...given,
      })
        .setProtectedHeader({ alg: 'RS256', kid: 'tests', typ: 'logout+jwt' })
        .sign(privateKey),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { person } = made;
    if (person === undefined) {
      await provider.interactionFinished(request, response, { error: 'access_denied' });
      return;
    }
    people.set(person.sub, person);
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({
      accountId: person.sub,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope('openid profile email');
    await provider.interactionFinished(request, response, {
      login: { accountId: person.sub },
      consent: { grantId: await grant.save() },
    });
  };
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/') === true)
      void interact(request, response).catch(() => {
        response.statusCode = 500;
        response.end();
      });
    else void answer(request, response);
  };
  return made;
};

/** A browser that keeps cookies for each host and follows redirects until one leads to `until`; gives that address. */
export const followTo = async (
  address: string,
  until: string,
  jar = new Map<string, Map<string, string>>(),
): Promise<URL> => {
  let at = new URL(address);
  for (let hops = 0; hops < 12; hops++) {
    if (at.href.startsWith(until)) return at;
    const cookies = jar.get(at.host) ?? new Map<string, string>();
    jar.set(at.host, cookies);
    const reply = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const next = reply.headers.get('location');
    const text = await reply.text();
    if (next === null)
      throw new Error(
        `${at.href} answered ${reply.status} without going on: ${text.slice(0, 300)}`,
      );
    at = new URL(next, at);
  }
  throw new Error('it does not end');
};
