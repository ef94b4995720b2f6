// What a browser or a client written by hand may try, and what it gets: an error as the RFCs have it, and nothing else.
import { expect } from 'chai';
import {
  ask,
  authorizePath,
  begin,
  browse,
  callback,
  consentBody,
  exchange,
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
  works,
  withToken,
  type Page,
} from './browsing.js';

/** An error of RFC 6749, 5.2, and nothing besides. */
const expectError = (page: Page, word: string, status = 400): void => {
  expect([page.status, page.json['error']], page.text).to.deep.equal([status, word]);
  expect(Object.keys(page.json).sort()).to.deep.equal(['error', 'error_description']);
  expect(page.json['error_description']).to.match(/^[\x20-\x21\x23-\x5b\x5d-\x7e]{3,300}$/);
  expect([
    page.headers.get('cache-control'),
    page.headers.get('pragma'),
    page.headers.get('content-type'),
  ]).to.deep.equal(['no-store', 'no-cache', 'application/json']);
};

describe('OAuth refuses', () => {
  const world = openWorld();

  describe('at the authorize endpoint', () => {
    it('an unknown client and an unregistered address without sending anybody anywhere', async () => {
      const begun = await begin(world());
      for (const change of [
        { client_id: 'nobody' },
        { client_id: '01890000-0000-7000-8000-000000000000' },
        { client_id: undefined },
        { client_id: '' },
        { redirect_uri: undefined },
        { redirect_uri: 'https://evil.example/' },
        { redirect_uri: `${callback}#x` },
      ] as const) {
        const page = await ask(world().url + authorizePath(world(), begun, change));
        expect([page.status, page.location], JSON.stringify(change)).to.deep.equal([
          400,
          undefined,
        ]);
        expect(page.json['error']).to.be.oneOf(['invalid_client', 'invalid_request']);
      }
    });

    it("any other fault at the client's own address, with its state and the issuer", async () => {
      const begun = await begin(world());
      for (const [change, error] of [
        [{ response_type: undefined }, 'unsupported_response_type'],
        [{ response_type: 'token' }, 'unsupported_response_type'],
        [{ response_type: 'code token' }, 'unsupported_response_type'],
        [{ code_challenge: undefined }, 'invalid_request'],
        [{ code_challenge: 'short' }, 'invalid_request'],
        [{ code_challenge: 'é'.repeat(43) }, 'invalid_request'],
        [{ code_challenge_method: undefined }, 'invalid_request'],
        [{ code_challenge_method: 'plain' }, 'invalid_request'],
        [{ code_challenge_method: 's256' }, 'invalid_request'],
        [{ resource: undefined }, 'invalid_target'],
        [{ resource: 'https://elsewhere.example' }, 'invalid_target'],
      ] as const) {
        const { status, location } = await ask(world().url + authorizePath(world(), begun, change));
        expect(
          [status, `${location?.origin ?? ''}${location?.pathname ?? ''}`],
          JSON.stringify(change),
        ).to.deep.equal([302, callback]);
        expect([
          location?.searchParams.get('error'),
          location?.searchParams.get('state'),
          location?.searchParams.get('iss'),
          location?.searchParams.get('code'),
        ]).to.deep.equal([error, begun.state, world().url, null]);
      }
      const stateless = await ask(
        world().url + authorizePath(world(), begun, { response_type: 'x', state: undefined }),
      );
      expect(stateless.location?.searchParams.has('state')).to.equal(false);
    });

    it('a parameter that is sent twice, without sending anybody anywhere', async () => {
      const begun = await begin(world());
      for (const name of ['client_id', 'redirect_uri', 'state', 'code_challenge', 'resource']) {
        const page = await ask(`${world().url}${authorizePath(world(), begun)}&${name}=twice`);
        expect([page.status, page.location, page.json['error']], name).to.deep.equal([
          400,
          undefined,
          'invalid_request',
        ]);
      }
    });

    it('every way to bend the address that was registered', async () => {
      const registered = 'https://app.example/callback';
      const clientId = await register(world().url, { redirect_uris: [registered] });
      const begun = await begin(world(), { clientId, redirectUri: registered });
      for (const bent of [
        `${registered}#`,
        `${registered}#fragment`,
        `${registered}/`,
        `${registered}?x=1`,
        `${registered}/..`,
        'https://app.example/callback/../evil',
        'https://app.example/CALLBACK',
        'https://APP.example/callback',
        'HTTPS://app.example/callback',
        'https://app.example:443/callback',
        'https://app.example:8443/callback',
        'https://evil.app.example/callback',
        'https://app.example.evil.example/callback',
        'https://app.example@evil.example/callback',
        'https://user@app.example/callback',
        'https://evil.example\\@app.example/callback',
        'https://app.example\\.evil.example/callback',
        'https:\\\\app.example\\callback',
        'https:///app.example/callback',
        '//app.example/callback',
        '/callback',
        'http://app.example/callback',
        ' https://app.example/callback',
        'https://app.example/callback ',
        'https://app.example/callback%00',
        'https://app.example/%63allback',
        'https://app.example./callback',
        'javascript:alert(1)',
        'data:text/html,x',
        'https://app.example/callback\r\nX-A: b',
        'https://аpp.example/callback',
      ]) {
        const page = await ask(
          world().url + authorizePath(world(), { ...begun, redirectUri: bent }),
        );
        expect([page.status, page.location], bent).to.deep.equal([400, undefined]);
      }
      expect((await ask(world().url + authorizePath(world(), begun))).status).to.equal(302);
    });

    it('every address on this machine but the registered one with another port', async () => {
      for (const [registered, presented, status] of [
        ['http://127.0.0.1/cb', 'http://127.0.0.1:51234/cb', 302],
        ['http://127.0.0.1:8000/cb', 'http://127.0.0.1/cb', 302],
        ['http://[::1]/cb', 'http://[::1]:51234/cb', 302],
        ['http://localhost:3/cb?a=1', 'http://localhost:4/cb?a=1', 302],
        ['http://127.0.0.1/cb', 'http://localhost:51234/cb', 400],
        ['http://127.0.0.1/cb', 'http://[::1]/cb', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.2/cb', 400],
        ['http://127.0.0.1/cb', 'https://127.0.0.1/cb', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.1:1/other', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb?x=1', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb#x', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.1:99999/cb', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.1:1@evil.example/cb', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.1:/cb', 400],
        ['http://127.0.0.1/cb', 'http://127.1/cb', 400],
        ['http://127.0.0.1/cb', 'http://0x7f000001/cb', 400],
        ['http://[::1]/cb', 'http://[0:0:0:0:0:0:0:1]/cb', 400],
        ['http://localhost/cb', 'http://LOCALHOST:1/cb', 400],
        ['http://localhost/cb', 'http://localhost.:1/cb', 400],
        ['http://127.0.0.1/cb', 'http://127.0.0.1:1\\@evil.example/cb', 400],
      ] as const) {
        const clientId = await register(world().url, { redirect_uris: [registered] });
        const page = await ask(
          world().url +
            authorizePath(world(), await begin(world(), { clientId, redirectUri: presented })),
        );
        expect(page.status, `${registered} as ${presented}`).to.equal(status);
      }
    });
  });

  describe('a registration', () => {
    const tryTo = (body: unknown) => postJson(`${world().url}/oauth/register`, body);

    it('with an address that no client may use', async () => {
      for (const uri of [
        'http://app.example/cb',
        'https://app.example/cb#x',
        'https://user:secret@app.example/cb',
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'vbscript:x',
        'myapp:/cb',
        '/relative',
        '',
        ' ',
        'https://',
        'https:///x',
        'http://127.0.0.2/cb',
        'http://localhost.evil.example/cb',
        'https://a.example/\\x',
        'https://a.example/ x',
        'https://é.example/',
        'https://*.example/cb',
        `https://a.example/${'x'.repeat(2048)}`,
        'com.example.app://user@host/cb',
        'http://[::2]/cb',
        5,
        null,
        {},
        ['https://a.example'],
      ])
        expectError(await tryTo({ redirect_uris: [uri] }), 'invalid_redirect_uri');
      for (const redirect_uris of [
        undefined,
        null,
        [],
        'https://a.example/cb',
        {},
        Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`),
        ['https://a.example/cb', 'http://a.example/cb'],
      ])
        expectError(await tryTo({ redirect_uris }), 'invalid_redirect_uri');
    });

    it('that is no JSON, a form, too deep or too large', async () => {
      const large = await tryTo({ client_name: 'x'.repeat(70_000), redirect_uris: [callback] });
      expectError(large, 'invalid_client_metadata');
      for (const body of [
        '{',
        '[]',
        '"x"',
        '5',
        'null',
        `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
      ])
        expect((await tryTo(body)).json['error'], body.slice(0, 20)).to.be.oneOf([
          'invalid_client_metadata',
          'invalid_redirect_uri',
        ]);
      expectError(
        await postForm(`${world().url}/oauth/register`, {
          client_name: 'x',
          redirect_uris: callback,
        }),
        'invalid_client_metadata',
      );
      expectError(
        await tryTo({ redirect_uris: [callback], client_name: { a: 1 } }),
        'invalid_client_metadata',
      );
      expectError(
        await tryTo({ redirect_uris: [callback], software_id: [] }),
        'invalid_client_metadata',
      );
    });

    it('nothing that is merely unusual, and returns what was registered', async () => {
      const made = await tryTo({
        client_name: `Ed\u0007it\u202eor${'x'.repeat(400)}`,
        redirect_uris: ['com.example.app:/cb', 'https://a.example/cb?x=1', 'http://[::1]/cb'],
        logo_uri: 'javascript:alert(1)',
        client_uri: 'https://a.example',
        software_id: '',
        grant_types: ['implicit', 'password'],
        response_types: ['token'],
        token_endpoint_auth_method: 'client_secret_basic',
        scope: 'admin',
        contacts: ['x'],
        jwks: {},
        software_statement: 'x',
      });
      expect([made.status, made.headers.get('cache-control')], made.text).to.deep.equal([
        201,
        'no-store',
      ]);
      const { client_id, client_id_issued_at, client_name, ...rest } = made.json;
      expect(client_id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
      expect(Math.abs(Number(client_id_issued_at) - Date.now() / 1000)).to.be.below(60);
      expect([...String(client_name)].length).to.equal(255);
      expect(client_name).to.match(/^Ed it orx+$/);
      expect(rest).to.deep.equal({
        redirect_uris: ['com.example.app:/cb', 'https://a.example/cb?x=1', 'http://[::1]/cb'],
        client_uri: 'https://a.example',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      });
      const nameless = await tryTo({ redirect_uris: [callback] });
      expect(nameless.json['client_name']).to.equal(nameless.json['client_id']);
    });
  });

  describe('a consent', () => {
    it('without a session or key, and with an access token', async () => {
      const begun = await begin(world());
      const query = new URLSearchParams({
        client_id: begun.clientId,
        redirect_uri: begun.redirectUri,
      }).toString();
      const stranger = browse(world().url);
      expect((await stranger.get(`/oauth/authorize/context?${query}`)).status).to.equal(401);
      expect(
        (await stranger.postJson('/oauth/authorize', parameters(world(), begun))).status,
      ).to.equal(401);
      expect(
        (
          await ask(`${world().url}/oauth/authorize/context?${query}`, {
            headers: { Authorization: 'nobody' },
          })
        ).status,
      ).to.equal(401);
      const { access } = await obtainPair(world(), world().people.home);
      expectError(
        await withToken(world(), `/oauth/authorize/context?${query}`, access),
        'access_denied',
        403,
      );
      expectError(
        await postJson(`${world().url}/oauth/authorize`, parameters(world(), begun), {
          Authorization: `Bearer ${access}`,
        }),
        'access_denied',
        403,
      );
    });

    it('whose token and cookie are not a pair of this user, also with a key', async () => {
      const { people, url } = world();
      const browser = await world().signIn(people.home);
      const begun = await begin(world());
      const body = await consentBody(world(), browser, begun);
      const other = await world().signIn(people.stranger);
      const foreign = await consentBody(world(), other, begun);
      const held = browser.cookies.get('orreryConsent') ?? '';
      expect(held).to.equal(body['csrf']);

      for (const csrf of [
        undefined,
        '',
        'x',
        foreign['csrf'],
        `${body['csrf'] ?? ''}x`,
        (body['csrf'] ?? '').slice(1),
      ])
        expectError(
          await browser.postJson('/oauth/authorize', { ...body, csrf }),
          'access_denied',
          403,
        );
      browser.cookies.delete('orreryConsent');
      expectError(await browser.postJson('/oauth/authorize', body), 'access_denied', 403);
      browser.cookies.set('orreryConsent', foreign['csrf'] ?? '');
      expectError(
        await browser.postJson('/oauth/authorize', { ...body, csrf: foreign['csrf'] }),
        'access_denied',
        403,
      );
      const forged = '9999999999999.x.y';
      browser.cookies.set('orreryConsent', forged);
      expectError(
        await browser.postJson('/oauth/authorize', { ...body, csrf: forged }),
        'access_denied',
        403,
      );
      expectError(
        await postJson(`${url}/oauth/authorize`, body, { Authorization: people.home.apiKey }),
        'access_denied',
        403,
      );
      browser.cookies.set('orreryConsent', held);
      expect((await browser.postJson('/oauth/authorize', body)).status).to.equal(200);
    });

    it("for a workspace that is not the user's, by name or id", async () => {
      const browser = await world().signIn(world().people.home);
      const begun = await begin(world());
      const body = await consentBody(world(), browser, begun);
      const foreign = await world().storage.stores.workspaces.findByName(
        world().people.stranger.workspace,
      );
      const own = await world().storage.stores.workspaces.findByName(world().people.home.workspace);

      for (const change of [
        { workspace_name: world().people.stranger.workspace },
        { workspace_name: 'unknown' },
        { workspace_name: undefined, workspace_id: foreign?.id },
        { workspace_id: foreign?.id },
        { workspace_name: undefined, workspace_id: 'x' },
        { workspace_name: foreign?.name, workspace_id: own?.id },
      ])
        expectError(
          await browser.postJson('/oauth/authorize', { ...body, ...change }),
          'access_denied',
          403,
        );
      expect(
        (
          await browser.postJson('/oauth/authorize', {
            ...body,
            workspace_name: undefined,
            workspace_id: own?.id,
          })
        ).status,
      ).to.equal(200);
    });

    it('with fields that are missing or wrong', async () => {
      const browser = await world().signIn(world().people.home);
      const body = await consentBody(world(), browser, await begin(world()));
      for (const name of ['client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'])
        for (const value of [undefined, '', ' '])
          expectError(
            await browser.postJson('/oauth/authorize', { ...body, [name]: value }),
            'invalid_request',
            422,
          );
      expectError(
        await browser.postJson('/oauth/authorize', { ...body, workspace_name: undefined }),
        'invalid_request',
        422,
      );
      expectError(
        await browser.postJson('/oauth/authorize', { ...body, client_id: 'nobody' }),
        'invalid_client',
      );
      expectError(
        await browser.postJson('/oauth/authorize', {
          ...body,
          redirect_uri: 'https://evil.example/',
        }),
        'invalid_request',
      );
      expectError(
        await browser.postJson('/oauth/authorize', { ...body, code_challenge_method: 'plain' }),
        'invalid_request',
      );
      const target = await browser.postJson('/oauth/authorize', {
        ...body,
        resource: 'https://evil.example',
      });
      expectError(target, 'invalid_target');
      expect(target.text).to.include('invalid_target');
      expectError(
        await browser.postJson('/oauth/authorize', { ...body, state: { a: 1 } }),
        'invalid_request',
      );
      expectError(await browser.postJson('/oauth/authorize', '{'), 'invalid_request');
      expect(
        (await browser.postJson('/oauth/authorize', { ...body, resource: undefined })).status,
      ).to.equal(200);
    });

    it('by a key that is narrowed', async () => {
      const { people, auth, url } = world();
      const user = await world().storage.stores.users.findUser({ name: people.home.name });
      const { apiKey } = await auth.issueKey(user?.id ?? '', {
        scope: { readOnly: true, workspaceId: undefined, projectId: undefined },
      });
      const begun = await begin(world());

      const page = await ask(
        `${url}/oauth/authorize/context?${new URLSearchParams({ client_id: begun.clientId, redirect_uri: begun.redirectUri }).toString()}`,
        { headers: { Authorization: apiKey } },
      );

      expectError(page, 'access_denied', 403);
    });

    it('on its page that was not opened for this session', async () => {
      const browser = await world().signIn(world().people.home);
      const begun = await begin(world());
      const forged = await browser.postForm('/oauth/consent', {
        ...parameters(world(), begun),
        answer: 'allow',
        csrf: 'forged',
      });
      expect([forged.status, forged.location, forged.headers.get('content-type')]).to.deep.equal([
        403,
        undefined,
        'text/html; charset=utf-8',
      ]);
      const gone = await browse(world().url).postForm('/oauth/consent', {
        ...parameters(world(), begun),
        answer: 'allow',
      });
      expect([gone.status, gone.location?.pathname]).to.deep.equal([303, '/login']);
      const bent = await browser.postForm('/oauth/consent', {
        ...parameters(world(), begun),
        redirect_uri: 'https://evil.example/',
        answer: 'allow',
      });
      expect([bent.status, bent.location]).to.deep.equal([400, undefined]);
      expect(
        (await browser.postJson('/oauth/consent', parameters(world(), begun))).status,
      ).to.equal(415);
    });
  });

  describe('at the token endpoint', () => {
    const token = (fields: Record<string, string>) =>
      postForm(`${world().url}/oauth/token`, fields);

    it('parameters that are missing or unknown, in the order of the checks', async () => {
      const clientId = await register(world().url);
      expectError(await token({}), 'invalid_request');
      expectError(await token({ grant_type: ' ' }), 'invalid_request');
      for (const grant_type of [
        'password',
        'client_credentials',
        'implicit',
        '__proto__',
        'constructor',
        'urn:ietf:params:oauth:grant-type:device_code',
      ])
        expectError(
          await token({ grant_type, username: 'a', password: 'b' }),
          'unsupported_grant_type',
        );
      const whole = {
        grant_type: 'authorization_code',
        code: 'c',
        redirect_uri: callback,
        client_id: clientId,
        code_verifier: 'v',
      };
      for (const name of ['code', 'redirect_uri', 'client_id', 'code_verifier'] as const) {
        expectError(await token({ ...whole, [name]: '' }), 'invalid_request');
      }
      expectError(await token({ ...whole, client_id: 'nobody' }), 'invalid_client');
      expectError(await token(whole), 'invalid_grant');
      expectError(
        await token({ grant_type: 'refresh_token', client_id: clientId }),
        'invalid_request',
      );
      expectError(
        await token({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'nobody' }),
        'invalid_client',
      );
      expectError(
        await token({ grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId }),
        'invalid_grant',
      );
    });

    it('a name that is sent twice, another kind of body, and one that is too large', async () => {
      const clientId = await register(world().url);
      expectError(
        await postForm(`${world().url}/oauth/token`, [
          ['grant_type', 'refresh_token'],
          ['grant_type', 'refresh_token'],
          ['refresh_token', 'x'],
          ['client_id', clientId],
        ]),
        'invalid_request',
      );
      expectError(
        await ask(`${world().url}/oauth/token`, {
          method: 'POST',
          headers: { 'Content-Type': 'text/plain' },
          body: 'grant_type=refresh_token',
        }),
        'invalid_request',
      );
      expectError(await ask(`${world().url}/oauth/token`, { method: 'POST' }), 'invalid_request');
      expectError(await token({ grant_type: 'x'.repeat(70_000) }), 'invalid_request');
      expectError(await postJson(`${world().url}/oauth/token`, '{'), 'invalid_request');
      expectError(
        await postJson(`${world().url}/oauth/token`, { grant_type: ['refresh_token'] }),
        'invalid_request',
      );
      expectError(
        await postJson(`${world().url}/oauth/token`, {
          grant_type: 'refresh_token',
          refresh_token: 'x\0',
          client_id: clientId,
        }),
        'invalid_request',
      );
    });

    it('a wrong verifier, a swapped client and another address, each of which invalidates the code', async () => {
      const begun = await begin(world());
      const browser = await world().signIn(world().people.home);
      const other = await register(world().url);
      for (const change of [
        { code_verifier: makePkce().verifier },
        { code_verifier: begun.challenge },
        { code_verifier: `${begun.verifier}x` },
        { code_verifier: 'short' },
        { client_id: other },
        { redirect_uri: 'http://127.0.0.1:10/callback' },
        { redirect_uri: `${callback}/` },
      ] as Record<string, string>[]) {
        const code = await obtainCode(world(), browser, begun);
        expectError(await exchange(world(), begun, code, change), 'invalid_grant');
        expectError(await exchange(world(), begun, code), 'invalid_grant');
      }
      const target = await exchange(world(), begun, await obtainCode(world(), browser, begun), {
        resource: 'https://evil.example',
      });
      expectError(target, 'invalid_target');
    });

    it('a refresh token of another client, and takes nothing from its owner', async () => {
      const { refresh: mine, begun } = await obtainPair(world(), world().people.home);
      expectError(await refresh(world(), await register(world().url), mine), 'invalid_grant');
      expect((await refresh(world(), begun.clientId, mine)).status).to.equal(200);
    });

    it('an access token, a code or a key in the place of a refresh token', async () => {
      const { access, begun } = await obtainPair(world(), world().people.home);
      const code = await obtainCode(world(), await world().signIn(world().people.home), begun);
      for (const wrong of [access, code, world().people.home.apiKey])
        expectError(await refresh(world(), begun.clientId, wrong), 'invalid_grant');
      expect(await isLive(world(), access)).to.equal(true);
    });

    it('a client that was switched off, with all it holds', async () => {
      const { access, refresh: token, begun } = await obtainPair(world(), world().people.home);
      await world().storage.stores.oauth.disableClient(begun.clientId, 1);
      expectError(await refresh(world(), begun.clientId, token), 'invalid_client');
      expect(await isLive(world(), access)).to.equal(false);
      expect((await ask(world().url + authorizePath(world(), begun))).status).to.equal(400);
    });
  });

  describe('an access token', () => {
    it('outside of its workspace, and whatever takes a person or an administrator', async () => {
      const { access } = await obtainPair(world(), world().people.home);
      const foreign = { headers: { 'Comet-Workspace': world().people.stranger.workspace } };
      expect(
        (await withToken(world(), '/v1/private/auth/workspace', access, foreign)).status,
      ).to.equal(403);
      expect(
        (
          await withToken(
            world(),
            `/api/rest/v2/projects?workspaceName=${world().people.stranger.workspace}`,
            access,
          )
        ).status,
      ).to.equal(400);
      const admin = await obtainPair(world(), { name: 'admin' });
      expect((await withToken(world(), '/api/admin/settings', admin.access)).status).to.equal(403);
      expect(
        (
          await withToken(world(), '/v1/private/auth/workspace', admin.access, {
            headers: { 'Comet-Workspace': world().people.home.workspace },
          })
        ).status,
      ).to.equal(403);
    });

    it('that is not sent as a header', async () => {
      const { access } = await obtainPair(world(), world().people.home);
      expect(
        (await ask(`${world().url}/v1/private/auth/workspace?apiKey=${access}`)).status,
      ).to.equal(401);
    });

    it('of somebody who was suspended or has left the workspace, and renews neither', async () => {
      const { people, storage } = world();
      const member = await storage.stores.users.findUser({ name: people.member.name });
      const space = await storage.stores.workspaces.findByName(people.home.workspace);
      await storage.stores.users.setDefaultWorkspace(member?.id ?? '', space?.id ?? '');
      const [left, suspended] = [
        await obtainPair(world(), people.member),
        await obtainPair(world(), people.viewer),
      ];
      for (const one of [left, suspended]) expect(await isLive(world(), one.access)).to.equal(true);
      const viewer = await storage.stores.users.findUser({ name: people.viewer.name });
      await storage.stores.users.updateUser(viewer?.id ?? '', { suspendedAt: 1 });
      const where = left.begun;
      for (const workspaceId of (
        await storage.stores.members.findReach(member?.id ?? '')
      ).roles.keys())
        await storage.stores.members.removeRole(workspaceId, member?.id ?? '');

      for (const one of [left, suspended])
        expect(await isLive(world(), one.access)).to.equal(false);
      expectError(await refresh(world(), where.clientId, left.refresh), 'invalid_grant');
      expectError(
        await refresh(world(), suspended.begun.clientId, suspended.refresh),
        'invalid_grant',
      );
    });

    it('after its owner has signed out everywhere or changed the password', async () => {
      const { auth, storage, people } = world();
      const user = await storage.stores.users.findUser({ name: people.stranger.name });
      const out = await obtainPair(world(), people.stranger);
      await auth.endSessions(user?.id ?? '');
      expect([
        await isLive(world(), out.access),
        (await refresh(world(), out.begun.clientId, out.refresh)).status,
      ]).to.deep.equal([false, 400]);
      const changed = await obtainPair(world(), people.stranger);
      await auth.setPassword(user?.id ?? '', 'Quite-9-different-words!');
      expect([
        await isLive(world(), changed.access),
        (await refresh(world(), changed.begun.clientId, changed.refresh)).status,
      ]).to.deep.equal([false, 400]);
    });
  });

  it('nothing at revocation, which answers alike whatever it is sent', async () => {
    const { access, refresh: token, begun } = await obtainPair(world(), world().people.home);
    const other = await register(world().url);
    const revoke = (fields: Record<string, string>) =>
      postForm(`${world().url}/oauth/revoke`, fields);
    const plain = (page: Page) => [page.status, page.text];

    for (const page of [
      await revoke({}),
      await revoke({ token: 'unknown', client_id: begun.clientId }),
      await revoke({ token: access, client_id: other }),
      await revoke({ token, client_id: other }),
      await revoke({ token: 'x'.repeat(70_000), client_id: 'x' }),
      await postForm(`${world().url}/oauth/revoke`, [
        ['token', token],
        ['token', 'x'],
      ]),
      await postJson(`${world().url}/oauth/revoke`, '{'),
      await ask(`${world().url}/oauth/revoke`, { method: 'POST' }),
      await postJson(`${world().url}/oauth/revoke`, { token: {} }),
    ])
      expect(plain(page)).to.deep.equal([200, '']);
    expect(await isLive(world(), access)).to.equal(true);

    expect(
      plain(
        await postJson(`${world().url}/oauth/revoke`, {
          token: access,
          client_id: begun.clientId,
          token_type_hint: 'refresh_token',
        }),
      ),
    ).to.deep.equal([200, '']);
    expect([await isLive(world(), access), await works(world(), access)]).to.deep.equal([
      false,
      false,
    ]);
    const renewed = pairOf(await refresh(world(), begun.clientId, token));
    expect(
      plain(await revoke({ token: renewed.refresh, client_id: begun.clientId })),
    ).to.deep.equal([200, '']);
    expect([
      await isLive(world(), renewed.access),
      (await refresh(world(), begun.clientId, renewed.refresh)).status,
    ]).to.deep.equal([false, 400]);
    expect(
      plain(await revoke({ token: renewed.refresh, client_id: begun.clientId })),
    ).to.deep.equal([200, '']);
  });

  it('another method with those there are, and anything else that is well known', async () => {
    const { url } = world();
    expect((await ask(`${url}/oauth/token`)).status).to.equal(405);
    for (const path of [
      '/.well-known/openid-configuration',
      '/.well-known/jwks.json',
      '/.well-known/oauth-authorization-server/other',
      '/.well-known/x',
      '/oauth/nothing',
    ]) {
      const page = await ask(`${url}${path}`);
      expect(
        [page.status, page.headers.get('content-type'), page.json['code']],
        path,
      ).to.deep.equal([404, 'application/json', 404]);
    }
  });
});
