// Signing in at a provider as a browser does it, through the pages of a running server.
import { expect } from 'chai';
import { findFreePort } from '#test/servers/launch';
import { followTo, providerClient, startProvider, type TestProvider } from '#test/servers/oidc';
import { startServer, type StartedServer } from '#test/clients/server';
import { freshName } from './fresh.js';

const cookiesOf = (reply: Response): Readonly<Record<string, string>> =>
  Object.fromEntries(
    reply.headers.getSetCookie().map((cookie) => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      return [name, value];
    }),
  );

describe('single sign-on', () => {
  let server: StartedServer;
  let provider: TestProvider;
  const workspace = freshName('team');
  before(async () => {
    const port = await findFreePort();
    const started = await startServer({
      storage: 'embedded',
      env: {
        ORRERY_AUTH: 'oidc',
        ORRERY_OIDC_ISSUER: `http://127.0.0.1:${port}`,
        ORRERY_OIDC_CLIENT_ID: providerClient.clientId,
        ORRERY_OIDC_CLIENT_SECRET: providerClient.clientSecret,
        ORRERY_OIDC_LABEL: 'Company account',
        ORRERY_LOCAL_ACCOUNTS: 'off',
        ORRERY_OIDC_GROUPS: JSON.stringify([{ group: 'ml', workspace, role: 'member' }]),
      },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    provider = await startProvider({
      port,
      returnUrl: `${server.url}/login/oidc/return`,
      afterSignOut: `${server.url}/login`,
    });
  });
  after(async () => {
    await provider?.stop();
    await server?.stop();
  });

  const get = (path: string, cookie = '') =>
    fetch(path.startsWith('http') ? path : server.url + path, {
      redirect: 'manual',
      headers: { cookie },
    });
  const signIn = async (path = '/login/oidc?returnTo=%2Faccount') => {
    const sent = await get(path);
    const kept = cookiesOf(sent)['orreryReturn'] ?? '';
    const back = await followTo(
      sent.headers.get('location') ?? '',
      `${server.url}/login/oidc/return`,
    );
    return { kept, back, reply: await get(back.href, `orreryReturn=${kept}`) };
  };

  it('is the one way that the page offers where local accounts are switched off', async () => {
    const page = await (await get('/login')).text();

    expect(page)
      .to.include('Company account')
      .and.include('/login/oidc')
      .and.not.include('name="password"');
    const reply = await fetch(`${server.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'admin', password: 'x' }),
    });
    expect(reply.status).to.equal(403);
  });

  it('leaves nothing of passwords where they are switched off, and lets the invited in by the provider', async () => {
    const ask = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const asAdmin = { Authorization: server.apiKey };
    const refused = [
      await ask('/api/auth/password/reset', { name: 'admin' }),
      await ask('/api/auth/password/reset/set', {
        ticket: 'x',
        newPassword: 'seven lamps in a boat',
      }),
      await ask('/api/admin/users/admin/password-link', {}, asAdmin),
      await ask(
        '/api/auth/password',
        { password: 'x', newPassword: 'seven lamps in a boat' },
        asAdmin,
      ),
    ];
    expect(
      await Promise.all(
        refused.map(async (reply) => [
          reply.status,
          ((await reply.json()) as { readonly msg: string }).msg,
        ]),
      ),
    ).to.deep.equal(
      refused.map(() => [403, 'passwords are switched off here; sign in at the provider']),
    ); // the wire's envelope

    const { link } = (await (
      await ask(
        '/api/auth/invitations',
        { workspaceName: server.workspace, email: 'ida@people.example' },
        asAdmin,
      )
    ).json()) as { readonly link: string }; // the row's reply
    const path = new URL(link).pathname;
    expect(await (await get(path)).text())
      .to.include(`/login?returnTo=${encodeURIComponent(path)}`)
      .and.not.include('name="password"');
    expect(
      (
        await ask('/api/auth/invitations/accept', {
          ticket: path.split('/').at(-1),
          userName: freshName('ida'),
          password: 'seven lamps in a boat',
        })
      ).status,
    ).to.equal(403);
    provider.person = { sub: freshName('ida'), name: freshName('ida') };
    const { sessionToken = '' } = cookiesOf(
      (await signIn(`/login/oidc?returnTo=${encodeURIComponent(path)}`)).reply,
    );
    const { csrfToken } = (await (
      await get('/api/auth/session', `sessionToken=${sessionToken}`)
    ).json()) as { readonly csrfToken: string }; // the row's reply
    expect(
      (
        await ask(
          '/api/auth/invitations/accept',
          { ticket: path.split('/').at(-1) },
          { Cookie: `sessionToken=${sessionToken}`, 'X-CSRF-Token': csrfToken },
        )
      ).status,
    ).to.equal(200);
    expect(
      (
        (await (await get('/api/rest/v2/workspaces', `sessionToken=${sessionToken}`)).json()) as {
          readonly workspaceNames: readonly string[];
        }
      ).workspaceNames,
    ).to.include(server.workspace); // the row's reply
  });

  it("brings a browser back signed in, in its groups' workspaces, to where it was", async () => {
    const name = freshName('ann');
    provider.person = { sub: name, name, email: `${name}@example.org`, groups: ['ml'] };

    const { reply } = await signIn();

    const { sessionToken = '', orreryReturn } = cookiesOf(reply);
    expect([reply.status, reply.headers.get('location'), orreryReturn]).to.deep.equal([
      303,
      '/account',
      '',
    ]);
    expect(
      reply.headers.getSetCookie().find((cookie) => cookie.startsWith('sessionToken')),
    ).to.include('HttpOnly');
    const mine = await (
      await get('/api/rest/v2/workspaces', `sessionToken=${sessionToken}`)
    ).json();
    expect(mine).to.deep.equal({ workspaceNames: [workspace] });
    expect(await (await get('/account', `sessionToken=${sessionToken}`)).text()).to.include(name);
  });

  it("returns to the server's own pages only", async () => {
    provider.person = { sub: freshName('bob'), name: freshName('bob') };

    for (const elsewhere of ['https://evil.test/', '//evil.test', '/\\evil.test'])
      expect(
        (await signIn(`/login/oidc?returnTo=${encodeURIComponent(elsewhere)}`)).reply.headers.get(
          'location',
        ),
      ).to.equal('/account');
  });

  it('signs in nobody whose browser did not begin it, and opens no session', async () => {
    provider.person = { sub: freshName('eve'), name: freshName('eve') };
    const { back, kept } = await signIn();

    for (const cookie of ['', 'orreryReturn=forged', `orreryReturn=${kept}`]) {
      const reply = await get(back.href, cookie);
      expect(reply.status).to.equal(401);
      expect(cookiesOf(reply)).to.not.have.property('sessionToken');
    }
  });

  it('signs out here and at the provider', async () => {
    provider.person = { sub: freshName('cleo'), name: freshName('cleo') };
    const { sessionToken = '' } = cookiesOf((await signIn()).reply);
    const page = await (await get('/logout', `sessionToken=${sessionToken}`)).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';

    const reply = await fetch(`${server.url}/logout`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        cookie: `sessionToken=${sessionToken}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ csrf }),
    });

    const [, address = ''] = /^0; url=(.*)$/.exec(reply.headers.get('refresh') ?? '') ?? [];
    expect([reply.status, new URL(address).origin]).to.deep.equal([200, provider.issuer]);
    expect((await get('/api/rest/v2/workspaces', `sessionToken=${sessionToken}`)).status).to.equal(
      401,
    );
  });

  it('ends sessions that the provider reports as over, and nothing on any other notice', async () => {
    const [ann, ben] = [freshName('ann'), freshName('ben')];
    const cookieOf = async (sub: string) => {
      provider.person = { sub, name: sub };
      return `sessionToken=${cookiesOf((await signIn()).reply)['sessionToken'] ?? ''}`;
    };
    const [one, two, other] = [await cookieOf(ann), await cookieOf(ann), await cookieOf(ben)];
    const isIn = async (cookie: string) =>
      (await get('/api/rest/v2/workspaces', cookie)).status === 200;
    const tell = async (token: string, way = 'oidc') =>
      (
        await fetch(`${server.url}/login/${way}/back-channel`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ logout_token: token }),
        })
      ).status;
    const wrong = [
      { sub: ann, nonce: 'x' },
      { sub: ann, events: {} },
      { sub: ann, aud: 'other' },
      { sub: ann, iss: 'https://evil.test' },
      { sub: ann, iat: 1 },
      {},
    ];

    for (const given of wrong)
      expect(await tell(await provider.logoutToken(given)), JSON.stringify(given)).to.equal(400);
    const right = await provider.logoutToken({ sub: ann });
    expect([
      await tell(`${right.slice(0, -4)}AAAA`),
      await tell('x'),
      await tell(right, 'other'),
    ]).to.deep.equal([400, 400, 400]);
    expect([await isIn(one), await isIn(two)]).to.deep.equal([true, true]);
    expect(
      await tell(await provider.logoutToken({ sub: ann, sid: 'a session that is not ours' })),
    ).to.equal(200);
    expect(await isIn(one)).to.equal(true);

    expect(await tell(right)).to.equal(200);

    expect([await isIn(one), await isIn(two), await isIn(other)]).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  it('knows no other provider', async () => {
    expect((await get('/login/other')).status).to.equal(404);
  });
});
