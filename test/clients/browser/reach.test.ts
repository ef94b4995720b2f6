// What is reached from everywhere and on every screen: by the palette, on a phone, and on a wall.
import { expect } from 'chai';
import { v7 } from 'uuid';
import { becomes } from './becomes.js';
import { overflows, type OpenedPage } from './browser.js';
import { openWhole } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';

const write = '/api/rest/v2/write/experiment';
const wire = '/opik/api/v1/private';

describe('the web UI from everywhere and on every screen, in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  const trace = v7();
  before('start a server and a browser, and log runs, a model and a trace', async function () {
    screens = await openScreens(this, { count: 6 });
    const run = screens.runs[0]?.key ?? '';
    const form = new FormData();
    form.set('file', new Blob(['w']), 'w.bin');
    const query = new URLSearchParams({
      ...{ experimentKey: run, fileName: 'w.bin', type: 'model-element', groupingName: 'net' },
    }).toString();
    await fetch(`${screens.server.url}${write}/upload-asset?${query}`, {
      ...{ method: 'POST', headers: { authorization: screens.server.apiKey }, body: form },
    });
    await screens.ask('POST', '/api/rest/v2/write/registry-model/item/create', {
      ...{ experimentKey: run, experimentModelName: 'net', registryModelName: 'street-net' },
      version: '1.0.0',
    });
    const start_time = new Date().toISOString();
    await screens.ask('POST', `${wire}/traces/batch`, {
      traces: [
        { id: trace, project_name: 'vision', name: 'answer', start_time, end_time: start_time },
      ],
    });
    opened = await screens.signIn({ width: 1400 });
  });
  after(async () => {
    await screens?.stop();
  });

  it('finds projects, runs, models, traces, pages and acts by keys alone, and goes there', async () => {
    const { page } = opened;
    const look = async (text: string, option: RegExp) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search' }).waitFor();
      await page.keyboard.type(text);
      const found = page.getByRole('option', { name: option });
      await found.waitFor();
      const isChosen = async () => (await found.getAttribute('aria-selected')) === 'true';
      for (let step = 0; step < 12 && !(await isChosen()); step++)
        await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
    };
    await page.goto(screens.address('/prompts'));
    await page.getByRole('heading', { name: 'Prompts' }).first().waitFor();
    await look('visi', /^vision project/);
    await page.waitForURL(screens.address('runs'));
    await look('resnet-001', /^resnet-001 run/);
    await page.getByRole('heading', { name: 'resnet-001' }).waitFor();
    await look('street', /^street-net model/);
    await page.waitForURL(/\/model\/street-net/);
    await page.goto(screens.address('traces'));
    await page.getByRole('table', { name: 'Traces' }).waitFor();
    await look(trace, /^trace /);
    await page.getByRole('heading', { name: 'answer' }).waitFor();
    await look('evalu', /^evaluators /);
    await page.waitForURL(/\/evaluators$/);
    await look('dark', /^dark colours act/);
    await page.waitForFunction("document.documentElement.dataset['theme'] === 'dark'");
    await look('system', /^system colours act/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('no such name anywhere');
    await page.getByText('Nothing that is stored has this in its name.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('tells every key, by a press and by a button that is in sight', async () => {
    const { page } = opened;
    await page.goto(screens.address('runs'));
    await page.locator('.row[data-key]').first().waitFor();
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await page.keyboard.press('?');
    await keys.getByText('only parameters that differ').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Keys' }).click();
    await keys.getByText('logarithmic values').waitFor();
    await page.keyboard.press('Escape');
  });

  it('reads runs, moving curves, output and alerts on a phone, and stops a run there', async () => {
    const { page, context } = await screens.signIn({ width: 390 });
    const { experimentKey } = await screens.ask('POST', `${write}/create`, {
      ...{ workspaceName: screens.server.workspace, projectName: 'pocket' },
      experimentName: 'under way',
    });
    await screens.ask('POST', `${write}/update-status`, {
      ...{ experimentKey, isAlive: true, hasCrashed: false },
    });
    const point = (step: number) =>
      screens.ask('POST', `${write}/metric`, {
        ...{ experimentKey, metricName: 'loss', metricValue: 1 / (step + 1), step },
      });
    for (const step of [0, 1, 2]) await point(step);
    await screens.ask('POST', `${write}/output`, {
      ...{ experimentKey, outputLines: [{ output: 'epoch 1\n' }] },
    });
    await screens.ask('POST', `${wire}/alerts`, {
      ...{ name: 'failures', alert_type: 'general' },
      webhook: { url: 'https://hooks.example.invalid/x' },
      triggers: [{ event_type: 'prompt:created' }],
    });
    await page.goto(screens.address('/p/pocket/runs'));
    await page.getByRole('link', { name: 'under way' }).click();
    await page.getByRole('heading', { name: 'under way' }).waitFor();
    await page.getByRole('link', { name: 'charts', exact: true }).click();
    const foot = page
      .locator('.panel footer')
      .filter({ hasText: /all \d+ points/ })
      .first();
    await foot.filter({ hasText: 'all 3 points' }).waitFor();
    await point(3);
    await foot.filter({ hasText: 'all 4 points' }).waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'logs', exact: true }).click();
    await page.getByRole('log').getByText('epoch 1').waitFor();
    await screens.ask('POST', `${write}/output`, {
      ...{ experimentKey, outputLines: [{ output: 'epoch 2\n' }] },
    });
    await page.getByRole('log').getByText('epoch 2').waitFor({ timeout: 60_000 });
    expect(await overflows(page)).to.equal(false);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('The run was asked to stop').waitFor();
    const running = async () =>
      (
        await screens.ask(
          'GET',
          `/api/rest/v2/experiment/metadata?experimentKey=${String(experimentKey)}`,
        )
      )['running'];
    await becomes(running, (now) => now === false);
    await page.goto(screens.address('/alerts'));
    await page.getByRole('link', { name: 'failures' }).click();
    await page.getByRole('region', { name: 'What it has told' }).waitFor();
    expect(await overflows(page)).to.equal(false);
    await context.close();
  });

  it('takes all of a screen of 3840 points for tables and charts, and reads there as elsewhere', async () => {
    const { page, context } = await screens.signIn({ width: 3840 });
    await page.setViewportSize({ width: 3840, height: 2160 });
    const runs = screens.runs.slice(0, 3).map(({ key }) => key);
    for (const place of [
      'runs',
      `run/${runs[0]}`,
      `run/${runs[0]}/charts`,
      `compare?runs=${runs.join()}&tab=metrics`,
      'traces',
      `trace/${trace}`,
      '/model/street-net/1.0.0',
      '/boards',
      '/sql',
    ]) {
      await openWhole(page, screens.address(place));
      expect([place, await overflows(page)]).to.deep.equal([place, false]);
      const widest = await page.locator('main').evaluate((it) => {
        const boxes = [
          ...(
            it as unknown as {
              querySelectorAll(
                of: string,
              ): Iterable<{ getBoundingClientRect(): { right: number; width: number } }>;
            }
          ).querySelectorAll('p, h1, .panel, table, .runs'),
        ].map((one) => one.getBoundingClientRect());
        return Math.max(...boxes.map(({ right }) => right));
      }); // an element of the page
      expect([place, widest <= 3840]).to.deep.equal([place, true]);
    }
    await page.goto(screens.address('runs'));
    await page.locator('.panel canvas').first().waitFor();
    // The charts that are there stand side by side, and the last ends where the screen does.
    const right = async () => {
      const boxes = await page
        .locator('.split, .runs, .panels')
        .evaluateAll((all) =>
          all.map(
            (one) =>
              (
                one as unknown as { getBoundingClientRect(): { right: number } }
              ).getBoundingClientRect().right,
          ),
        ); // elements of the page
      return Math.max(...boxes);
    };
    await becomes(right, (at) => at > 3600);
    await context.close();
  });
});
