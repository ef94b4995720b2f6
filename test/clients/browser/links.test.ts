// Every link that the unmodified Python clients put together, followed in a browser.
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { holds } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { openScreens, type Screens } from './signed-in.js';
import { python, startProgram, type Program } from './travelling.js';

describe('a link that a client prints, in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let program: Program | undefined;
  let links: Readonly<Record<string, string>>;
  let key: string;
  before('start a server, and run what prints the links', async function () {
    if (!existsSync(python)) return pendingUnlessAll(this, `there is no Python at ${python}`);
    screens = await openScreens(this, { count: 1 });
    this.timeout(180_000);
    opened = await screens.signIn();
    const { url, apiKey, workspace } = screens.server;
    program = startProgram('links.py', {
      COMET_API_KEY: apiKey,
      COMET_URL_OVERRIDE: `${url}/clientlib/`,
      COMET_WORKSPACE: workspace,
      OPIK_URL_OVERRIDE: `${url}/opik/api`,
      OPIK_API_KEY: apiKey,
      OPIK_WORKSPACE: workspace,
      // Nothing of a test is reported to anybody else.
      OPIK_ANALYTICS_ENABLE: 'false',
      OPIK_SENTRY_ENABLE: 'false',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    });
    const told = await program.line('links');
    key = told.key;
    links = JSON.parse(told.url) as Record<string, string>; // as the program prints it
    await program.ended;
  });
  after(async () => {
    program?.stop();
    await screens?.stop();
  });

  /** Where one is led, the workspace's own address taken off. */
  const led = async (link: string): Promise<string> => {
    await opened.page.goto(link);
    return opened.page.url().replace(screens.address('/').replace(/\/$/, ''), '');
  };
  const heading = (name: string | RegExp) => opened.page.getByRole('heading', { name }).first();

  it('opens the run, its part and its project', async () => {
    expect(await led(links['experiment'] ?? '')).to.equal(`/p/seen/run/${key}`);
    await opened.page.getByRole('navigation', { name: 'Parts of the run' }).waitFor();
    expect(links['tab']).to.contain('experiment-tab=systemMetrics');
    expect(await led(links['tab'] ?? '')).to.equal(`/p/seen/run/${key}/system`);
    expect(await led(links['project'] ?? '')).to.equal('/p/seen/runs');
    expect(links['view']).to.contain('?viewId=');
    expect(await led(links['view'] ?? '')).to.equal('/p/seen/runs');
  });

  it('opens the experiment over a dataset, the dataset, the traces and the playground', async () => {
    expect(await led(links['evaluation'] ?? '')).to.match(/^\/experiments\/[\da-f-]{36}$/);
    await heading('first').waitFor();
    for (const name of ['dataset', 'suite']) {
      expect(await led(links[name] ?? '')).to.match(/^\/datasets\/[\da-f-]{36}$/);
      await heading('asked').waitFor();
    }
    for (const name of ['project of traces', 'by name']) {
      expect(await led(links[name] ?? '')).to.equal('/p/spoken/traces');
      await opened.page.getByText('reply', { exact: true }).first().waitFor();
    }
    expect(await led(links['playground'] ?? '')).to.equal('/playground');
  });

  it('opens the page that a plugin has for what stands behind the workspace, and leads back from it', async () => {
    const { page } = opened;
    const { url, workspace } = screens.server;
    await page.goto(`${url}/${workspace}#model-production-monitoring`);
    await page.waitForURL(screens.address('/x/monitoring/models'));
    await heading('monitoring').waitFor();
    await page.goBack();
    await page.waitForURL(screens.address('').replace(/\/p\/vision\/$/, ''));
    await heading(workspace).waitFor();
    await page.goto(`${url}/${workspace}#of-nobody`);
    await heading(workspace).waitFor();
    await holds(() => expect(new URL(page.url()).pathname).to.equal(`/w/${workspace}`));
  });

  it('is 404 where there is nothing, of every kind', async () => {
    const { page } = opened;
    const broken = Object.entries(links).filter(([name]) => !['view', 'tab'].includes(name));
    for (const [name, link] of [
      ...broken,
      ['workspace', `${screens.server.url}/nobody`],
    ] as const) {
      const changed = link
        .replace(key, 'f'.repeat(key.length))
        .replaceAll(
          /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g,
          'ffffffff-ffff-7fff-bfff-ffffffffffff',
        )
        .replace(/name=.*$/, 'name=none');
      const reply = await page.request.get(changed);
      expect([name, reply.status()]).to.deep.equal([name, 404]);
    }
  });
});
