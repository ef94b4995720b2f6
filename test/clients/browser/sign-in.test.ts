import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { holds } from './becomes.js';
import { startServer, type StartedServer } from '#test/clients/server';
import {
  axeFaults,
  looksAsKept,
  openBrowser,
  overflows,
  type Look,
  type OpenedPage,
  type TestBrowser,
} from './browser.js';

const password = 'velvet-Harbor-91-quill';
const looks: readonly (readonly [string, Look])[] = [
  ['light', {}],
  ['dark', { dark: true }],
  ['phone', { width: 390 }],
  ['dark-phone', { width: 390, dark: true }],
];

describe('sign-in in a browser', () => {
  let server: StartedServer;
  let browser: TestBrowser;
  before('start a server and a browser', async function () {
    this.timeout(60_000);
    const found = await openBrowser();
    if ('missing' in found) return pendingUnlessAll(this, found.missing);
    browser = found;
    const started = await startServer({
      storage: 'embedded',
      env: { ORRERY_ADMIN_PASSWORD: password, ORRERY_SIGN_UP: 'on' },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
  });
  after(async () => {
    await browser?.stop();
    await server?.stop();
  });

  const signIn = async ({ page }: OpenedPage, returnTo = '') => {
    await page.goto(
      `${server.url}/login${returnTo === '' ? '' : `?returnTo=${encodeURIComponent(returnTo)}`}`,
    );
    await page.getByLabel('User name or e-mail').fill('admin');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname !== '/login'); // a page that is left before it came is a request that failed
  };
  const at = ({ page }: OpenedPage) => new URL(page.url()).pathname;
  const invite = async (): Promise<string> => {
    const reply = await fetch(`${server.url}/api/auth/invitations`, {
      method: 'POST',
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ workspaceName: server.workspace, email: 'guest@people.example' }),
    });
    return new URL(((await reply.json()) as { readonly link: string }).link).pathname; // the row's reply, without a mail server
  };

  for (const [name, look] of looks) {
    it(`looks as it did: ${name}`, async () => {
      const opened = await browser.open(look);
      await opened.page.goto(`${server.url}/login`);

      expect(await axeFaults(opened.page)).to.deep.equal([]);
      expect(await overflows(opened.page)).to.equal(false);
      await looksAsKept(opened.page, `login-${name}`);
      expect(opened.complaints()).to.deep.equal([]);
      await opened.context.close();
    });

    it(`would be seen to look otherwise without its style or its button: ${name}`, async () => {
      for (const spoil of ['style', 'button']) {
        const { page, context } = await browser.open(look);
        if (spoil === 'style') await page.route('**/*.css', (route) => route.abort());
        await page.goto(`${server.url}/login`);
        if (spoil === 'button')
          await page.locator('button.main').evaluate((button) => {
            (button as unknown as { remove(): void }).remove();
          }); // this runs in the browser

        expect(
          await looksAsKept(page, `login-${name}`).then(
            () => 'alike',
            () => 'otherwise',
          ),
          spoil,
        ).to.equal('otherwise');
        await context.close();
      }
    });

    it(`has nothing that keeps people out, on any page: ${name}`, async () => {
      const opened = await browser.open(look);
      const invitation = await invite();
      for (const path of [
        '/password/forgot',
        '/signup',
        invitation,
        '/invitation/orrery_ot_unknown',
        '/password/reset/orrery_ot_unknown',
        '/login?told=out',
      ]) {
        await opened.page.goto(server.url + path);
        expect(await axeFaults(opened.page), path).to.deep.equal([]);
        expect(await overflows(opened.page), path).to.equal(false);
      }
      await signIn(opened);
      for (const path of ['/account?told=joined', '/logout', invitation]) {
        await opened.page.goto(server.url + path);
        expect(await axeFaults(opened.page), path).to.deep.equal([]);
        expect(await overflows(opened.page), path).to.equal(false);
      }
      expect(opened.complaints().filter((line) => !line.includes('404'))).to.deep.equal([]);
      await opened.context.close();
    });
  }

  it('would be found out where it kept people out', async () => {
    const { page, context } = await browser.open();
    await page.setContent('<html><body><img src="data:,"><input></body></html>');

    expect((await axeFaults(page)).map((line) => line.split(':', 1)[0])).to.include.members([
      'html-has-lang',
      'image-alt',
      'label',
    ]);
    await context.close();
  });

  for (const script of [true, false]) {
    const how = script ? 'with script' : 'without script';

    it(`signs in by the form, and out again, ${how}`, async () => {
      const opened = await browser.open({ script });
      const { page } = opened;

      await signIn(opened);
      await holds(async () =>
        expect([at(opened), await page.title()]).to.deep.equal([
          '/account',
          'Your account · Orrery',
        ]),
      );
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();

      expect(at(opened)).to.equal('/login');
      await holds(async () =>
        expect(await page.getByRole('status').textContent()).to.include('You are signed out'),
      );
      await page.goto(`${server.url}/account`);
      expect(at(opened)).to.equal('/login');
      await opened.context.close();
    });

    it(`says what is wrong beside the form, and keeps the name, ${how}`, async () => {
      const opened = await browser.open({ script });
      const { page } = opened;
      await page.goto(`${server.url}/login`);
      await page.getByLabel('User name or e-mail').fill('admin');
      await page.getByLabel('Password').fill('not the password');
      await page.getByRole('button', { name: 'Sign in' }).click();

      await holds(async () =>
        expect(await page.getByRole('alert').textContent()).to.equal(
          'The name or the password is wrong.',
        ),
      );
      await holds(async () =>
        expect(await page.getByLabel('User name or e-mail').inputValue()).to.equal('admin'),
      );
      await holds(async () => expect(await page.getByLabel('Password').inputValue()).to.equal(''));
      await opened.context.close();
    });

    it(`makes and revokes a key on the account's page, ${how}`, async () => {
      const opened = await browser.open({ script });
      const { page } = opened;
      await signIn(opened);
      const name = `laptop ${how}`;
      await page.getByLabel('Name of a new key').fill(name);
      await page.getByRole('button', { name: 'Make a key' }).click();
      const key = (await page.locator('#api-key').textContent()) ?? '';
      const ask = async () =>
        (
          await fetch(`${server.url}/api/rest/v2/account-details`, {
            headers: { Authorization: key },
          })
        ).status;

      expect(await ask()).to.equal(200);
      await page.getByRole('button', { name: `Revoke the key ${name}` }).click();
      expect(await ask()).to.equal(401);
      expect(await page.content()).not.to.include(key.split('*')[0]);
      await opened.context.close();
    });

    it(`accepts an invitation by making an account, ${how}`, async () => {
      const opened = await browser.open({ script });
      const { page } = opened;
      const guest = script ? 'ines' : 'nora';
      const reply = await fetch(`${server.url}/api/auth/invitations`, {
        method: 'POST',
        headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({ workspaceName: server.workspace, email: `${guest}@people.example` }),
      });
      await page.goto(((await reply.json()) as { readonly link: string }).link); // the row's reply, without a mail server
      await page.getByLabel('User name').fill(guest);
      await page.getByLabel('Password').fill('seven lamps in a boat');
      await page.getByRole('button', { name: 'Make the account and join' }).click();

      await holds(async () =>
        expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(
          `Welcome, ${guest}`,
        ),
      );
      await page.goto(`${server.url}/account`);
      await holds(async () =>
        expect(await page.locator('.lead').textContent()).to.include(
          `logs into ${server.workspace}`,
        ),
      );
      await opened.context.close();
    });
  }

  it('goes on to the page that was asked for, if it is our own', async () => {
    const opened = await browser.open();
    await signIn(opened, '/account?told=joined');
    await holds(() => expect(opened.page.url()).to.equal(`${server.url}/account?told=joined`));
    await opened.context.close();

    for (const foreign of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
    ]) {
      const other = await browser.open();
      await signIn(other, foreign);
      await holds(() => expect(other.page.url(), foreign).to.equal(`${server.url}/account`));
      await other.context.close();
    }
  });

  it('moves through the form by the keyboard, and shows where it is', async () => {
    const opened = await browser.open();
    const { page } = opened;
    await page.goto(`${server.url}/login`);
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('admin');
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Tab');
    expect(
      await page
        .getByRole('button', { name: 'Sign in' })
        .evaluate(
          (button) =>
            (
              globalThis as unknown as { getComputedStyle(of: unknown): { outlineStyle: string } }
            ).getComputedStyle(button).outlineStyle,
        ),
    ).to.equal('solid'); // this runs in the browser
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account');
    await opened.context.close();
  });
});
