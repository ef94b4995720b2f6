// What people do from beginning to end, each on a server of its own that was started by the command of the README: by pointer, and by keyboard alone.
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { pendingUnlessAll } from '#test/pending';
import { becomes, holds } from './becomes.js';
import { openBrowser, type OpenedPage, type TestBrowser } from './browser.js';
import { startFresh, type FreshServer } from './fresh.js';
import { keyboard, pointer, type Hands } from './hands.js';
import { find, python, signIn, startProgram, type Program } from './travelling.js';

/** A run of the workspace `vision` that a program logs, and a model of it for which the program asks a status. */
const askForStatus = async ({ url }: FreshServer, key: string): Promise<void> => {
  const write = `${url}/api/rest/v2/write`;
  const send = async (to: string, body: string | FormData): Promise<Record<string, unknown>> => {
    const reply = await fetch(to, {
      method: 'POST',
      headers: {
        authorization: key,
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      body,
    });
    if (!reply.ok) throw new Error(`${to} answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as Record<string, unknown>; // an object, as every reply of the API
  };
  const ask = (path: string, body: unknown) => send(`${write}/${path}`, JSON.stringify(body));
  const { experimentKey } = await ask('experiment/create', {
    workspaceName: 'vision',
    projectName: 'nightly',
  });
  const form = new FormData();
  form.set('file', new Blob(['weights']), 'w.bin');
  const query = new URLSearchParams({
    experimentKey: String(experimentKey),
    fileName: 'w.bin',
    type: 'model-element',
    groupingName: 'net',
  });
  await send(`${write}/experiment/upload-asset?${query.toString()}`, form);
  await ask('registry-model/item/create', {
    experimentKey,
    experimentModelName: 'net',
    registryModelName: 'night-net',
    version: '1.0.0',
  });
  const reply = await fetch(
    `${url}/api/rest/v2/registry-model/details?workspaceName=vision&modelName=night-net`,
    { headers: { authorization: key } },
  );
  const { versions } = (await reply.json()) as {
    readonly versions: readonly { readonly registryModelItemId: string }[];
  }; // as the row says
  await ask('registry-model/item/status-request', {
    modelItemId: versions[0]?.registryModelItemId,
    status: 'Production',
    comment: 'better every night',
  });
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
    training: Program,
  ) => {
    await signIn(page, hands, server);
    const first = await training.line('first');
    // The link that the client prints leads to the run.
    await page.goto(first.url);
    await page.getByRole('heading', { name: 'first' }).waitFor();
    await holds(() =>
      expect(new URL(page.url()).pathname).to.match(new RegExp(`/run/${first.key}$`)),
    );
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
    await holds(async () =>
      expect(await page.getByRole('rowheader', { name: 'layers' }).count()).to.equal(0),
    );
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
    await find(page, 'home', 'page');
    await hands.press(page.getByRole('link', { name: /^street-net \d/ }));
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
    await find(page, 'users', 'settings');
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
    await hands.choose(page.getByLabel('Role of ann'), 'view-only');
    await page.getByText('ann is view-only').waitFor();
    await hands.write(page.getByLabel('E-mail to invite'), 'eve@example.org');
    await hands.press(page.getByRole('button', { name: 'Invite', exact: true }));
    const invitation = await page
      .getByRole('textbox', { name: /invitation/i })
      .first()
      .inputValue();
    expect((await fetch(invitation)).status).to.equal(200);
    await find(page, 'keys', 'settings');
    await hands.write(page.getByLabel('Name', { exact: true }), 'laptop');
    await hands.press(page.getByRole('button', { name: 'Make a key' }));
    await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor();
    await find(page, 'service accounts', 'settings');
    await hands.write(page.getByLabel('Name', { exact: true }), 'nightly');
    await hands.write(page.getByLabel('Workspace it logs into'), 'vision');
    await hands.press(page.getByRole('button', { name: 'Make a service account' }));
    await page
      .getByText(/The key of .*nightly/)
      .first()
      .waitFor();
    await askForStatus(
      server,
      await page.getByRole('textbox', { name: /The key of .*nightly/ }).inputValue(),
    );
    await find(page, 'home', 'page');
    await hands.press(page.getByRole('link', { name: /^night-net \d/ }));
    await page.getByText('“better every night”').waitFor();
    await hands.press(page.getByRole('button', { name: 'Approve' }));
    await page.getByText(/approved by admin/).waitFor();
    await find(page, 'in force', 'settings');
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

  it('shows a newcomer the first curve moving within a minute of the start', async function () {
    if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client here');
    this.timeout(120_000);
    const began = performance.now();
    const server = await startFresh();
    const training = startProgram('scientist.py', server.python);
    try {
      const { page, context } = await browser.open({ width: 1400 });
      await signIn(page, pointer, server);
      await page.goto((await training.line('first')).url);
      await page.getByRole('link', { name: 'charts', exact: true }).click();
      const before = await pointsOf(page);
      await becomes(
        () => pointsOf(page),
        (now) => now > before,
      );
      expect(performance.now() - began, 'ms since the start').to.be.below(60_000);
      await context.close();
    } finally {
      training.stop();
      await server.stop();
    }
  });

  for (const [way, handsFor] of [
    ['by pointer', () => pointer],
    ['by keyboard alone', keyboard],
  ] as const) {
    it(`lets a scientist log, watch, find, compare, tag, register and have approved: ${way}`, async function () {
      if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client here');
      this.timeout(240_000);
      const server = await startFresh({ ORRERY_REGISTRY_SELF_APPROVAL: 'true' });
      const training = startProgram('scientist.py', server.python);
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

    it(`lets an administrator add and invite people, bound a workspace, make keys, approve and switch what is on: ${way}`, async function () {
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
