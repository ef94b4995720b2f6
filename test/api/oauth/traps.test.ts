// The traps of the contract, each by its number, and the switch.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { loadSettings } from '#config/load';
import { startServer } from '#test/clients/server';
import { freshId } from '#test/contract/storage/builders';
import {
  ask,
  authorizePath,
  begin,
  browse,
  callback,
  exchange,
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
  startWorld,
  works,
  type OAuthWorld,
} from './browsing.js';

/** Does something with a server of its own, whose time passes as `pass` says and by itself. */
const withWorld = async (
  env: Readonly<Record<string, string>>,
  work: (world: OAuthWorld, pass: (ms: number) => void) => Promise<void>,
): Promise<void> => {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const started = await startWorld(env, { clock: { now } });
  if ('missing' in started) throw new Error(started.missing);
  try {
    await work(started, (ms) => {
      ahead += ms;
    });
  } finally {
    await started.stop();
  }
};

describe('OAuth keeps out of trap', () => {
  const world = openWorld();

  it('T1: authorize answers 302, and faults of client or address never redirect', async () => {
    const begun = await begin(world());
    const browser = await world().signIn(world().people.home);
    for (const root of ['', '/api']) {
      const on = await browser.get(root + authorizePath(world(), begun));
      expect([on.status, on.location?.origin, on.location?.pathname], root).to.deep.equal([
        302,
        world().url,
        '/oauth/consent',
      ]);
      expect(Object.fromEntries(on.location?.searchParams ?? [])).to.deep.equal(
        parameters(world(), begun),
      );
    }
    const wrong = await browser.get(
      authorizePath(world(), begun, { redirect_uri: 'https://evil.example/' }),
    );
    expect([wrong.status, wrong.location]).to.deep.equal([400, undefined]);
  });

  it('T2: token and revocation take forms (and JSON), consent and registration JSON', async () => {
    const begun = await begin(world());
    const browser = await world().signIn(world().people.home);
    const fields = {
      grant_type: 'authorization_code',
      redirect_uri: begun.redirectUri,
      client_id: begun.clientId,
      code_verifier: begun.verifier,
    };
    const first = await postForm(`${world().url}/oauth/token`, {
      ...fields,
      code: await obtainCode(world(), browser, begun),
    });
    const second = await postJson(`${world().url}/api/oauth/token`, {
      ...fields,
      code: await obtainCode(world(), browser, begun),
    });
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(
      (await browser.postForm('/oauth/authorize', parameters(world(), begun))).status,
    ).to.equal(400);
  });

  it('T3: neither refresh tokens nor keys are valid at introspection, whose 401 has no body', async () => {
    const { access, refresh: other } = await obtainPair(world(), world().people.home);
    for (const path of [
      '/svc/auth-oauth',
      '/opik/auth-oauth',
      '/api/svc/auth-oauth',
      '/api/opik/auth-oauth',
    ]) {
      for (const header of [
        undefined,
        '',
        access,
        `Basic ${access}`,
        `Bearer ${other}`,
        `Bearer ${world().people.home.apiKey}`,
        'Bearer orrery_at_unknown',
        'Bearer',
        `Bearer ${access} x`,
      ]) {
        const page = await ask(world().url + path, {
          method: 'POST',
          ...(header === undefined ? {} : { headers: { Authorization: header } }),
        });
        expect(
          [page.status, page.text, page.headers.get('www-authenticate')],
          String(header),
        ).to.deep.equal([401, '', 'Bearer']);
      }
      const page = await ask(world().url + path, {
        method: 'POST',
        headers: { Authorization: `bearer ${access}`, 'Content-Type': 'application/json' },
        body: 'not read {',
      });
      const { expires_at, workspace_id, ...rest } = page.json;
      expect([page.status, rest]).to.deep.equal([
        200,
        {
          user_name: world().people.home.name,
          workspace_name: world().people.home.workspace,
          resource: world().resource,
        },
      ]);
      expect(new Date(String(expires_at)).toISOString()).to.equal(expires_at);
      expect(workspace_id).to.equal(
        (await world().storage.stores.workspaces.findByName(world().people.home.workspace))?.id,
      );
    }
  });

  it('T4: a wrong verifier invalidates a code, in a commit of its own', async () => {
    const begun = await begin(world());
    const code = await obtainCode(world(), await world().signIn(world().people.home), begun);
    expect(
      (await exchange(world(), begun, code, { code_verifier: makePkce().verifier })).json['error'],
    ).to.equal('invalid_grant');
    expect((await exchange(world(), begun, code)).json['error']).to.equal('invalid_grant');
  });

  it('T4: many concurrent exchanges of one code yield at most one pair, which is valid only if the code was used once', async () => {
    const begun = await begin(world());
    const code = await obtainCode(world(), await world().signIn(world().people.home), begun);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => exchange(world(), begun, code)),
    );
    const pairs = replies.filter(({ status }) => status === 200).map(pairOf);
    expect(pairs.length).to.be.at.most(1);
    for (const { access, refresh: token } of pairs) {
      expect(await isLive(world(), access)).to.equal(false);
      expect((await refresh(world(), begun.clientId, token)).status).to.equal(400);
    }
  });

  it('T5: a family that has ended stays ended after the refusal', async () => {
    const { refresh: first, access, begun } = await obtainPair(world(), world().people.home);
    const { refresh: second } = pairOf(await refresh(world(), begun.clientId, first));
    for (let retry = 0; retry < 3; retry++) pairOf(await refresh(world(), begun.clientId, first));
    expect((await refresh(world(), begun.clientId, first)).json['error']).to.equal('invalid_grant');
    expect([
      (await refresh(world(), begun.clientId, second)).status,
      await isLive(world(), access),
    ]).to.deep.equal([400, false]);
    expect(await world().dump()).to.include('"REUSE"');
  });

  it('T6: parallel refreshes of one client all succeed, and their tokens go on', async () => {
    const { refresh: first, begun } = await obtainPair(world(), world().people.home);
    const pairs = (
      await Promise.all(Array.from({ length: 4 }, () => refresh(world(), begun.clientId, first)))
    ).map(pairOf);
    for (const { access, refresh: token } of pairs) {
      expect(await isLive(world(), access)).to.equal(true);
      expect((await refresh(world(), begun.clientId, token)).status).to.equal(200);
    }
  });

  it('T7: the CSRF cookie is Secure on https only', async () => {
    const cookieOf = async (of: OAuthWorld): Promise<string> => {
      const begun = await begin(of);
      const page = await (
        await of.signIn(of.people.home)
      ).get(
        `/oauth/authorize/context?${new URLSearchParams({ client_id: begun.clientId, redirect_uri: callback }).toString()}`,
      );
      return page.headers.getSetCookie().find((line) => line.startsWith('orreryConsent=')) ?? '';
    };
    expect(await cookieOf(world())).to.match(
      /^orreryConsent=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    await withWorld({ ORRERY_BASE_URL: 'https://orrery.example' }, async (secure) => {
      expect(await cookieOf(secure)).to.match(/; HttpOnly; Secure; SameSite=Lax$/);
      expect(
        (await ask(`${secure.url}/.well-known/oauth-authorization-server`)).json['issuer'],
      ).to.equal('https://orrery.example');
      expect(
        (
          await ask(
            secure.url +
              authorizePath(
                { ...secure, resource: 'https://orrery.example/api/v1/mcp' },
                await begin(secure),
              ),
          )
        ).location?.href,
      ).to.match(/^https:\/\/orrery\.example\/login\?returnTo=%2Foauth%2Fauthorize%3F/);
    });
  });

  it('T8: the metadata are served at the path-suffixed address too, for every origin', async () => {
    const whole = await ask(`${world().url}/.well-known/oauth-authorization-server`, {
      headers: { Origin: 'https://app.example' },
    });
    expect([
      whole.status,
      whole.headers.get('content-type'),
      whole.headers.get('access-control-allow-origin'),
      whole.headers.get('cache-control'),
    ]).to.deep.equal([200, 'application/json', '*', 'public, max-age=3600']);
    expect(whole.json).to.deep.equal({
      issuer: world().url,
      authorization_endpoint: `${world().url}/oauth/authorize`,
      token_endpoint: `${world().url}/oauth/token`,
      registration_endpoint: `${world().url}/oauth/register`,
      revocation_endpoint: `${world().url}/oauth/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    });
    for (const path of [
      '/.well-known/oauth-authorization-server/api',
      '/api/.well-known/oauth-authorization-server',
    ])
      expect((await ask(world().url + path)).text).to.equal(whole.text);
  });

  it('T9: registrations are counted by the right-most forwarded hop, and only behind a trusted proxy', async () => {
    const from = async (of: OAuthWorld, forwarded: string) =>
      (
        await postJson(
          `${of.url}/oauth/register`,
          { redirect_uris: [callback] },
          { 'X-Forwarded-For': forwarded },
        )
      ).status;
    const few = { ORRERY_OAUTH_REGISTRATIONS_PER_MINUTE: '2' };
    await withWorld(
      { ...few, ORRERY_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' },
      async (behind, pass) => {
        pass(60_000 - (Date.now() % 60_000)); // to the start of a minute, which the limit counts by
        expect([
          await from(behind, '203.0.113.1, 198.51.100.7'),
          await from(behind, '203.0.113.2, 198.51.100.7, 10.1.1.1'),
          await from(behind, '203.0.113.3, 198.51.100.7'),
        ]).to.deep.equal([201, 201, 429]);
        expect(await from(behind, '198.51.100.7, 203.0.113.9')).to.equal(201);
        expect([
          await from(behind, '2001:db8::1'),
          await from(behind, '2001:db8:0:0:ffff::2'),
          await from(behind, '2001:0db8::3'),
          await from(behind, '2001:db8:0:1::1'),
        ]).to.deep.equal([201, 201, 429, 201]);
        const refused = await postJson(
          `${behind.url}/oauth/register`,
          { redirect_uris: [callback] },
          { 'X-Forwarded-For': '198.51.100.7', Origin: 'https://app.example' },
        );
        expect([
          refused.status,
          refused.json['error'],
          refused.headers.get('access-control-allow-origin'),
        ]).to.deep.equal([429, 'temporarily_unavailable', '*']);
        expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
      },
    );
    await withWorld(few, async (bare, pass) => {
      pass(60_000 - (Date.now() % 60_000));
      expect([
        await from(bare, '203.0.113.1'),
        await from(bare, '203.0.113.2'),
        await from(bare, '203.0.113.3'),
      ]).to.deep.equal([201, 201, 429]);
    });
  });
});

describe('the lives of OAuth', () => {
  it('are those of the settings', async () => {
    await withWorld(
      {
        ORRERY_OAUTH_CODE_SECONDS: '1',
        ORRERY_OAUTH_ACCESS_SECONDS: '2',
        ORRERY_OAUTH_REFRESH_SECONDS: '3',
        ORRERY_OAUTH_FAMILY_SECONDS: '5',
        ORRERY_OAUTH_GRACE_SECONDS: '0',
        ORRERY_OAUTH_RESOURCE: 'urn:example:orrery',
      },
      async (given, pass) => {
        const short = { ...given, resource: 'urn:example:orrery' };
        const begun = await begin(short);
        const browser = await short.signIn(short.people.home);
        const late = await obtainCode(short, browser, begun);
        pass(1100);
        expect((await exchange(short, begun, late)).json['error']).to.equal('invalid_grant');

        const reply = await exchange(short, begun, await obtainCode(short, browser, begun));
        expect(reply.json['expires_in']).to.equal(2);
        const first = pairOf(reply);
        pass(2100);
        expect([await isLive(short, first.access), await works(short, first.access)]).to.deep.equal(
          [false, false],
        );
        const second = pairOf(await refresh(short, begun.clientId, first.refresh));
        pass(2100);
        const third = await refresh(short, begun.clientId, second.refresh);
        expect([third.status, Number(third.json['expires_in']) <= 1], third.text).to.deep.equal([
          200,
          true,
        ]);
        pass(1000);
        expect(
          (await refresh(short, begun.clientId, pairOf(third).refresh)).json['error'],
        ).to.equal('invalid_grant');

        // Without a grace the first retry is taken for a theft.
        const again = await obtainPair(short, short.people.home);
        const next = pairOf(await refresh(short, again.begun.clientId, again.refresh));
        expect((await refresh(short, again.begun.clientId, again.refresh)).status).to.equal(400);
        expect((await refresh(short, again.begun.clientId, next.refresh)).status).to.equal(400);
      },
    );
  });
});

describe('the switch of OAuth', () => {
  const paths = [
    '/oauth/authorize',
    '/oauth/authorize/context',
    '/oauth/consent',
    '/oauth/register',
    '/oauth/token',
    '/oauth/revoke',
    '/svc/auth-oauth',
    '/opik/auth-oauth',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/api',
    '/api/oauth/token',
    '/api/.well-known/oauth-authorization-server',
  ];

  /** A token that somebody was given in another life of the server. */
  const plant = async ({ storage, people }: OAuthWorld): Promise<string> => {
    const [token, { stores }] = [`orrery_at_${randomBytes(32).toString('base64url')}`, storage];
    const [user, workspace] = [
      await stores.users.findUser({ name: people.home.name }),
      await stores.workspaces.findByName(people.home.workspace),
    ];
    const [clientId, id, now] = [freshId(), freshId(), Date.now()];
    const [createdAt, expiresAt, ended] = [
      now,
      now + 600_000,
      { revokedAt: undefined, reason: undefined },
    ];
    await stores.oauth.insertClient({
      id: clientId,
      name: 'x',
      redirectUris: [callback],
      logoUri: undefined,
      clientUri: undefined,
      softwareId: undefined,
      softwareVersion: undefined,
      createdAt,
      disabledAt: undefined,
    });
    await stores.oauth.insertCode({
      id: freshId(),
      hash: hashOf(id),
      clientId,
      userId: user?.id ?? '',
      workspaceId: workspace?.id ?? '',
      workspaceName: 'w',
      challenge: 'c',
      redirectUri: 'x',
      resource: 'x',
      createdAt,
      expiresAt,
    });
    await stores.oauth.insertFamily(
      {
        id,
        clientId,
        userId: user?.id ?? '',
        workspaceId: workspace?.id ?? '',
        resource: 'x',
        createdAt,
        usedAt: createdAt,
        expiresAt,
        codeHash: hashOf(id),
        ...ended,
      },
      [
        {
          id: freshId(),
          familyId: id,
          kind: 'access',
          hash: hashOf(token),
          rotatedFrom: undefined,
          pairs: 0,
          createdAt,
          expiresAt,
          ...ended,
        },
      ],
    );
    return token;
  };

  it('leaves nothing there when it is off, and takes no token that was given before', async () => {
    await withWorld({ ORRERY_BASE_URL: '' }, async (world) => {
      expect(await register(world.url)).to.match(/^[0-9a-f-]{36}$/);
      expect(await works(world, await plant(world))).to.equal(true);
    });
    await withWorld({ ORRERY_OAUTH: 'off' }, async (world) => {
      for (const path of paths)
        for (const method of ['GET', 'POST']) {
          const page = await ask(world.url + path, { method });
          expect(
            [page.status, page.headers.get('content-type'), page.headers.get('allow')],
            `${method} ${path}`,
          ).to.deep.equal([404, 'application/json', null]);
        }
      expect(await works(world, await plant(world))).to.equal(false);
    });
  });

  it('turns itself off on plain http beyond this machine, with one warning, and cannot be switched on there', async () => {
    const off = loadSettings({ ORRERY_BASE_URL: 'http://orrery.example' });
    expect([off.values.ORRERY_OAUTH, off.warnings]).to.deep.equal([
      'off',
      ['OAuth is off, since the base URL http://orrery.example is plain http beyond this machine'],
    ]);
    expect(loadSettings({ ORRERY_HOST: '192.0.2.1' }).values.ORRERY_OAUTH).to.equal('off');
    expect(() =>
      loadSettings({ ORRERY_BASE_URL: 'http://orrery.example', ORRERY_OAUTH: 'on' }),
    ).to.throw(
      'ORRERY_OAUTH is on, but the base URL http://orrery.example is plain http beyond this machine; set ORRERY_BASE_URL to an https address',
    );
    for (const env of [
      {},
      { ORRERY_HOST: '::1' },
      { ORRERY_HOST: '0.0.0.0' },
      { ORRERY_BASE_URL: 'http://127.0.0.1:1' },
      { ORRERY_BASE_URL: 'http://[::1]:1' },
      { ORRERY_BASE_URL: 'http://localhost' },
      { ORRERY_BASE_URL: 'https://orrery.example', ORRERY_HOST: '0.0.0.0' },
    ])
      expect(
        [
          loadSettings({ ...env, ORRERY_OAUTH: 'on' }).values.ORRERY_OAUTH,
          loadSettings(env).warnings,
        ],
        JSON.stringify(env),
      ).to.deep.equal(['on', []]);
    expect(
      loadSettings({ ORRERY_BASE_URL: 'http://orrery.example', ORRERY_OAUTH: 'off' }).warnings,
    ).to.deep.equal([]);
    expect(() => loadSettings({ ORRERY_OAUTH_RESOURCE: 'nothing' })).to.throw(
      'ORRERY_OAUTH_RESOURCE must be an absolute URI without a fragment',
    );

    const refused = await startServer({
      storage: 'embedded',
      env: { ORRERY_BASE_URL: 'http://orrery.example', ORRERY_OAUTH: 'on' },
    }).then(
      () => 'started',
      (thrown: unknown) => String(thrown),
    );
    expect(refused).to.include(
      'ORRERY_OAUTH is on, but the base URL http://orrery.example is plain http',
    );
    await withWorld({ ORRERY_BASE_URL: 'http://orrery.example' }, async (world) => {
      expect(world.server.output().split('OAuth is off, since').length).to.equal(2);
      expect(
        (await browse(world.url).get('/.well-known/oauth-authorization-server')).status,
      ).to.equal(404);
    });
  });
});
