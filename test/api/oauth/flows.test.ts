// The authorization server as two well-known client libraries use it, from discovery to revocation, and its tokens on the API.
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { fieldsOf, openWorld, type Browser, type OAuthWorld } from './browsing.js';

/** On loopback the libraries need to be told that plain http is meant. */
const plain = { [oauth.allowInsecureRequests]: true } as const;
const redirectUri = 'http://127.0.0.1:43117/callback';

/** Sends a browser through consent as a person does, and gives the address that it ends at. */
const consentTo = async (
  browser: Browser,
  address: URL,
  answer: 'allow' | 'deny' = 'allow',
): Promise<URL> => {
  const asked = await browser.get(address.pathname + address.search);
  expect(asked.status).to.equal(302);
  expect(asked.location?.pathname).to.equal('/oauth/consent');
  const page = await browser.get(
    `${asked.location?.pathname ?? ''}${asked.location?.search ?? ''}`,
  );
  expect([page.status, page.headers.get('content-type')], page.text.slice(0, 300)).to.deep.equal([
    200,
    'text/html; charset=utf-8',
  ]);
  const sent = await browser.postForm('/oauth/consent', {
    ...fieldsOf(page, '/oauth/consent'),
    answer,
  });
  expect(sent.status, sent.text.slice(0, 300)).to.equal(303);
  return sent.location ?? new URL('about:blank');
};

describe('OAuth with oauth4webapi', () => {
  const world = openWorld();
  const discover = async ({ url }: OAuthWorld) =>
    oauth.processDiscoveryResponse(
      new URL(url),
      await oauth.discoveryRequest(new URL(url), { ...plain, algorithm: 'oauth2' }),
    );
  const registerAt = async (as: oauth.AuthorizationServer) =>
    oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        as,
        { client_name: 'Editor', redirect_uris: ['http://127.0.0.1/callback'] },
        plain,
      ),
    );
  const tokensFor = async (who: 'home' | 'member' = 'home') => {
    const as = await discover(world());
    const registered = await registerAt(as);
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const address = new URL(as.authorization_endpoint ?? '');
    for (const [name, value] of Object.entries({
      client_id: registered.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: world().resource,
      state,
    }))
      address.searchParams.set(name, value);
    const back = oauth.validateAuthResponse(
      as,
      registered,
      await consentTo(await world().signIn(world().people[who]), address),
      state,
    );
    const reply = await oauth.authorizationCodeGrantRequest(
      as,
      registered,
      oauth.None(),
      back,
      redirectUri,
      verifier,
      plain,
    );
    return {
      as,
      registered,
      tokens: await oauth.processAuthorizationCodeResponse(as, registered, reply),
    };
  };

  it('discovers the endpoints, which are as the metadata say', async () => {
    const as = await discover(world());

    expect(as.issuer).to.equal(world().url);
    expect(as.introspection_endpoint).to.equal(undefined);
    for (const endpoint of [
      as.authorization_endpoint,
      as.token_endpoint,
      as.registration_endpoint,
      as.revocation_endpoint,
    ])
      expect((await fetch(endpoint ?? '', { method: 'POST' })).status, endpoint).to.not.be.oneOf([
        404, 405, 500,
      ]);
  });

  it('registers, asks, is consented to, and gets tokens for one workspace', async () => {
    const { tokens, registered } = await tokensFor();

    expect(registered['client_secret']).to.equal(undefined);
    expect(tokens.token_type).to.equal('bearer');
    expect(tokens.access_token).to.match(/^orrery_at_[\w-]{43}$/);
    expect(tokens.refresh_token).to.match(/^orrery_rt_[\w-]{43}$/);
    expect([tokens.expires_in, tokens['workspace_name']]).to.deep.equal([
      3600,
      world().people.home.workspace,
    ]);
  });

  it('reaches the API with the access token, in that workspace', async () => {
    const { tokens } = await tokensFor();
    const reply = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      new URL(`${world().url}/api/v1/private/auth/workspace`),
      undefined,
      undefined,
      plain,
    );

    expect(await reply.json()).to.deep.equal({ workspace_name: world().people.home.workspace });
    const listed = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      new URL(`${world().url}/api/rest/v2/workspaces`),
      undefined,
      undefined,
      plain,
    );
    expect(((await listed.json()) as { workspaceNames: string[] }).workspaceNames).to.deep.equal([
      world().people.home.workspace,
    ]); // the row's reply
    const made = await oauth.protectedResourceRequest(
      tokens.access_token,
      'POST',
      new URL(`${world().url}/api/rest/v2/write/project/create`),
      new Headers({ 'content-type': 'application/json' }),
      JSON.stringify({ workspaceName: world().people.home.workspace, projectName: 'by-token' }),
      plain,
    );
    expect(made.status).to.equal(200);
  });

  it('rotates its refresh token, and the one before ends the family after the grace and its retries', async () => {
    const { as, registered, tokens } = await tokensFor();
    const turn = async (token: string | undefined) =>
      oauth.processRefreshTokenResponse(
        as,
        registered,
        await oauth.refreshTokenGrantRequest(as, registered, oauth.None(), token ?? '', plain),
      );

    const second = await turn(tokens.refresh_token);
    const third = await turn(second.refresh_token);
    expect(
      new Set([tokens, second, third].flatMap((one) => [one.access_token, one.refresh_token])).size,
    ).to.equal(6);
    for (let retry = 0; retry < 3; retry++) await turn(second.refresh_token);

    const refused = await turn(second.refresh_token).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect([
      refused instanceof oauth.ResponseBodyError,
      (refused as oauth.ResponseBodyError).error,
    ]).to.deep.equal([true, 'invalid_grant']);
    expect(
      await turn(third.refresh_token).then(
        () => 'renewed',
        () => 'refused',
      ),
    ).to.equal('refused');
    const known = await oauth
      .protectedResourceRequest(
        third.access_token,
        'GET',
        new URL(`${world().url}/api/v1/private/auth/workspace`),
        undefined,
        undefined,
        plain,
      )
      .then(
        (reply) => reply.status,
        () => 401,
      );
    expect(known).to.equal(401);
  });

  it('revokes its tokens', async () => {
    const { as, registered, tokens } = await tokensFor();
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(
        as,
        registered,
        oauth.None(),
        tokens.refresh_token ?? '',
        plain,
      ),
    );

    const reply = await oauth.refreshTokenGrantRequest(
      as,
      registered,
      oauth.None(),
      tokens.refresh_token ?? '',
      plain,
    );
    expect([reply.status, ((await reply.json()) as { error: string }).error]).to.deep.equal([
      400,
      'invalid_grant',
    ]); // an error of RFC 6749
  });

  it('is told when the user does not allow it, with its state and whose answer it is', async () => {
    const as = await discover(world());
    const registered = await registerAt(as);
    const address = new URL(as.authorization_endpoint ?? '');
    for (const [name, value] of Object.entries({
      client_id: registered.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier()),
      code_challenge_method: 'S256',
      resource: world().resource,
      state: 'abc',
    }))
      address.searchParams.set(name, value);

    const refused = await consentTo(await world().signIn(world().people.home), address, 'deny');

    expect(() => oauth.validateAuthResponse(as, registered, refused, 'abc')).to.throw(
      oauth.AuthorizationResponseError,
    );
    expect([
      refused.searchParams.get('error'),
      refused.searchParams.get('state'),
      refused.searchParams.get('iss'),
      refused.searchParams.get('code'),
    ]).to.deep.equal(['access_denied', 'abc', world().url, null]);
  });
});

describe('OAuth with openid-client', () => {
  const world = openWorld();
  const execute = [client.allowInsecureRequests];

  it('goes from registration to revocation', async () => {
    const { url, people, resource } = world();
    const config = await client.dynamicClientRegistration(
      new URL(url),
      { client_name: 'Notebook', redirect_uris: [redirectUri] },
      client.None(),
      { execute, algorithm: 'oauth2' },
    );
    const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()];
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource,
      state,
    });

    const back = await consentTo(await world().signIn(people.home), address);
    const tokens = await client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    const seen = await client.fetchProtectedResource(
      config,
      renewed.access_token,
      new URL(`${url}/v1/private/auth/workspace`),
      'GET',
    );
    expect(await seen.json()).to.deep.equal({ workspace_name: people.home.workspace });

    await client.tokenRevocation(config, renewed.refresh_token ?? '');
    expect(
      await client.refreshTokenGrant(config, renewed.refresh_token ?? '').then(
        () => 'renewed',
        (thrown: unknown) => (thrown as client.ResponseBodyError).error,
      ),
    ).to.equal('invalid_grant');
    expect(
      (
        await fetch(`${url}/v1/private/auth/workspace`, {
          headers: { Authorization: `Bearer ${renewed.access_token}` },
        })
      ).status,
    ).to.equal(401);
  });

  it('sends who is not signed in to sign in, and on from there to what was asked', async () => {
    const { url } = world();
    const config = await client.dynamicClientRegistration(
      new URL(url),
      { client_name: 'Notebook', redirect_uris: [redirectUri] },
      client.None(),
      { execute, algorithm: 'oauth2' },
    );
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
      resource: world().resource,
      state: 'x&y=z#é',
    });

    const reply = await fetch(address, { redirect: 'manual' });

    const login = new URL(reply.headers.get('location') ?? '');
    expect([reply.status, login.origin, login.pathname]).to.deep.equal([302, url, '/login']);
    const back = new URL(login.searchParams.get('returnTo') ?? '', url);
    expect([back.origin, back.pathname]).to.deep.equal([url, '/oauth/authorize']);
    expect(Object.fromEntries(back.searchParams)).to.deep.equal(
      Object.fromEntries(address.searchParams),
    );
  });
});
