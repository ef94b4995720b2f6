// RFC 9700, the best current practice for the security of OAuth 2.0: a test for every clause that this server can keep or break.
//
// What does not apply, and why:
// - 2.1.1, 4.5.3.2 nonce: no OpenID Connect is offered to clients.
// - 2.2.1, 4.10.1 sender-constrained access tokens: a recommendation; the wire knows bearer tokens only. What is stolen is bounded by its hour, its one workspace and its revocation.
// - 2.5 client authentication: clients are public, there is no secret to prove.
// - 2.6 and 4.13 TLS on the way to a proxy: the operator's; what the server owes is in `4.13`, and that it offers no OAuth on plain http beyond the machine.
// - 4.1.2, 4.3.1, 4.6 attacks on the implicit grant and on tokens in fragments: there is no such grant (2.1.2).
// - 4.9.1, 4.9.2 counterfeit and compromised resource servers: this server is its own resource; an audience is bound (2.3).
// - 4.11.1 open redirectors of clients: theirs to avoid; an address that was not registered is never used (2.1).
// - 4.11.2 asking the user before an error is told to the client: the contract has faults of a request answered at the client's registered address before anybody signs in; nobody is sent to any other.
// - 4.17 in-browser messages: no reply is sent by postMessage.
import { expect } from 'chai';
import {
  ask,
  authorizePath,
  begin,
  callback,
  consentBody,
  exchange,
  fieldsOf,
  hashOf,
  isLive,
  makePkce,
  obtainCode,
  obtainPair,
  openWorld,
  pairOf,
  parameters,
  postForm,
  postJson,
  refresh,
  register,
  withToken,
  works,
  type Page,
} from './browsing.js';

describe('RFC 9700', () => {
  const world = openWorld();
  /** Everything that was secret in these tests. */
  const secrets = new Set<string>();
  const keep = <T extends { readonly access: string; readonly refresh: string }>(pair: T): T => {
    secrets.add(pair.access);
    secrets.add(pair.refresh);
    return pair;
  };
  const pairFor = async (given: Parameters<typeof obtainPair>[2] = {}) => {
    const made = keep(await obtainPair(world(), world().people.home, given));
    secrets.add(made.code).add(made.begun.verifier);
    return made;
  };
  const home = async () => {
    const browser = await world().signIn(world().people.home);
    secrets.add(browser.cookies.get('sessionToken') ?? '');
    return browser;
  };
  const metadata = async () =>
    (await ask(`${world().url}/.well-known/oauth-authorization-server`)).json;
  const error = (page: Page) => page.json['error'];

  it('2.1, 4.1.3: redirect URIs are compared as exact strings, but for the port on this machine', async () => {
    const clientId = await register(world().url, {
      redirect_uris: ['https://app.example/cb', 'http://127.0.0.1/cb'],
    });
    const status = async (redirectUri: string) =>
      (
        await ask(
          world().url + authorizePath(world(), await begin(world(), { clientId, redirectUri })),
        )
      ).status;
    expect([
      await status('https://app.example/cb'),
      await status('http://127.0.0.1:7777/cb'),
    ]).to.deep.equal([302, 302]);
    for (const other of [
      'https://app.example/cb/',
      'https://app.example/cb?a',
      'https://app.example:443/cb',
      'https://sub.app.example/cb',
      'http://127.0.0.1:7777/cb/x',
      'http://localhost/cb',
    ])
      expect(await status(other), other).to.equal(400);
  });

  it('2.1: a code is bound to the redirect URI of its request, port included', async () => {
    const redirectUri = 'http://127.0.0.1:7001/cb';
    const clientId = await register(world().url, { redirect_uris: ['http://127.0.0.1/cb'] });
    const begun = await begin(world(), { clientId, redirectUri });
    expect(
      error(
        await exchange(world(), begun, await obtainCode(world(), await home(), begun), {
          redirect_uri: 'http://127.0.0.1:7002/cb',
        }),
      ),
    ).to.equal('invalid_grant');
  });

  it('2.1, 4.7.1: state comes back as it was sent, in answers and in errors', async () => {
    const state = 'a b&c=d#e%20é+"<>';
    const begun = await begin(world(), { state });
    const allowed = await (
      await home()
    )
      .postJson('/oauth/authorize', await consentBody(world(), await home(), begun))
      .catch(() => undefined);
    expect(allowed?.status).to.equal(403); // the context was opened in another session
    const browser = await home();
    const answer = await browser.postJson(
      '/oauth/authorize',
      await consentBody(world(), browser, begun),
    );
    expect(new URL(String(answer.json['redirect_to'])).searchParams.get('state')).to.equal(state);
    expect(
      (
        await ask(world().url + authorizePath(world(), begun, { response_type: 'x' }))
      ).location?.searchParams.get('state'),
    ).to.equal(state);
  });

  it('2.1, 4.4.2: every answer says whose it is (iss), and the metadata say that it does', async () => {
    const begun = await begin(world());
    const browser = await home();
    const answer = await browser.postJson(
      '/oauth/authorize',
      await consentBody(world(), browser, begun),
    );
    const refused = await ask(world().url + authorizePath(world(), begun, { resource: 'x' }));
    const { issuer, authorization_response_iss_parameter_supported } = await metadata();
    expect([
      new URL(String(answer.json['redirect_to'])).searchParams.get('iss'),
      refused.location?.searchParams.get('iss'),
      authorization_response_iss_parameter_supported,
    ]).to.deep.equal([issuer, issuer, true]);
  });

  it('2.1, 2.6: no answer goes over plain http but on this machine', async () => {
    for (const uri of [
      'http://app.example/cb',
      'http://10.0.0.1/cb',
      'http://127.0.0.1.app.example/cb',
    ])
      expect(
        error(await postJson(`${world().url}/oauth/register`, { redirect_uris: [uri] })),
        uri,
      ).to.equal('invalid_redirect_uri');
  });

  it('2.1.1: PKCE is required of every client and announced in the metadata', async () => {
    const begun = await begin(world());
    for (const change of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: undefined },
      { code_challenge_method: undefined },
    ])
      expect(
        (await ask(world().url + authorizePath(world(), begun, change))).location?.searchParams.get(
          'error',
        ),
      ).to.equal('invalid_request');
    expect((await metadata())['code_challenge_methods_supported']).to.deep.equal(['S256']);
  });

  it('2.1.1, 4.5.3.1: a code is given out for its own verifier only', async () => {
    const begun = await begin(world());
    const browser = await home();
    for (const code_verifier of [makePkce().verifier, begun.challenge, '']) {
      const code = await obtainCode(world(), browser, begun);
      secrets.add(code);
      expect(
        (await exchange(world(), begun, code, { code_verifier })).status,
        code_verifier,
      ).to.equal(400);
    }
  });

  it('2.1.1, 4.8.2: nothing leads to a code without a challenge, so that a verifier is never ignored', async () => {
    const begun = await begin(world());
    const browser = await home();
    const body = await consentBody(world(), browser, begun);
    for (const change of [
      { code_challenge: undefined },
      { code_challenge: '' },
      { code_challenge_method: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge: begun.verifier.slice(1) },
    ])
      expect(
        (await browser.postJson('/oauth/authorize', { ...body, ...change })).status,
        JSON.stringify(change),
      ).to.be.oneOf([400, 422]);
    const page = await browser.get(
      `/oauth/consent?${new URLSearchParams(parameters(world(), begun)).toString()}`,
    );
    const sent = await browser.postForm('/oauth/consent', {
      ...fieldsOf(page, '/oauth/consent'),
      code_challenge: '',
      answer: 'allow',
    });
    expect([
      sent.location?.searchParams.get('code'),
      sent.location?.searchParams.get('error'),
    ]).to.deep.equal([null, 'invalid_request']);
  });

  it('2.1.2: there is no implicit grant', async () => {
    const begun = await begin(world());
    for (const response_type of ['token', 'id_token', 'code token', 'none'])
      expect(
        (
          await ask(world().url + authorizePath(world(), begun, { response_type }))
        ).location?.searchParams.get('error'),
      ).to.equal('unsupported_response_type');
    expect((await metadata())['response_types_supported']).to.deep.equal(['code']);
  });

  it('2.2.2, 4.14.2: refresh tokens of public clients rotate, and one seen twice ends the family', async () => {
    const { refresh: first, begun, access } = await pairFor();
    const second = keep(pairOf(await refresh(world(), begun.clientId, first)));
    const third = keep(pairOf(await refresh(world(), begun.clientId, second.refresh)));
    expect(new Set([first, second.refresh, third.refresh]).size).to.equal(3);
    for (let retry = 0; retry < 3; retry++)
      keep(pairOf(await refresh(world(), begun.clientId, first)));
    expect(error(await refresh(world(), begun.clientId, first))).to.equal('invalid_grant');
    expect(error(await refresh(world(), begun.clientId, third.refresh))).to.equal('invalid_grant');
    for (const token of [access, second.access, third.access])
      expect(await isLive(world(), token)).to.equal(false);
  });

  it('2.3: an access token reaches the workspace that was consented to and no other', async () => {
    const { people } = world();
    const { access } = await pairFor();
    expect(await works(world(), access)).to.equal(true);
    expect(
      (
        await withToken(world(), '/v1/private/auth', access, {
          method: 'POST',
          headers: { 'Comet-Workspace': people.stranger.workspace },
        })
      ).status,
    ).to.equal(403);
    const admin = keep(await obtainPair(world(), { name: 'admin' }));
    expect(
      (
        await withToken(
          world(),
          `/api/rest/v2/projects?workspaceName=${people.home.workspace}`,
          admin.access,
        )
      ).status,
    ).to.equal(400);
    expect((await withToken(world(), '/api/admin/feature-toggles', admin.access)).status).to.equal(
      403,
    );
  });

  it('2.3, 4.9.3, 4.10.2: an access token is for the one resource that was named, and says so', async () => {
    const { access, begun } = await pairFor();
    const known = await postForm(
      `${world().url}/svc/auth-oauth`,
      {},
      { Authorization: `Bearer ${access}` },
    );
    expect(known.json['resource']).to.equal(world().resource);
    for (const resource of ['https://elsewhere.example', `${world().resource}/`])
      expect(
        (
          await ask(world().url + authorizePath(world(), begun, { resource }))
        ).location?.searchParams.get('error'),
      ).to.equal('invalid_target');
  });

  it('2.3: a view-only member grants read access at most', async () => {
    const { storage, people } = world();
    const space = await storage.stores.workspaces.findByName(people.home.workspace);
    const browser = await world().signIn(people.viewer);
    const begun = await begin(world());
    const allowed = await browser.postJson('/oauth/authorize', {
      ...(await consentBody(world(), browser, begun)),
      workspace_name: undefined,
      workspace_id: space?.id,
    });
    const pair = keep(
      pairOf(
        await exchange(
          world(),
          begun,
          new URL(String(allowed.json['redirect_to'])).searchParams.get('code') ?? '',
        ),
      ),
    );
    expect(
      (
        await withToken(
          world(),
          `/api/rest/v2/projects?workspaceName=${people.home.workspace}`,
          pair.access,
        )
      ).status,
    ).to.equal(200);
    const write = await withToken(world(), '/api/rest/v2/write/project/create', pair.access, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ workspaceName: people.home.workspace, projectName: 'no' }),
    });
    expect(write.status).to.equal(403);
  });

  it('2.4: there is no password grant', async () => {
    const clientId = await register(world().url);
    expect(
      error(
        await postForm(`${world().url}/oauth/token`, {
          grant_type: 'password',
          username: 'admin',
          password: 'x',
          client_id: clientId,
        }),
      ),
    ).to.equal('unsupported_grant_type');
    expect((await metadata())['grant_types_supported']).to.deep.equal([
      'authorization_code',
      'refresh_token',
    ]);
  });

  it('2.6: the metadata name the endpoints, so that nobody configures addresses by hand', async () => {
    const { issuer, ...rest } = await metadata();
    expect(issuer).to.equal(world().url);
    for (const [name, address] of Object.entries(rest).filter(([name]) =>
      name.endsWith('_endpoint'),
    ))
      expect(
        (await ask(String(address), { method: name === 'authorization_endpoint' ? 'GET' : 'POST' }))
          .status,
        name,
      ).to.be.oneOf([200, 400]);
  });

  it('2.6, 4.15: a client cannot choose its id, nor pass for a user', async () => {
    const chosen = await register(world().url, {
      client_id: world().people.home.name,
      sub: 'admin',
      client_name: world().people.home.name,
    });
    expect(chosen).to.match(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(
      (
        await ask(`${world().url}/v1/private/auth/workspace`, {
          headers: { Authorization: chosen },
        })
      ).status,
    ).to.equal(401);
  });

  it('2.6: no other origin may call the authorization endpoint; metadata, registration, token and revocation are open', async () => {
    const Origin = 'https://app.example';
    const preflight = (path: string) =>
      ask(world().url + path, {
        method: 'OPTIONS',
        headers: {
          Origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type',
        },
      });
    for (const path of [
      '/oauth/authorize',
      '/oauth/authorize/context',
      '/oauth/consent',
      '/svc/auth-oauth',
      '/v1/private/auth',
    ]) {
      expect(
        (await ask(world().url + path, { headers: { Origin } })).headers.get(
          'access-control-allow-origin',
        ),
        path,
      ).to.equal(null);
      expect((await preflight(path)).headers.get('access-control-allow-origin'), path).to.equal(
        null,
      );
    }
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/oauth/register',
      '/oauth/token',
      '/oauth/revoke',
    ]) {
      const open = await preflight(path);
      expect(
        [
          open.status,
          open.headers.get('access-control-allow-origin'),
          open.headers.get('access-control-allow-credentials'),
        ],
        path,
      ).to.deep.equal([204, '*', null]);
    }
    const failed = await postForm(`${world().url}/oauth/token`, {}, { Origin });
    expect([failed.status, failed.headers.get('access-control-allow-origin')]).to.deep.equal([
      400,
      '*',
    ]);
  });

  it('4.2.4: pages and replies send no referrer to other sites, and embed nothing of other sites', async () => {
    const begun = await begin(world(), {
      clientId: await register(world().url, {
        logo_uri: 'https://evil.example/logo.png',
        client_uri: 'https://evil.example',
      }),
    });
    const browser = await home();
    const page = await browser.get(
      `/oauth/consent?${new URLSearchParams(parameters(world(), begun)).toString()}`,
    );
    expect([page.headers.get('referrer-policy'), page.headers.get('cache-control')]).to.deep.equal([
      'no-referrer',
      'no-store',
    ]);
    expect(page.text).to.not.match(/evil\.example/);
    expect(
      [...page.text.matchAll(/(?:src|href|action)="([^"]*)"/g)]
        .map(([, at = '']) => at)
        .filter((at) => !at.startsWith('/') && !at.startsWith('data:image/svg+xml')),
    ).to.deep.equal([]);
    const sent = await browser.postForm('/oauth/consent', {
      ...fieldsOf(page, '/oauth/consent'),
      answer: 'allow',
    });
    expect([sent.headers.get('referrer-policy'), sent.headers.get('cache-control')]).to.deep.equal([
      'no-referrer',
      'no-store',
    ]);
  });

  it('4.2.4, 4.3.1: a code works once, and its second use revokes the tokens of the first', async () => {
    const { access, refresh: token, code, begun } = await pairFor();
    expect(await isLive(world(), access)).to.equal(true);
    expect(error(await exchange(world(), begun, code))).to.equal('invalid_grant');
    expect([
      await isLive(world(), access),
      error(await refresh(world(), begun.clientId, token)),
    ]).to.deep.equal([false, 'invalid_grant']);
  });

  it('4.3.2: no token is taken from an address, nor put into one', async () => {
    const { access } = await pairFor();
    for (const name of ['apiKey', 'access_token', 'token'])
      expect(
        (await ask(`${world().url}/v1/private/auth/workspace?${name}=${access}`)).status,
        name,
      ).to.equal(401);
    expect((await metadata())['response_modes_supported']).to.deep.equal(['query']);
  });

  it('4.7.1: consent is accepted from its own page only', async () => {
    const begun = await begin(world());
    const browser = await home();
    const body = await consentBody(world(), browser, begun);
    expect(
      (await browser.postJson('/oauth/authorize', { ...body, csrf: 'forged' })).status,
    ).to.equal(403);
    expect(
      (await browser.postForm('/oauth/consent', { ...parameters(world(), begun), answer: 'allow' }))
        .status,
    ).to.equal(403);
  });

  it('4.11.2: nobody is sent to an address that its client has not registered, and on to sign-in on this server only', async () => {
    const begun = await begin(world());
    for (const redirect_uri of ['https://evil.example/', '//evil.example', 'javascript:alert(1)'])
      for (const response_type of ['code', 'x'])
        expect(
          (await ask(world().url + authorizePath(world(), begun, { redirect_uri, response_type })))
            .location,
        ).to.equal(undefined);
    const login = (
      await ask(world().url + authorizePath(world(), begun, { state: 'https://evil.example' }))
    ).location;
    expect([login?.origin, login?.pathname]).to.deep.equal([world().url, '/login']);
    expect(new URL(login?.searchParams.get('returnTo') ?? '', world().url).origin).to.equal(
      world().url,
    );
  });

  it('4.12: after a form the browser goes on by 303, which repeats no form to anybody', async () => {
    const begun = await begin(world());
    const browser = await home();
    for (const answer of ['allow', 'deny', 'anything']) {
      const page = await browser.get(
        `/oauth/consent?${new URLSearchParams(parameters(world(), begun)).toString()}`,
      );
      const sent = await browser.postForm('/oauth/consent', {
        ...fieldsOf(page, '/oauth/consent'),
        answer,
      });
      expect(
        [sent.status, `${sent.location?.origin ?? ''}${sent.location?.pathname ?? ''}`],
        answer,
      ).to.deep.equal([303, callback]);
      expect(sent.location?.searchParams.has('code'), answer).to.equal(answer === 'allow');
      secrets.add(sent.location?.searchParams.get('code') ?? 'none');
    }
  });

  it('4.13: proxy headers are believed from a trusted proxy only', async () => {
    const page = await ask(`${world().url}/.well-known/oauth-authorization-server`, {
      headers: {
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'https',
        Forwarded: 'host=evil.example',
      },
    });
    expect(page.text).to.not.include('evil.example');
    const authorize = await ask(world().url + authorizePath(world(), await begin(world())), {
      headers: { 'X-Forwarded-Host': 'evil.example' },
    });
    expect(authorize.location?.origin).to.equal(world().url);
  });

  it('4.14.2: a refresh token is bound to its client, and to what was consented to', async () => {
    const { refresh: token, begun } = await pairFor();
    expect(error(await refresh(world(), await register(world().url), token))).to.equal(
      'invalid_grant',
    );
    expect(
      error(
        await postForm(`${world().url}/oauth/token`, {
          grant_type: 'refresh_token',
          refresh_token: token,
          client_id: begun.clientId,
          resource: 'https://elsewhere.example',
        }),
      ),
    ).to.equal('invalid_target');
    expect(
      keep(
        pairOf(
          await postForm(`${world().url}/oauth/token`, {
            grant_type: 'refresh_token',
            refresh_token: token,
            client_id: begun.clientId,
            scope: 'everything',
            resource: world().resource,
          }),
        ),
      ),
    ).to.have.keys('access', 'refresh');
  });

  it('4.14.2: a new password and signing out everywhere end every family of the user', async () => {
    const user = await world().storage.stores.users.findUser({
      name: world().people.member.name,
    });
    const pair = keep(await obtainPair(world(), world().people.member));
    await world().auth.endSessions(user?.id ?? '');
    expect([
      await isLive(world(), pair.access),
      error(await refresh(world(), pair.begun.clientId, pair.refresh)),
    ]).to.deep.equal([false, 'invalid_grant']);
  });

  it('4.16: the consent page is shown in no frame and runs no script', async () => {
    const begun = await begin(world());
    const page = await (
      await home()
    ).get(`/oauth/consent?${new URLSearchParams(parameters(world(), begun)).toString()}`);
    expect([
      page.headers.get('x-frame-options'),
      page.headers.get('content-security-policy'),
    ]).to.deep.equal([
      'DENY',
      "default-src 'none'; style-src 'self'; img-src data:; form-action 'self' https: http://127.0.0.1:* http://localhost:*; frame-ancestors 'none'; base-uri 'none'",
    ]);
    expect(page.text).to.not.match(/<script|\son\w+=|javascript:/i);
  });

  it("4.16: a client's name and state are text on that page, whatever they hold", async () => {
    const clientId = await register(world().url, { client_name: '<script>alert(1)</script>"\'&' });
    const begun = await begin(world(), { clientId, state: '"><img src=x onerror=alert(1)>' });
    const page = await (
      await home()
    ).get(`/oauth/consent?${new URLSearchParams(parameters(world(), begun)).toString()}`);
    expect(page.text).to.include('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
    expect(page.text).to.not.match(/<script|<img/);
    expect(fieldsOf(page, '/oauth/consent')['state']).to.equal(begun.state);
  });

  it('4.9.3: what is secret is kept nowhere as it is: not in the database, and not in the log', async () => {
    secrets.delete('');
    secrets.delete('none');
    expect(secrets.size).to.be.greaterThan(30);
    const [dump, log] = [await world().dump(), world().server.output()];
    const control = [...secrets].find((one) => dump.includes(hashOf(one)));

    expect(control, 'hashes are there').to.not.equal(undefined);
    expect(log).to.include('/oauth/token');
    for (const secret of secrets)
      expect([dump.includes(secret), log.includes(secret)]).to.deep.equal([false, false]);
  });
});
