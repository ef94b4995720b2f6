// Pictures of many runs: a row for each run, a column for each step or for what else forms columns, and one slider for all.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { holds } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { holdsForEverybody } from './faultless.js';
import { watchTasks } from './long-tasks.js';
import { picture } from './pictures.js';
import { openScreens, type Screens } from './signed-in.js';

const [manyRuns, manySteps] = [100, 200];
describe('pictures of many runs in a grid in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let keys: readonly string[];
  before('start a server and a browser, and log pictures of runs', async function () {
    screens = await openScreens(this, { count: manyRuns });
    this.timeout(120_000);
    keys = screens.runs.map(({ key }) => key);
    const upload = (run: string, name: string, step: number | undefined, red: number) =>
      screens.upload(run, {
        ...{ name, type: 'image', content: picture(8, 8, () => [red, 90, 200]) },
        ...(step === undefined ? {} : { step }),
      });
    for (const [at, run] of keys.slice(0, 3).entries()) {
      for (const step of [0, 100, 200].slice(0, 3 - (at === 2 ? 1 : 0)))
        await upload(run, 'sample.png', step + at * 50, step);
      for (const epoch of [1, 10, 2]) await upload(run, `seen/of_${epoch}.png`, undefined, epoch);
    }
    opened = await screens.signIn({ width: 1400 });
  });
  after(async () => {
    await screens?.stop();
  });
  const compared = (more = '', runs = keys.slice(0, 3)) =>
    screens.address(`compare?runs=${runs.join()}&tab=media&mode=grid${more}`);
  const image = (name: string) => `&image=${encodeURIComponent(name)}`;
  const grid = (page: Page) => page.getByRole('grid', { name: 'Pictures of runs' });
  const heads = async (page: Page) =>
    (await grid(page).getByRole('columnheader').allTextContents()).slice(1);
  const rows = (page: Page) => grid(page).getByRole('row');

  it('has a row for each run and a column for each step, of small pictures alone', async () => {
    const { page } = opened;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(compared(image('name sample.png')));
    await page.getByText('8 pictures in 6 columns').waitFor();
    await holds(async () =>
      expect(await heads(page)).to.deep.equal(['0', '50', '100', '150', '200', '250']),
    );
    const second = rows(page).filter({ hasText: 'resnet-001' });
    await holds(async () => expect(await second.getByRole('img').count()).to.equal(3));
    await second.getByRole('img', { name: 'resnet-001 at 150' }).waitFor();
    await page.waitForFunction(() => {
      const all = [
        ...(
          globalThis as unknown as {
            document: { querySelectorAll(of: string): Iterable<{ naturalWidth: number }> };
          }
        ).document.querySelectorAll('.image-grid img'),
      ];
      return all.length === 8 && all.every(({ naturalWidth }) => naturalWidth > 0);
    }); // this runs in the browser
    expect(asked.filter((url) => url.includes('/thumbnail?'))).to.have.length(8);
    expect(asked.filter((url) => url.includes('/asset/download'))).to.deep.equal([]);
  });

  it('forms columns by the number within the run, by a metric, and by a part of the name', async () => {
    const { page } = opened;
    await page.goto(compared(image('name sample.png')));
    await page.getByText('8 pictures in 6 columns').waitFor();
    await page.getByLabel('Columns by').selectOption('index');
    await page.getByText('8 pictures in 3 columns').waitFor();
    await holds(async () => expect(await heads(page)).to.deep.equal(['1', '2', '3']));
    await page.goto(compared(`${image('folder seen')}&gridby=name:`));
    await page.getByText('9 pictures in 3 columns').waitFor();
    await holds(async () => expect(await heads(page)).to.deep.equal(['1', '2', '10']));
    await page.getByLabel('Pattern of names').fill('of_1*.png');
    await page.getByLabel('Pattern of names').press('Enter');
    await page
      .getByText('9 pictures in 1 columns · 6 have no such part and are left out')
      .waitFor();
    for (const run of keys.slice(0, 3))
      for (const step of [0, 100, 200])
        await screens.ask('POST', '/api/rest/v2/write/experiment/metric', {
          ...{ experimentKey: run, metricName: 'phase', metricValue: step / 100, step },
        });
    await page.goto(compared(`${image('name sample.png')}&gridby=metric:phase`));
    await page.getByText('8 pictures in 3 columns').waitFor();
    // Steps 150 and 250 lie behind what was logged at 100 and 200.
    await holds(async () => expect(await heads(page)).to.deep.equal(['0', '1', '2']));
    const second = rows(page).filter({ hasText: 'resnet-001' });
    await holds(async () => expect(await second.getByRole('img').count()).to.equal(3));
  });

  it('forms columns by what the metadata of pictures holds, and keeps that in the address', async () => {
    const { page } = opened;
    const bare = { type: 'image', content: picture(8, 8, () => [0, 0, 0]) };
    for (const [at, run] of keys.slice(0, 2).entries())
      for (const [place, angle] of [2, 10, 9].slice(at).entries())
        await screens.upload(run, {
          ...{ name: 'turned.png', type: 'image', step: place },
          metadata: { scene: ['harbour', 'alley', 'square'][place], camera: { angle } },
          content: picture(8, 8, () => [10, 90 * at, 200]),
        });
    await screens.upload(keys[0] ?? '', { ...bare, name: 'turned.png', step: 9 });
    await page.goto(compared(image('name turned.png')));
    await page.getByText('6 pictures in 4 columns').waitFor();
    await page.getByLabel('Columns by').selectOption({ label: 'scene' });
    await page.waitForURL(/gridby=metadata(:|%3A)scene/);
    await page.getByText('6 pictures in 3 columns · 1 have no scene and are left out').waitFor();
    await holds(async () =>
      expect(await heads(page)).to.deep.equal(['alley', 'harbour', 'square']),
    );
    const second = rows(page).filter({ hasText: 'resnet-001' });
    await second.getByRole('img', { name: 'resnet-001 at alley' }).waitFor();
    await holds(async () => expect(await second.getByRole('img').count()).to.equal(2));
    await page.getByLabel('Columns by').selectOption({ label: 'camera.angle' });
    await page.getByText('6 pictures in 3 columns').waitFor();
    await holds(async () => expect(await heads(page)).to.deep.equal(['2', '9', '10']));
    await page.reload();
    await page.getByText('6 pictures in 3 columns').waitFor();
    await holds(async () =>
      expect(await page.getByLabel('Columns by').inputValue()).to.equal('metadata:camera.angle'),
    );
  });

  it('moves all rows to a step by one slider, and goes through pictures by arrows', async () => {
    const { page } = opened;
    await page.goto(compared(image('name sample.png')));
    await page.getByText('8 pictures in 6 columns').waitFor();
    await page.getByLabel('Step', { exact: true }).fill('3');
    await page.waitForURL(/step=150/);
    await grid(page).locator('[aria-current="step"]').filter({ hasText: '150' }).waitFor();
    await page.keyboard.press('[');
    await page.waitForURL(/step=100/);
    await page.getByRole('button', { name: 'Enlarge vit-000 at 0' }).click();
    await page.getByRole('dialog', { name: 'vit-000 at 0' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'vit-000 at 100' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('dialog', { name: 'convnext-002 at 100' }).waitFor();
  });

  it(`scrolls ${manyRuns} runs of ${manySteps} steps without a task that is felt`, async function () {
    this.timeout(120_000);
    const { page, context } = await screens.signIn({ width: 1400 });
    const content = Buffer.from(picture(8, 8, () => [10, 90, 200]));
    await page.route('**/v1/private/ui/runs/*/thumbnail*', (route) =>
      route.fulfill({ contentType: 'image/png', body: content }),
    );
    await page.route('**/v1/private/ui/assets/rows', (route) =>
      route.fulfill({
        json: {
          rows: [...[{ type: 'image', name: 'sample.png', runs: 50, assets: 50 * manySteps }]].map(
            (one) => ({ ...one, firstStep: 0, lastStep: manySteps - 1 }),
          ),
          ...{ more: false, lookedAt: null },
        },
      }),
    );
    await page.route('**/v1/private/ui/assets/matrix', (route) => {
      const { runs, cursor = '0' } = route.request().postDataJSON() as {
        readonly runs: readonly string[];
        readonly cursor?: string;
      }; // as the page asks
      const [from, steps] = [Number(cursor), 20];
      const assets = Array.from({ length: steps }, (_, at) => from + at).flatMap((step) =>
        runs.map((run) => ({
          ...{ run, asset: `${run}-${step}`, name: 'sample.png', step, value: null, size: 100 },
          ...{ contentType: 'image/png', width: 8, height: 8, remote: false },
          ...{ link: '', createdAt: 0 },
        })),
      );
      const next = from + steps < manySteps ? String(from + steps) : null;
      return route.fulfill({
        json: {
          ...{ runs, steps: [], stepsCut: false, assets, metadataKeys: [] },
          ...{ more: next !== null, cursor: next },
        },
      });
    });
    const tasks = await watchTasks(page);
    await page.goto(screens.address('runs'));
    await page.locator('.row[data-key]').first().waitFor();
    await page.getByRole('button', { name: 'images', exact: true }).click();
    await page.getByText(/^20.000 pictures in 200 columns/).waitFor({ timeout: 60_000 });
    const sheet = grid(page);
    await sheet.hover();
    for (let turn = 0; turn < 30; turn++) {
      await page.mouse.wheel(600, 300);
      await page.evaluate(() => new Promise((done) => setTimeout(done, 20))); // frames of the page
    }
    await sheet.getByRole('columnheader', { name: '175', exact: true }).waitFor();
    expect(await sheet.getByRole('gridcell').count()).to.be.below(400);
    await tasks.expectNone('a grid of pictures that is scrolled');
    await context.close();
  });

  holdsForEverybody(
    () => screens,
    () => [compared(image('name sample.png')), `${screens.address('runs')}?plot=images`],
  );
});
