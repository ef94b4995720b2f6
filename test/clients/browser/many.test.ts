// Very many things on a page: it says how many there are, shows those that are looked at, and is never held up.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { chunkPoints } from '#adapters/storage/sql/metrics/chunks';
import { formatCount } from '#plugins/web-ui/pure/format';
import { fillSeries } from '#test/bench/series';
import { holds } from './becomes.js';
import { openBeside, type Beside } from '#test/clients/server';
import { watchTasks, type TaskWatch } from './long-tasks.js';
import { copyAsset, copyRuns } from './many-rows.js';
import { picture } from './pictures.js';
import { openScreens, storageNow, type Screens } from './signed-in.js';

const compared = 50;
const parameters = 100;
const many = 25_000;
/** What is drawn of them is the same over every database; how long they take to be written is not. */
const points = storageNow() === 'embedded' ? 100_000_000 : 10_000_000;

describe('pages of very many things in a browser', function () {
  this.timeout(240_000);
  let screens: Screens;
  let beside: Beside;
  let page: Page;
  let tasks: TaskWatch;
  before('start a server and a browser, and log runs', async function () {
    screens = await openScreens(this, { count: compared });
    beside = await openBeside(screens.server);
    page = (await screens.signIn({ width: 1400 })).page;
    tasks = await watchTasks(page);
  });
  after(async () => {
    await beside?.close();
    await screens?.stop();
  });
  const create = async (projectName: string): Promise<string> =>
    String(
      (
        await screens.ask('POST', '/api/rest/v2/write/experiment/create', {
          ...{ workspaceName: screens.server.workspace, projectName, experimentName: 'the first' },
        })
      )['experimentKey'],
    );
  /** Metrics and parameters by names that the others have, too. */
  const logValues = async (experimentKey: string): Promise<void> => {
    const timestamp = Date.now();
    await screens.ask('POST', '/clientlib/batch/logger/experiment/metric', {
      experimentKey,
      values: Array.from({ length: 20 }, (_, at) => ({
        ...{ metricName: `metric_${at + 1}`, metricValue: String(at / 20), step: 0, timestamp },
      })),
    });
    await screens.ask('POST', '/clientlib/batch/logger/experiment/parameter', {
      experimentKey,
      values: Array.from({ length: 10 }, (_, at) => ({
        ...{ parameterName: `parameter_${at + 1}`, parameterValue: `value ${at}`, timestamp },
      })),
    });
  };
  /** Waits until nothing of the page is on its way. */
  const whole = () => page.getByText('loading …').first().waitFor({ state: 'detached' });

  it('compares fifty runs in every part of the comparison', async () => {
    for (const { key: experimentKey } of screens.runs)
      await screens.ask('POST', '/clientlib/batch/logger/experiment/parameter', {
        experimentKey,
        values: Array.from({ length: parameters }, (_, at) => ({
          parameterName: `layer_${at}`,
          parameterValue: `${experimentKey.slice(0, 4)} ${at}`,
          timestamp: 1,
        })),
      });
    const address = screens.address(`compare?runs=${screens.runs.map(({ key }) => key).join()}`);
    await page.goto(address);
    await page.getByRole('heading', { name: `Compare ${compared} runs` }).waitFor();
    const grid = page.getByRole('region', { name: 'parameter of the runs' });
    await grid.getByRole('rowheader', { name: 'layer_99' }).waitFor();
    await holds(async () =>
      expect(await grid.getByRole('columnheader').count()).to.equal(compared),
    );
    await tasks.expectNone('the parameters');
    await page.getByRole('button', { name: 'transposed' }).click();
    await grid.getByRole('columnheader', { name: 'layer_99' }).waitFor();
    await grid
      .getByRole('rowheader')
      .nth(compared - 1)
      .waitFor();
    await holds(async () => expect(await grid.getByRole('rowheader').count()).to.equal(compared));
    await tasks.expectNone('the parameters, the other way round');
    await page
      .locator('label')
      .filter({ hasText: /^base/ })
      .locator('select')
      .selectOption({ index: 7 });
    await page.waitForURL(/base=/);
    await tasks.expectNone('another base');
    for (const [tab, seen] of [
      ['metrics', () => page.getByRole('region', { name: 'Metrics of the runs' })],
      ['charts', () => page.getByRole('img', { name: /^train\/loss, 50 lines/ })],
      ['divergence', () => page.locator('main p, main table').first()],
      ['code', () => page.locator('main p').first()],
      [
        'packages',
        () =>
          page
            .locator('main')
            .getByText(/package/)
            .first(),
      ],
      ['artifacts', () => page.getByText('None of these runs has any.').first()],
      ['media', () => page.locator('main p').first()],
    ] as const) {
      await page.getByRole('link', { name: tab, exact: true }).click();
      await page.waitForURL(new RegExp(`tab=${tab}`));
      await seen().waitFor();
      await whole();
      await tasks.expectNone(`fifty runs by ${tab}`);
    }
    await page.goto(`${address}&tab=charts&band=1&smooth=0.6`);
    const chart = page.getByRole('img', { name: /^train\/loss, 50 lines/ });
    await chart.waitFor();
    await chart.hover();
    await page.locator('.tip').first().waitFor();
    await tasks.expectNone('fifty bands, and the pointer over them');
  });

  it(`draws a series of ${points / 1e6} million points, and zooms into it`, async () => {
    const key = await create('endless');
    const experiment = await beside.storage.stores.experiments.findByKey(key);
    const chunks = Math.ceil(points / chunkPoints);
    const last = 1_000_000;
    await fillSeries(beside.storage, experiment?.id ?? '', 'long', {
      ...{ chunks, from: chunks - Math.ceil(last / chunkPoints) },
    });
    const all = chunks * chunkPoints;
    const place = screens.address(`/p/endless/run/${key}/charts`);
    await page.goto(place);
    const foot = page.locator('.panel footer').first();
    await foot.filter({ hasText: new RegExp(`places for ${formatCount(all)} points`) }).waitFor();
    await page.getByRole('img', { name: /^long, 1 line/ }).waitFor();
    await tasks.expectNone('all of it');
    // What is looked at as a whole begins with a chunk: only those of the last million are stored one by one.
    for (const zoom of [(chunks >> 1) * chunkPoints, 900 * chunkPoints, 10_000, 500]) {
      await page.goto(`${place}?zoom=${all - zoom}_${all - 1}`);
      await foot
        .filter({ hasText: new RegExp(`places for ${formatCount(zoom)} points`) })
        .waitFor();
      await tasks.expectNone(`its last ${zoom} points`);
    }
  });

  it('has elements for what is on the screen of a run of 25,000 pictures, by step and by name', async () => {
    const logged = async (project: string, names: number) => {
      const run = await create(project);
      const content = picture(16, 16, (x, y) => [x * 16, y * 16, 120]);
      await screens.upload(run, { name: 'sample.png', type: 'image', step: 0, content });
      const experiment = await beside.storage.stores.experiments.findByKey(run);
      await copyAsset(beside.storage, experiment?.id ?? '', many, names);
      return screens.address(`/p/${project}/run/${run}/media`);
    };
    const steps = await logged('steps', 1);
    await page.goto(steps);
    await page.getByText('25000 files of 1 names').waitFor();
    await page.getByRole('img', { name: 'sample.png' }).waitFor();
    await tasks.expectNone('25,000 steps of a picture');
    await page.getByLabel('Step', { exact: true }).fill('1234');
    await page.getByText('· step 1234').waitFor();
    await page.keyboard.press('[');
    await page.getByText('· step 1233').waitFor();
    await tasks.expectNone('another step of 25,000');
    await page.goto(steps.replace(/media$/, 'files'));
    await page.getByText('the first 200 of 25\u202f000 files').waitFor();
    await tasks.expectNone('the files of a run of 25,000');
    const names = await logged('names', many);
    await page.goto(names);
    await page.getByText(`${many} files of ${many} names`).waitFor();
    await page.getByRole('button', { name: `show more of ${many}` }).click();
    await page.locator('.media figure').nth(119).waitFor();
    await holds(async () => expect(await page.locator('.media figure').count()).to.equal(120));
    await tasks.expectNone('25,000 pictures of other names');
  });

  it('shows a logged table of 25,000 rows by its first, and says so', async () => {
    const run = await create('tables');
    await screens.upload(run, {
      ...{ name: 'answers.csv', type: 'datagrid' },
      content: `question,answer,score\n${Array.from({ length: many }, (_, at) => `what is ${at},that is ${at},${at % 7}`).join('\n')}\n`,
    });
    await page.goto(screens.address(`/p/tables/run/${run}/media`));
    const table = page.getByRole('region', { name: 'answers.csv' });
    await table.getByText(/the first 500 rows of \d/).waitFor();
    await holds(async () => expect(await table.getByRole('row').count()).to.equal(501));
    await tasks.expectNone('a table of 25,000 rows');
  });

  it('scrolls, sorts, groups and asks among 25,000 runs, and draws the chosen', async () => {
    const key = await create('crowd');
    await copyRuns(beside.storage, key, many - 1, () => logValues(key));
    await page.goto(screens.address('/p/crowd/runs'));
    await page
      .getByText(/of 25.000 runs/)
      .first()
      .waitFor();
    const rows = page.locator('.row[data-key]:not([hidden])');
    await rows.first().waitFor();
    expect(await rows.count()).to.be.below(120);
    await tasks.expectNone('the first rows of 25,000');
    const table = page.locator('.runs');
    for (const part of [0.1, 0.5, 1]) {
      await table.evaluate((element, of) => {
        const scroller = element as unknown as { scrollTop: number; scrollHeight: number };
        scroller.scrollTop = scroller.scrollHeight * of;
      }, part); // an element of the page
      await rows.first().waitFor();
      await page.waitForFunction(
        () =>
          [
            ...(
              globalThis as unknown as {
                document: { querySelectorAll(of: string): Iterable<{ textContent: string }> };
              }
            ).document.querySelectorAll('.row[data-key]:not([hidden])'),
          ].filter(({ textContent }) => /run \d+/.test(textContent)).length > 5,
      ); // this runs in the browser
      await tasks.expectNone(`25,000 runs scrolled by ${part}`);
    }
    await page.goto(screens.address('/p/crowd/runs?sort=-metric%3Ametric_3'));
    await rows.first().waitFor();
    await page.locator('#query').fill('Param("parameter_4") == "value 5"');
    await page.locator('#query').press('Enter');
    await page
      .getByText(/of 25\d runs|of 2[45]\d runs/)
      .first()
      .waitFor();
    await tasks.expectNone('a query of 25,000');
    await page.goto(screens.address('/p/crowd/runs?group=parameter:parameter_4'));
    await page
      .getByRole('region', { name: 'Groups of runs' })
      .getByRole('button', { name: /▸ value \d/ })
      .first()
      .waitFor({ timeout: 60_000 });
    await tasks.expectNone('groups of 25,000');
    for (const plot of ['parallel', 'scatter', 'bars']) {
      await page.goto(screens.address(`/p/crowd/runs?plot=${plot}`));
      await page.locator('.plot').first().waitFor();
      await whole();
      await tasks.expectNone(`25,000 runs as ${plot}`);
    }
  });
});
