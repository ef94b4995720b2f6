import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { holds } from './becomes.js';
import { startServer, type StartedServer } from '#test/clients/server';
import { axeFaults, openBrowser, overflows, type OpenedPage, type TestBrowser } from './browser.js';
import { logDemo, type DemoRun } from './demo.js';
import { storageNow } from './signed-in.js';

const password = 'velvet-Harbor-91-quill';
const script = '<img src=x onerror="document.title=1">';

describe('the web UI in a browser', () => {
  let server: StartedServer;
  let browser: TestBrowser;
  let opened: OpenedPage;
  let runs: readonly DemoRun[];
  before('start a server and a browser, and log some runs', async function () {
    this.timeout(90_000);
    const found = await openBrowser();
    if ('missing' in found) return pendingUnlessAll(this, found.missing);
    browser = found;
    const started = await startServer({
      storage: storageNow(),
      env: { ORRERY_ADMIN_PASSWORD: password, ORRERY_CHECK_REPLIES: '1' },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    runs = await logDemo(server, { project: 'vision', count: 30, steps: 40, now: Date.now() });
    await post('/api/rest/v2/write/experiment/create', {
      workspaceName: server.workspace,
      projectName: 'vision',
      experimentName: script,
    });
    await post('/api/rest/v2/write/experiment/output', {
      experimentKey: runs[0]?.key,
      outputLines: [{ output: 'epoch 1\n' }, { output: 'epoch 2\n' }],
    });
    opened = await signIn(1280, false);
  });
  after(async () => {
    await browser?.stop();
    await server?.stop();
  });

  const post = async (path: string, body: unknown): Promise<void> => {
    const reply = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: server.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([path, reply.status]).to.deep.equal([path, 200]);
  };
  const root = () => `${server.url}/w/${server.workspace}`;
  const table = () => `${root()}/p/vision/runs`;
  const rowNames = () => opened.page.locator('.row[data-key]:not([hidden]) a').allTextContents();
  const signIn = async (width: number, dark: boolean): Promise<OpenedPage> => {
    const one = await browser.open({ width, dark });
    await one.page.goto(table());
    await one.page.getByLabel('User name or e-mail').fill('admin');
    await one.page.getByLabel('Password').fill(password);
    await one.page.getByRole('button', { name: 'Sign in' }).click();
    await one.page.waitForURL(table());
    await one.page.locator('.row[data-key]').first().waitFor();
    return one;
  };

  it('shows the runs of a project after sign-in, sorts and filters them', async () => {
    const { page } = opened;
    await page.getByText('31 of 31 runs').waitFor();
    await page.getByRole('button', { name: 'val/acc', exact: true }).click();
    await page.waitForURL(/sort=-metric/);
    await page.locator('#query').fill('Metric("val/acc") > 0.5 & vit');
    await page.locator('#query').press('Enter');
    await page.getByText(/10 of 10 runs/).waitFor();
    await holds(async () =>
      expect((await rowNames()).every((name) => name.startsWith('vit'))).to.equal(true),
    );
    await page.goBack();
    await page.getByText('31 of 31 runs').waitFor();
  });

  it('says where a query is wrong and completes names', async () => {
    const { page } = opened;
    await page.goto(table());
    await page.locator('#query').fill('Metric("val/acc" > 1');
    await page.getByText('a closing ) is missing').waitFor();
    await page.locator('#query').fill('');
    await page.locator('#query').pressSequentially('Metric("tr');
    await page.locator('#query-offers').getByRole('option', { name: 'train/loss' }).waitFor();
    await page.locator('#query').press('Tab');
    await holds(async () =>
      expect(await page.locator('#query').inputValue()).to.equal('Metric("train/loss")'),
    );
    await page.locator('#query').press('Escape');
  });

  it('draws charts that say how much they show', async () => {
    const { page } = opened;
    await page.goto(table());
    await page.locator('.panel canvas').first().waitFor();
    // How much, how fresh, and how fast.
    await page
      .getByText(/^all \d.* points · .*at \d\d:\d\d:\d\d.* \d+ ms/)
      .first()
      .waitFor();
  });

  it('opens a run with its parts', async () => {
    const { page } = opened;
    const first = runs[0];
    await page.goto(`${root()}/p/vision/run/${first?.key}`);
    await page.getByRole('heading', { name: first?.name ?? '' }).waitFor();
    await page.getByRole('cell', { name: 'train/loss' }).waitFor();
    await page.getByRole('link', { name: 'params' }).click();
    await page.getByRole('rowheader', { name: 'batch_size' }).waitFor();
    await page.getByRole('link', { name: 'charts' }).click();
    await page.locator('.panel canvas').first().waitFor();
    await page.getByRole('link', { name: 'logs' }).click();
    await page.getByText('2 lines').waitFor();
    await page
      .getByRole('navigation', { name: 'Parts of the run' })
      .getByRole('link', { name: 'system' })
      .click();
    await page.getByRole('img', { name: /^sys\.gpu\.0\.utilization, 1 line/ }).waitFor();
  });

  it('archives a run and takes it back', async () => {
    const { page } = opened;
    await page.goto(`${root()}/p/vision/run/${runs[1]?.key}`);
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Archive' }).waitFor();
  });

  it('shows a run that is logged while one looks', async () => {
    const { page } = opened;
    await page.goto(table());
    await page.getByText(/ · live · /).waitFor();
    await post('/api/rest/v2/write/experiment/create', {
      workspaceName: server.workspace,
      projectName: 'vision',
      experimentName: 'just now',
    });
    await page.getByText('32 of 32 runs').waitFor();
  });

  it('compares runs that were selected', async () => {
    const { page } = opened;
    await page.goto(`${table()}?q=vit`);
    await page.getByText('10 of 10 runs').waitFor();
    await page.locator('.row[data-key] input').nth(0).click();
    await page.locator('.row[data-key] input').nth(1).click();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('rowheader', { name: 'lr' }).waitFor();
  });

  it('leads who follows a printed link to the run, and is 404 where there is nothing', async () => {
    const { page } = opened;
    const [run] = runs;
    await page.goto(`${server.url}/${server.workspace}/vision/${run?.key}`);
    await holds(() => expect(page.url()).to.equal(`${root()}/p/vision/run/${run?.key}`));
    await page.goto(`${server.url}/${server.workspace}/vision/`);
    await holds(() => expect(page.url()).to.equal(table()));
    const there = await page.request.get(`${server.url}/${server.workspace}/none/`);
    expect(there.status()).to.equal(404);
  });

  it('runs nothing that is stored', async () => {
    const { page } = opened;
    await page.goto(table());
    await page.getByRole('link', { name: script }).click();
    await page.getByRole('heading', { name: script }).waitFor();
    expect(await page.title()).to.not.equal('1');
    expect(await page.locator('main img').count()).to.equal(0);
  });

  it('sends the page under a policy without inline script or style, and files that may be kept for ever', async () => {
    const reply = await opened.page.request.get(table());
    const policy = reply.headers()['content-security-policy'] ?? '';
    expect(policy).to.contain("default-src 'self'").and.not.contain('unsafe');
    const [, file] = /src="(\/app\/main-\w+\.js)"/.exec(await reply.text()) ?? [];
    const packed = await fetch(`${server.url}${file}`);
    expect(packed.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(packed.headers.get('content-encoding')).to.equal('gzip');
    const plain = await fetch(`${server.url}${file}`, {
      headers: { 'accept-encoding': 'identity' },
    });
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(await plain.text()).to.equal(await packed.text());
    expect((await fetch(`${server.url}/app/nothing.js`)).status).to.equal(404);
  });

  it('complains of nothing', () => {
    // A request that a page no longer waits for when it is left has failed, says the browser.
    expect(opened.complaints().filter((one) => !one.endsWith(' failed'))).to.deep.equal([]);
  });

  for (const [title, width, dark] of [
    ['light', 1400, false],
    ['dark', 1400, true],
    ['on a phone', 390, false],
  ] as const)
    it(`has no fault for people who see or point differently: ${title}`, async function () {
      this.timeout(60_000);
      const one = await signIn(width, dark);
      const key = runs[0]?.key ?? '';
      for (const path of [
        '/w',
        `/w/${server.workspace}`,
        `/w/${server.workspace}/p/vision/runs`,
        `/w/${server.workspace}/p/vision/run/${key}`,
        `/w/${server.workspace}/p/vision/run/${key}/charts`,
        `/w/${server.workspace}/p/vision/run/${key}/logs`,
        `/w/${server.workspace}/p/vision/compare?runs=${key},${runs[1]?.key}`,
      ]) {
        await one.page.goto(server.url + path);
        await one.page.locator('main').waitFor();
        // A chart below the screen asks for nothing, and says so in its foot.
        await one.page
          .locator('p.told, p.faint, main.faint')
          .filter({ hasText: 'loading …' })
          .first()
          .waitFor({ state: 'detached' });
        expect([path, await axeFaults(one.page)]).to.deep.equal([path, []]);
        expect([path, await overflows(one.page)]).to.deep.equal([path, false]);
      }
      await one.context.close();
    });
});
