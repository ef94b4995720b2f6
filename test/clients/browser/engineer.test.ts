// What an engineer of language models does from traces to a better prompt, on a server that was started by the command of the README: by pointer, and by keyboard alone.
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { holds } from './becomes.js';
import { openBrowser, type OpenedPage, type TestBrowser } from './browser.js';
import { startFresh, type FreshServer } from './fresh.js';
import { keyboard, pointer, type Hands } from './hands.js';
import { storageNow } from './signed-in.js';
import { find, python, signIn, startProgram, type Program } from './travelling.js';

const start = (server: FreshServer, script: string): Program =>
  startProgram(script, {
    OPIK_URL_OVERRIDE: `${server.url}/opik/api`,
    OPIK_API_KEY: server.apiKey,
    OPIK_WORKSPACE: server.python['COMET_WORKSPACE'] ?? '',
    // Nothing of a test is reported to anybody else.
    OPIK_ANALYTICS_ENABLE: 'false',
    OPIK_SENTRY_ENABLE: 'false',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  });

const engineer = async (
  { page }: OpenedPage,
  hands: Hands,
  server: FreshServer,
  program: Program,
  beside: Program,
) => {
  await signIn(page, hands, server);
  await program.line('traced');
  await beside.line('translated');
  await beside.ended;
  await find(page, 'support', 'project');
  await hands.press(page.getByRole('link', { name: 'traces', exact: true }));
  const list = page.getByRole('table', { name: 'Traces' });
  const told = (text: string | RegExp) => page.getByRole('status').getByText(text);
  await told(/^6 traces/).waitFor();

  // Of both clients; what the other one sent is looked at first.
  const other = list.getByRole('row').filter({ hasText: 'translate' });
  await holds(async () =>
    expect(await other.textContent())
      .to.contain('how do I say hello?')
      .and.contain('grüezi'),
  );

  // The slowest trace, and what of it takes the time.
  await hands.press(list.getByRole('button', { name: 'duration' }));
  await page.waitForURL(/sort=-duration/);
  await list.locator('.body .row').first().getByText('refund').waitFor();
  for (const key of ['j', 'o']) await page.keyboard.press(key);
  await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
  await page.locator('.row.slow').filter({ hasText: 'look up' }).waitFor();
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  const detail = page.getByRole('region', { name: 'What is chosen' });
  await page.locator('.row.cursor').filter({ hasText: 'look up' }).waitFor();
  const form = detail.getByRole('form', { name: 'Score the span' });
  await hands.write(form.getByLabel('Name of the score'), 'fast');
  await hands.write(form.getByLabel('Value'), '0');
  await hands.press(form.getByRole('button', { name: 'Score' }));
  await detail.getByRole('button', { name: 'Delete the score fast' }).waitFor();

  // What failed becomes a dataset.
  await hands.press(page.getByRole('link', { name: 'traces', exact: true }));
  await told(/^6 traces/).waitFor();
  await hands.press(page.getByRole('button', { name: '+ Filter' }));
  const filter = page.getByRole('dialog', { name: 'Filter' });
  await hands.choose(filter.getByLabel('Field'), 'error_info');
  await hands.press(filter.getByRole('button', { name: 'Apply' }));
  await told(/^2 traces/).waitFor();
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
  await page.getByText('2 selected').waitFor();
  await hands.press(page.getByRole('button', { name: 'Add to a dataset' }));
  const adding = page.getByRole('form', { name: 'Add to a dataset' });
  await hands.write(adding.getByLabel('Name of the new one'), 'failures');
  await hands.press(adding.getByRole('button', { name: 'Add', exact: true }));
  await told('2 items added').waitFor();

  // Two ways to answer are tried over it, and held against each other.
  program.goOn();
  await program.line('evaluated');
  await program.ended;
  await find(page, 'experiments', '');
  await hands.check(page.getByLabel('Select curt'));
  await hands.check(page.getByLabel('Select polite'));
  await hands.press(page.getByRole('link', { name: 'Compare' }));
  await page.getByRole('region', { name: 'What is compared' }).waitFor();
  await told('2 of 2 items').waitFor();
  const summary = page.getByRole('region', { name: 'What is compared' });
  await holds(async () => expect(await summary.textContent()).to.match(/2 better|2 worse/));

  // The prompt is changed, and what changed is shown.
  await find(page, 'prompts', '');
  await hands.press(page.getByRole('link', { name: 'helper', exact: true }));
  await hands.press(page.getByRole('button', { name: 'New version' }));
  const version = page.getByRole('form', { name: 'New version' });
  await hands.write(version.getByLabel('Template'), 'Answer {{question}}, please.');
  await hands.press(version.getByRole('button', { name: 'Make it' }));
  const shown = page.getByRole('region', { name: 'Version v2' });
  await shown.locator('ins').first().waitFor();
  await holds(async () =>
    expect((await shown.locator('ins').allTextContents()).join('')).to.contain('please'),
  );
};

describe('the journey of an engineer of language models through the web UI', () => {
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

  const ways = [
    ['by pointer', () => pointer],
    ['by keyboard alone', keyboard],
  ] as const;
  // Hands are the same over every database: each of the others sees one way.
  const [first, last] = { embedded: [0, 2], postgres: [0, 1], mysql: [1, 2] }[storageNow()];
  for (const [way, handsFor] of ways.slice(first, last))
    it(`leads from traces to the slow span, a score, a dataset of failures, experiments and a prompt: ${way}`, async function () {
      if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client here');
      this.timeout(240_000);
      const server = await startFresh();
      const [program, beside] = [start(server, 'engineer.py'), start(server, 'engineer.mjs')];
      try {
        const opened = await browser.open({ width: 1400 });
        opened.page.setDefaultTimeout(30_000);
        await engineer(opened, handsFor(opened.page), server, program, beside);
        await opened.context.close();
      } finally {
        program.stop();
        beside.stop();
        await server.stop();
      }
    });
});
