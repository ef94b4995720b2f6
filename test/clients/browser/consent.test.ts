import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pendingUnlessAll } from '#test/pending';
import { holds } from './becomes.js';
import {
  authorizePath,
  begin,
  exchange,
  pairOf,
  register,
  startWorld,
  works,
  type Begun,
  type OAuthWorld,
} from '#test/api/oauth/browsing';
import {
  axeFaults,
  looksAsKept,
  openBrowser,
  overflows,
  type Look,
  type OpenedPage,
  type TestBrowser,
} from './browser.js';

const looks: readonly (readonly [string, Look])[] = [
  ['light', {}],
  ['dark', { dark: true }],
  ['phone', { width: 390 }],
  ['dark-phone', { width: 390, dark: true }],
];

describe('consent in a browser', () => {
  let world: OAuthWorld;
  let browser: TestBrowser;
  let program: Server;
  let callback: string;
  before('start a server, a browser and a program', async function () {
    this.timeout(60_000);
    const found = await openBrowser();
    if ('missing' in found) return pendingUnlessAll(this, found.missing);
    browser = found;
    // Of its own, for the administrator's sake, whom the page shows.
    const started = await startWorld({ ORRERY_OAUTH: 'on' });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    world = started;
    // A program that waits on this machine for its answer, and sends the browser on to a place of its own once it has it.
    program = createServer((request, reply) => {
      if (request.url?.startsWith('/callback') === true) {
        reply
          .writeHead(302, {
            Location: `http://localhost:${(program.address() as AddressInfo).port}/done${new URL(request.url, 'http://x').search}`,
          })
          .end();
        return;
      } // a TCP server's address has this form
      reply.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>done</title>');
    });
    await new Promise<void>((resolve) => {
      program.listen(0, '127.0.0.1', () => {
        resolve();
      });
    });
    callback = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`; // as above
  });
  after(async () => {
    await browser?.stop();
    program?.close();
    program?.closeAllConnections();
    await world?.stop();
  });

  /** A page of somebody who has signed in, at the consent that a program asks for. */
  const askedIn = async (look: Look, begun: Begun): Promise<OpenedPage> => {
    const opened = await browser.open(look);
    const token = (await world.signIn({ name: 'admin' })).cookies.get('sessionToken') ?? '';
    await opened.context.addCookies([
      { name: 'sessionToken', value: token, url: world.url, httpOnly: true, sameSite: 'Lax' },
    ]);
    await opened.page.goto(world.url + authorizePath(world, begun));
    return opened;
  };
  const asked = async () =>
    begin(world, {
      clientId: await register(world.url, {
        client_name: 'Some Editor',
        redirect_uris: [callback],
      }),
      redirectUri: callback,
    });

  for (const [name, look] of looks) {
    it(`looks as it did: ${name}`, async () => {
      const clientId = await register(world.url, {
        client_name: 'Some Editor',
        redirect_uris: ['https://editor.example/cb'],
      });
      const opened = await askedIn(
        look,
        await begin(world, { clientId, redirectUri: 'https://editor.example/cb' }),
      );

      await holds(() => expect(new URL(opened.page.url()).pathname).to.equal('/oauth/consent'));
      await holds(async () =>
        expect(await opened.page.getByRole('heading', { level: 1 }).textContent()).to.equal(
          'Allow Some Editor?',
        ),
      );
      expect(await axeFaults(opened.page)).to.deep.equal([]);
      expect(await overflows(opened.page)).to.equal(false);
      expect(opened.complaints()).to.deep.equal([]);
      await looksAsKept(opened.page, `consent-${name}`);
    });
  }

  for (const script of [true, false]) {
    it(`brings the program its code, wherever it leads the browser then, ${script ? 'with' : 'without'} script`, async () => {
      const begun = await asked();
      const { page, complaints } = await askedIn({ script }, begun);

      await page.getByLabel('Workspace').selectOption({ label: world.server.workspace });
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(/\/done/);

      const back = new URL(page.url()).searchParams;
      expect([back.get('state'), back.get('iss'), complaints()]).to.deep.equal([
        begun.state,
        world.url,
        [],
      ]);
      expect(
        await works(world, pairOf(await exchange(world, begun, back.get('code') ?? '')).access),
      ).to.equal(true);
    });
  }

  it('tells the program when it is not allowed', async () => {
    const { page } = await askedIn({}, await asked());

    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(/\/done/);

    const back = new URL(page.url()).searchParams;
    expect([back.get('error'), back.get('code')]).to.deep.equal(['access_denied', null]);
  });

  it('can be answered with the keyboard alone', async () => {
    const { page } = await askedIn({}, await asked());

    await page.getByLabel('Workspace').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/done/);

    await holds(() => expect(new URL(page.url()).searchParams.get('code')).to.match(/^[\w-]{43}$/));
  });

  it('leads who is not signed in over the sign-in page and back', async () => {
    const { page } = await browser.open();
    await page.goto(world.url + authorizePath(world, await asked()));
    const at = new URL(page.url());

    expect([
      at.pathname,
      at.searchParams.get('returnTo')?.startsWith('/oauth/authorize?'),
    ]).to.deep.equal(['/login', true]);
    await page.getByLabel('User name or e-mail').fill(world.people.home.name);
    await page.getByLabel('Password').fill(world.people.home.password ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/oauth\/consent/);
    await holds(async () =>
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(
        'Allow Some Editor?',
      ),
    );
  });
});
