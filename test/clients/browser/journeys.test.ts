// What people do from beginning to end, each on a server of its own that was started by the command of the README: by pointer, and by keyboard alone.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';
import { openBrowser, type OpenedPage, type TestBrowser } from './browser.js';
import { startFresh, type FreshServer } from './fresh.js';
import { keyboard, pointer, type Hands } from './hands.js';

const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');
const script = join(
  dirname(fileURLToPath(import.meta.url)),
  ...['..', '..', '..', '..', 'test', 'clients', 'browser', 'scientist.py'],
);

interface Begun {
  readonly name: string;
  readonly key: string;
  readonly url: string;
}
/** A training that goes on beside the page. */
interface Training {
  /** The run of a name, once it has begun. */
  run(name: string): Promise<Begun>;
  /** Until all runs have ended. */
  ended: Promise<void>;
  /** Lets the first run end and the second begin. */
  goOn(): void;
  stop(): void;
}

const train = (server: FreshServer): Training => {
  const home = mkdtempSync(join(tmpdir(), 'orrery-python-'));
  const child = spawn(python, [script], {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      PYTHONDONTWRITEBYTECODE: '1',
      GO_ON: join(home, 'go-on'),
      ...server.python,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, complained] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => {
    printed += piece.toString();
  });
  child.stderr.on('data', (piece: Buffer) => {
    complained += piece.toString();
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('close', (code) => {
      rmSync(home, { recursive: true, force: true });
      if (code === 0) resolve();
      else reject(new Error(`the training ended with ${String(code)}: ${complained.slice(-2000)}`));
    });
  });
  ended.catch(() => undefined); // whoever waits for it hears of it
  return {
    ended,
    goOn: () => writeFileSync(join(home, 'go-on'), ''),
    stop: () => void child.kill('SIGKILL'),
    async run(name) {
      for (;;) {
        const line = printed.split('\n').find((one) => one.startsWith(`{"name": "${name}"`));
        if (line !== undefined) return JSON.parse(line) as Begun; // as the script prints it
        if (child.exitCode !== null) await ended;
        await new Promise((wake) => setTimeout(wake, 100));
      }
    },
  };
};

describe('journeys through the web UI', () => {
  let browser: TestBrowser;
  before('open a browser', async function () {
    this.timeout(30_000);
    const found = await openBrowser();
    if ('missing' in found) return pendingUnlessAll(this, found.missing);
    browser = found;
  });
  after(async () => {
    await browser?.stop();
  });

  const signIn = async (page: Page, hands: Hands, { url, user, password }: FreshServer) => {
    await page.goto(`${url}/w`);
    await hands.write(page.getByLabel('User name or e-mail'), user);
    await hands.write(page.getByLabel('Password'), password);
    await hands.press(page.getByRole('button', { name: 'Sign in' }));
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  };

  /** Goes to something by its name, from anywhere. */
  const find = async (page: Page, name: string, kind: string) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(name);
    await page.getByRole('option', { name: new RegExp(`^${name} ?${kind}`) }).waitFor();
    await page.keyboard.press('Enter');
  };

  const pointsOf = async (page: Page): Promise<number> => {
    const foot = page
      .locator('.panel footer')
      .filter({ hasText: /all \d+ points/ })
      .first();
    await foot.waitFor();
    return Number(/all (\d+) points/.exec((await foot.textContent()) ?? '')?.[1]);
  };

  const scientist = async (
    { page }: OpenedPage,
    hands: Hands,
    server: FreshServer,
    training: Training,
  ) => {
    await signIn(page, hands, server);
    const first = await training.run('first');
    // The link that the client prints leads to the run.
    await page.goto(first.url);
    await page.getByRole('heading', { name: 'first' }).waitFor();
    expect(new URL(page.url()).pathname).to.match(new RegExp(`/run/${first.key}$`));
    await hands.press(page.getByRole('link', { name: 'tour', exact: true }));
    await page.getByText('1 of 1 runs').waitFor();
    // The curve moves while one looks.
    const before = await pointsOf(page);
    await page.waitForFunction(
      (count) =>
        [
          ...(
            globalThis as unknown as {
              document: { querySelectorAll(one: string): Iterable<{ textContent: string }> };
            }
          ).document.querySelectorAll('.panel footer'),
        ].some(({ textContent }) => Number(/all (\d+) points/.exec(textContent)?.[1] ?? 0) > count),
      before,
    ); // this runs in the browser
    training.goOn();
    await training.ended;
    await page.getByText('2 of 2 runs').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Metric("loss") < 0.2');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1 runs').waitFor();
    await hands.press(page.getByRole('button', { name: 'Clear the query' }));
    await page.getByText('2 of 2 runs').waitFor();
    // Both are selected and compared.
    for (const key of ['j', 'x', 'j', 'x', 'c']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'Compare 2 runs' }).waitFor();
    await page.getByRole('rowheader', { name: 'rate' }).waitFor();
    expect(await page.getByRole('rowheader', { name: 'layers' }).count()).to.equal(0);
    await hands.press(page.getByRole('link', { name: 'second' }).first());
    await page.getByRole('heading', { name: 'second' }).waitFor();
    await hands.write(page.getByLabel('Tag to add'), 'best');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove the tag best' }).waitFor();
    await hands.press(page.getByRole('link', { name: 'artifacts' }));
    await hands.press(page.getByRole('button', { name: 'Register net' }));
    await hands.write(page.getByRole('dialog').getByLabel('As the model'), 'street-net');
    await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Register' }));
    await page.getByRole('heading', { name: 'street-net' }).waitFor();
    await hands.choose(page.getByLabel('Status'), 'Production');
    await hands.write(page.getByLabel('Why'), 'beats all others');
    await hands.press(page.getByRole('button', { name: 'Ask for review' }));
    await page.getByText('asked for: Production').waitFor();
    await page.goto(`${server.url}/w`);
    await hands.press(page.getByRole('link', { name: /^street-net/ }));
    await page.getByText('“beats all others”').waitFor();
    await hands.press(page.getByRole('button', { name: 'Approve' }));
    await page.getByText(/approved by admin/).waitFor();
    await find(page, 'street-net', 'model');
    await page.getByRole('heading', { name: /^1\.0\.0 Production/ }).waitFor();
    await hands.press(page.getByRole('button', { name: 'history' }));
    await page.getByText('approved the status Production').waitFor();
  };

  const administrator = async ({ page }: OpenedPage, hands: Hands, server: FreshServer) => {
    await signIn(page, hands, server);
    const dialog = page.getByRole('dialog');
    await hands.press(page.getByRole('link', { name: 'admin', exact: true }).last());
    await page
      .getByRole('heading', { name: 'Settings' })
      .or(page.getByRole('heading', { name: 'admin' }))
      .first()
      .waitFor();
    await page.goto(`${server.url}/settings/users`);
    await hands.write(page.getByLabel('User name'), 'ann');
    await hands.write(page.getByLabel('First password'), 'copper-Lantern-28-moth');
    await hands.press(page.getByRole('button', { name: 'Add a user' }));
    await page.getByRole('cell', { name: 'ann', exact: true }).waitFor();
    await hands.press(page.getByRole('link', { name: 'workspaces', exact: true }));
    await hands.write(page.getByLabel('Name', { exact: true }), 'vision');
    await hands.press(page.getByRole('button', { name: 'Make a workspace' }));
    await page.getByRole('link', { name: 'vision', exact: true }).waitFor();
    await hands.press(page.getByRole('button', { name: 'Quota of vision' }));
    await hands.write(dialog.getByLabel('Runs at most'), '100');
    await hands.press(dialog.getByRole('button', { name: 'Save' }));
    await page.getByText('The quota is saved').waitFor();
    await hands.press(page.getByRole('link', { name: 'vision', exact: true }));
    await hands.press(page.getByRole('link', { name: 'members' }));
    await hands.write(page.getByLabel('User name'), 'ann');
    await hands.press(page.getByRole('button', { name: 'Add a member' }));
    await page.getByText('ann is a member').waitFor();
    await hands.check(page.getByLabel('ann may invite'));
    await page.getByText('ann is member').waitFor();
    await page.goto(`${server.url}/settings/service-accounts`);
    await hands.write(page.getByLabel('Name', { exact: true }), 'nightly');
    await hands.write(page.getByLabel('Workspace it logs into'), 'vision');
    await hands.press(page.getByRole('button', { name: 'Make a service account' }));
    await page
      .getByText(/The key of .*nightly/)
      .first()
      .waitFor();
    await hands.press(page.getByRole('link', { name: 'settings and toggles' }));
    await hands.write(page.getByLabel('Search settings'), 'model-approval');
    const toggle = page.getByRole('button', { name: /^Switch o(n|ff) model-approval$/ });
    const was = await toggle.textContent();
    await hands.press(toggle);
    await hands.press(dialog.getByRole('button', { name: was ?? '' }));
    await page
      .getByRole('button', {
        name: `${was === 'Switch on' ? 'Switch off' : 'Switch on'} model-approval`,
      })
      .waitFor();
    await hands.press(page.getByRole('link', { name: 'audit log' }));
    for (const action of ['createUser', 'createWorkspace', 'setWorkspaceQuota', 'changeToggle'])
      await page.getByRole('cell', { name: action }).first().waitFor();
    await hands.press(page.getByRole('link', { name: 'account', exact: true }));
    await hands.press(page.getByRole('button', { name: 'Sign out', exact: true }));
    await page.getByLabel('User name or e-mail').waitFor();
  };

  for (const [way, handsFor] of [
    ['by pointer', () => pointer],
    ['by keyboard alone', keyboard],
  ] as const) {
    it(`lets a scientist log, watch, find, compare, tag, register and have approved: ${way}`, async function () {
      if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client here');
      this.timeout(240_000);
      const server = await startFresh({ ORRERY_REGISTRY_SELF_APPROVAL: 'true' });
      const training = train(server);
      try {
        const opened = await browser.open({ width: 1400 });
        opened.page.setDefaultTimeout(40_000);
        await scientist(opened, handsFor(opened.page), server, training);
        await opened.context.close();
      } finally {
        training.stop();
        await server.stop();
      }
    });

    it(`lets an administrator add people, bound a workspace and switch what is on: ${way}`, async function () {
      this.timeout(240_000);
      const server = await startFresh();
      try {
        const opened = await browser.open({ width: 1400 });
        opened.page.setDefaultTimeout(30_000);
        await administrator(opened, handsFor(opened.page), server);
        await opened.context.close();
      } finally {
        await server.stop();
      }
    });
  }
});
