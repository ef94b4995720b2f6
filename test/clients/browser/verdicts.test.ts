// Runs of several seeds with their verdicts, and optimizations with their trials as the Python client stores them.
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { holds } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';
import { python, startProgram } from './travelling.js';

const write = '/api/rest/v2/write/experiment';
const nasty = '<img src=x onerror="document.title=1">';

/** Three seeds of each of two rates, whose accuracies differ by more than they spread. */
const logSeeds = async (screens: Screens): Promise<void> => {
  for (const [rate, mean] of [
    ['0.1', 0.8],
    [nasty, 0.9],
  ] as const)
    for (const seed of [1, 2, 3]) {
      const { experimentKey } = await screens.ask('POST', `${write}/create`, {
        workspaceName: screens.server.workspace,
        projectName: 'seeded',
        experimentName: `rate ${rate}, seed ${seed}`,
      });
      await screens.ask('POST', '/clientlib/batch/logger/experiment/parameter', {
        experimentKey,
        values: Object.entries({ rate, seed: String(seed) }).map(
          ([parameterName, parameterValue]) => ({
            ...{ parameterName, parameterValue, timestamp: Date.now() },
          }),
        ),
      });
      await screens.ask('POST', '/clientlib/batch/logger/experiment/metric', {
        experimentKey,
        values: [
          {
            metricName: 'val/acc',
            metricValue: String(mean + seed * 0.01),
            step: 1,
            timestamp: Date.now(),
          },
          { metricName: 'loss', metricValue: String(1 + seed), step: 1, timestamp: Date.now() },
        ],
      });
    }
};

describe('verdicts over seeds and trials in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let optimization = '';
  before('start a server and a browser, and log runs and an optimization', async function () {
    if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client here');
    screens = await openScreens(this, { count: 1 });
    this.timeout(120_000);
    await logSeeds(screens);
    const program = startProgram('optimizer.py', {
      OPIK_URL_OVERRIDE: `${screens.server.url}/opik/api`,
      OPIK_API_KEY: screens.server.apiKey,
      OPIK_WORKSPACE: screens.server.workspace,
      // Nothing of a test is reported to anybody else.
      OPIK_ANALYTICS_ENABLE: 'false',
      OPIK_SENTRY_ENABLE: 'false',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    });
    optimization = (await program.line('searched')).key;
    await program.ended;
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
  });
  const seeded = () => screens.address('/p/seeded/seeds');
  const rows = () =>
    opened.page.getByRole('region', { name: 'Configurations' }).locator('tbody tr');

  it('make one row of runs that differ by their seed only, and say which is better', async () => {
    const { page } = opened;
    await page.goto(seeded());
    await page.getByText('6 runs in 2 configurations').waitFor();
    await holds(async () => expect(await rows().count()).to.equal(2));
    await page.getByRole('button', { name: /^As baseline/ }).waitFor();
    await page.getByText(/(better: \+0\.1|worse: −0\.1) ± .*, p < 0\.001, n = 3\/3/).waitFor();
    const texts = await rows().allTextContents();
    expect(texts[0]).to.contain(nasty).and.to.contain('0.92 ± 0.01');
    await page.getByRole('button', { name: /^As baseline/ }).click();
    await page.waitForURL(/base=/);
    await page.getByText(/(better: \+0\.1|worse: −0\.1)/).waitFor();
    await page.getByText('3 runs').first().click();
    await page
      .getByRole('link', { name: /seed 2$/ })
      .first()
      .waitFor();
    expect(await page.title()).to.not.equal('1');
  });

  it('say of what is no different that it is not yet, and turn round where less is better', async () => {
    const { page } = opened;
    await page.goto(`${seeded()}?metric=loss`);
    await page.getByText(/not yet: \+0 ± /).waitFor();
    await holds(async () =>
      expect(
        await page.getByRole('button', { name: 'less is better' }).getAttribute('aria-pressed'),
      ).to.equal('true'),
    );
    await page.getByLabel('Metric', { exact: true }).selectOption('val/acc');
    await page.getByRole('button', { name: 'less is better' }).click();
    await page.getByText(/(worse: \+0\.1|better: −0\.1)/).waitFor();
  });

  it('keep runs apart where a parameter is no seed', async () => {
    const { page } = opened;
    await page.goto(seeded());
    await page.getByText('seeds: seed').click();
    await page.getByLabel('seed', { exact: true }).uncheck();
    await page.getByText('6 runs in 6 configurations').waitFor();
    await page.getByText('one seed tells nothing of the spread').first().waitFor();
    await page.getByText('No parameter is a seed by its name').waitFor();
  });

  it('are those of the runs that a query finds', async () => {
    const { page } = opened;
    await page.goto(seeded());
    await page.getByText('6 runs in 2 configurations').waitFor();
    const bar = page.getByRole('combobox', { name: 'Query' });
    await bar.fill('Param("seed") < 2 & Name =~ "seed [0-9]$"');
    await bar.press('Enter');
    await page.waitForURL(/q=/);
    await page.getByText('2 runs in 2 configurations').waitFor();
    await bar.fill('Param("seed"');
    await page.getByText(/^at \d+: /).waitFor();
    await bar.press('Escape');
    await page.getByRole('button', { name: 'Clear the query' }).click();
    await page.getByText('6 runs in 2 configurations').waitFor();
  });

  it('list optimizations, and show the trials of one with the best', async () => {
    const { page } = opened;
    await page.goto(screens.address('/optimizations'));
    const row = page.getByRole('row').filter({ hasText: nasty });
    await row.waitFor();
    await holds(async () =>
      expect(await row.textContent()).to.match(/riddles.*accuracy.*3.*0\.75.*completed/),
    );
    await row.getByRole('link').first().click();
    await page.getByRole('heading', { name: nasty }).waitFor();
    await page.getByText('3 of 3 trials').waitFor();
    await page.getByRole('img', { name: /^accuracy of 3 trials, the best 0\.75/ }).waitFor();
    const best = page.getByRole('row').filter({ hasText: '★ best' });
    await holds(async () =>
      expect(await best.textContent())
        .to.contain('trial-1')
        .and.to.contain('0.75'),
    );
    await holds(async () =>
      expect(
        await page
          .getByRole('region', { name: 'The best prompt' })
          .locator('ins')
          .allTextContents(),
      ).to.deep.equal([' briefly']),
    );
    await best.getByRole('link', { name: 'trial-1' }).click();
    await page.getByRole('heading', { name: 'trial-1' }).first().waitFor();
    expect(await page.title()).to.not.equal('1');
  });

  it('rename an optimization, and say of one that is not there that it is not', async () => {
    const { page } = opened;
    await page.goto(screens.address(`/optimizations/${optimization}`));
    await page.getByRole('button', { name: 'Rename the optimization' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('search');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'search', exact: true }).waitFor();
    await page.goto(screens.address('/optimizations/01a210d9-84a3-70a6-896c-ccc39f409959'));
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  });

  holdsForEverybody(
    () => screens,
    () => [
      seeded(),
      screens.address('/optimizations'),
      screens.address(`/optimizations/${optimization}`),
    ],
  );

  it('make the browser complain of nothing', () => {
    const usual = /404| failed$/;
    expect(opened.complaints().filter((one) => !usual.test(one))).to.deep.equal([]);
  });
});
