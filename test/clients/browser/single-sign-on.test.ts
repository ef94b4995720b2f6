import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { holds } from './becomes.js';
import { startServer, type StartedServer } from '#test/clients/server';
import { findFreePort } from '#test/servers/launch';
import { providerClient, startProvider, type TestProvider } from '#test/servers/oidc';
import { openBrowser, type TestBrowser } from './browser.js';

describe('single sign-on in a browser', () => {
  let server: StartedServer;
  let provider: TestProvider;
  let browser: TestBrowser;
  before('start a server, a provider and a browser', async function () {
    this.timeout(60_000);
    const found = await openBrowser();
    if ('missing' in found) return pendingUnlessAll(this, found.missing);
    browser = found;
    const port = await findFreePort();
    const started = await startServer({
      storage: 'embedded',
      env: {
        ORRERY_AUTH: 'oidc',
        ORRERY_OIDC_ISSUER: `http://127.0.0.1:${port}`,
        ORRERY_OIDC_CLIENT_ID: providerClient.clientId,
        ORRERY_OIDC_CLIENT_SECRET: providerClient.clientSecret,
        ORRERY_OIDC_LABEL: 'Company account',
      },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    provider = await startProvider({
      port,
      returnUrl: `${server.url}/login/oidc/return`,
      afterSignOut: `${server.url}/login`,
    });
  });
  after(async () => {
    await browser?.stop();
    await provider?.stop();
    await server?.stop();
  });

  it('leads to the provider and back, and out again at both', async () => {
    provider.person = { sub: 'ann', name: 'ann', email: 'ann@people.example' };
    const { page, context, complaints } = await browser.open();

    await page.goto(`${server.url}/account`);
    await page.getByRole('link', { name: 'Company account' }).click();
    await page.waitForURL(`${server.url}/account`);
    expect(await page.content()).to.include('ann@people.example');

    await page.goto(`${server.url}/logout`);
    await page.getByRole('button', { name: 'Sign out' }).last().click();
    await page.waitForURL((url) => url.pathname === '/login');
    expect(complaints()).to.deep.equal([]);
    await page.goto(`${server.url}/account`);
    await holds(() => expect(new URL(page.url()).pathname).to.equal('/login'));
    await context.close();
  });
});
