// A server that a proxy has below a path of its host, and the proxy takes the path off: no page may ask for, or lead to, anything beside it.
import { createServer, request, type Server } from 'node:http';
import { expect } from 'chai';
import { findFreePort } from '#test/servers/launch';
import { axeFaults, openBrowser, type OpenedPage, type TestBrowser } from './browser.js';
import { holds } from './becomes.js';
import { openScreens, password, type Screens } from './signed-in.js';

const base = '/ml/orrery';

interface Proxy {
  readonly url: string;
  /** What it was asked for that is not the server's. */
  readonly beside: readonly string[];
  stop(): Promise<void>;
}

const startProxy = async (port: number, to: () => string): Promise<Proxy> => {
  const beside: string[] = [];
  const server: Server = createServer((asked, reply) => {
    const path = asked.url ?? '';
    if (path !== base && !path.startsWith(`${base}/`)) {
      beside.push(path);
      reply.writeHead(404).end();
      return;
    }
    const { hostname, port: behind } = new URL(to());
    const options = { method: asked.method, headers: asked.headers, setHost: false };
    const passed = request(
      { ...options, hostname, port: behind, path: path.slice(base.length) || '/' },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(reply);
      },
    );
    passed.on('error', () => reply.destroy());
    reply.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    beside,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
};

describe('the web UI below a path of the host', () => {
  let screens: Screens;
  let browser: TestBrowser;
  let proxy: Proxy;
  let opened: OpenedPage;
  before('start a server, a proxy before it and a browser', async function () {
    const port = await findFreePort();
    screens = await openScreens(this, {
      count: 2,
      env: { ORRERY_BASE_URL: `http://127.0.0.1:${port}${base}` },
    });
    proxy = await startProxy(port, () => screens.server.url);
    const found = await openBrowser();
    if ('missing' in found) throw new Error(found.missing); // the screens have one
    browser = found;
    opened = await browser.open();
  });
  after(async () => {
    await browser?.stop();
    await proxy?.stop();
    await screens?.stop();
  });

  const at = (path: string): string => `${proxy.url}${base}${path}`;
  const inWorkspace = (path: string): string => at(`/w/${screens.server.workspace}${path}`);
  /** Addresses of this host that the page names and that are not below the path. */
  const strays = (): Promise<readonly string[]> =>
    opened.page.evaluate(
      ([below]) => {
        interface Named {
          getAttribute(name: string): string | null;
        }
        const { document } = globalThis as unknown as {
          document: { querySelectorAll(of: string): Iterable<Named> };
        }; // this runs in the browser
        return [...document.querySelectorAll('[href], [src], [action]')].flatMap((one) =>
          ['href', 'src', 'action'].flatMap((name) => {
            const address = one.getAttribute(name) ?? '';
            return address.startsWith('/') && !address.startsWith(`${below}/`) ? [address] : [];
          }),
        );
      },
      [base],
    );
  const expectOwn = async (path: string): Promise<void> => {
    await opened.page.waitForLoadState('networkidle');
    expect([path, await strays()]).to.deep.equal([path, []]);
    expect([path, proxy.beside]).to.deep.equal([path, []]);
    expect(new URL(opened.page.url()).pathname).to.match(/^\/ml\/orrery\//);
  };

  it('leads by its pages without script to sign-in, and to what was asked for', async () => {
    const { page } = opened;
    await page.goto(at('/'));
    await expectOwn('/');
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectOwn('/login');
    await page.goto(inWorkspace('/p/vision/runs'));
    await page.getByLabel('User name or e-mail').fill('admin');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.row[data-key]').first().waitFor();
    expect(page.url()).to.equal(inWorkspace('/p/vision/runs'));
    await page.locator('.panel canvas').first().waitFor();
    await expectOwn('/p/vision/runs');
  });

  it('goes from page to page below it, and back', async () => {
    const { page } = opened;
    const [run] = screens.runs;
    await page
      .locator(`.row[data-key="${run?.key ?? ''}"] a`)
      .first()
      .click();
    await page.getByRole('navigation', { name: 'Parts of the run' }).waitFor();
    expect(page.url()).to.equal(inWorkspace(`/p/vision/run/${run?.key ?? ''}`));
    await page.reload();
    await page.getByRole('navigation', { name: 'Parts of the run' }).waitFor();
    await expectOwn('run');
    await page.goBack();
    await page.locator('.row[data-key]').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('home');
    await page.getByRole('option', { name: /home/ }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(at('/w'));
    await expectOwn('/w');
  });

  it('has every list and the settings below it', async () => {
    const { page } = opened;
    for (const path of [
      ...['', '/models', '/artifacts', '/datasets', '/experiments', '/prompts', '/queues'],
      ...['/alerts', '/boards', '/sql', '/playground', '/members', '/notifications'],
      ...['/x/monitoring/models', '/p/vision/traces', '/p/vision/threads', '/p/vision/about'],
    ]) {
      await page.goto(inWorkspace(path));
      await page.getByRole('heading').first().waitFor();
      await expectOwn(path);
    }
    for (const path of ['/settings/account', '/settings/usage', '/settings/upkeep']) {
      await page.goto(at(path));
      await page.getByRole('heading').first().waitFor();
      await expectOwn(path);
    }
    expect(await axeFaults(page)).to.deep.equal([]);
  }).timeout(90_000);

  it('tells clients the addresses below it, and signs out there', async () => {
    const { page } = opened;
    const [run] = screens.runs;
    const { link } = await screens.ask('POST', '/api/rest/v2/write/experiment/create', {
      workspaceName: screens.server.workspace,
      projectName: 'vision',
    });
    expect(String(link)).to.match(new RegExp(`^${proxy.url}${base}/`));
    await page.goto(at(`/experiment/${run?.key ?? ''}`));
    await page.getByRole('navigation', { name: 'Parts of the run' }).waitFor();
    await page.goto(at('/settings/account'));
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await holds(() => expect(page.url()).to.match(/\/ml\/orrery\/login/));
    await expectOwn('/login');
  });
});
