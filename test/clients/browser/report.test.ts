// The other forms of a page by its menu, and the report: a file that opens without a server, and is read back in.
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { holds, placeAtRest } from './becomes.js';
import { axeFaults, overflows, type OpenedPage } from './browser.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';

const nasty = '<img src=x onerror="document.title=1"></script><script>document.title=1</script>';

describe('other forms of pages, and reports, in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  const folder = mkdtempSync(join(tmpdir(), 'orrery-report-'));
  const file = join(folder, 'report.html');
  before('start a server and a browser, with a name that would be markup', async function () {
    screens = await openScreens(this, { count: 6 });
    await screens.ask('POST', '/api/rest/v2/write/experiment/log-other', {
      experimentKey: screens.runs[0]?.key,
      key: 'Name',
      value: nasty,
    });
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const openMenu = async (page: Page) => {
    await page.getByRole('button', { name: 'as … ▾' }).click();
    return page.getByRole('menu', { name: 'Other forms' });
  };

  it('lead from a menu to the same rows as CSV, by keys as by the pointer', async () => {
    const { page } = opened;
    await page.goto(screens.address('runs?q=vit'));
    await page.locator('.row[data-key]').first().waitFor();
    const menu = await openMenu(page);
    const address = await menu
      .getByRole('menuitem', { name: 'CSV', exact: true })
      .getAttribute('href');
    const reply = await page.request.get(screens.server.url + (address ?? ''));
    expect(reply.status()).to.equal(200);
    expect((await reply.text()).trim().split('\n')).to.have.length(1 + 1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
  });

  it('stand on the pages of a run, a comparison, traces and models', async () => {
    const { page } = opened;
    const keys = screens.runs.map(({ key }) => key);
    for (const place of [
      `run/${keys[1]}/charts`,
      `compare?runs=${keys[1]},${keys[2]}`,
      'traces',
      '/models',
    ]) {
      await page.goto(screens.address(place));
      const menu = await openMenu(page);
      for (const name of ['JSON', 'Markdown', 'text']) {
        const address = await menu
          .getByRole('menuitem', { name, exact: true })
          .getAttribute('href');
        const reply = await page.request.get(screens.server.url + (address ?? ''));
        expect([place, name, reply.status()]).to.deep.equal([place, name, 200]);
      }
    }
  });

  it('are one file that asks nobody, runs nothing that is stored, zooms, tells and shows its table', async () => {
    const { page } = opened;
    await page.goto(screens.address('runs?charts=val%2Floss'));
    await page.locator('.row[data-key]').first().waitFor();
    const menu = await openMenu(page);
    const coming = page
      .context()
      .waitForEvent('page')
      .then((popup) => popup.waitForEvent('download'));
    const here = page.waitForEvent('download').catch(() => undefined);
    await menu.getByRole('menuitem', { name: 'report, one HTML file' }).click();
    const download = await Promise.any([
      coming,
      here.then((one) => one ?? Promise.reject(new Error('none'))),
    ]);
    expect(download.suggestedFilename()).to.equal('Runs of vision.html');
    await download.saveAs(file);
    const offline = await page
      .context()
      .browser()
      ?.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
    if (offline === undefined) throw new Error('there is no browser');
    try {
      const report = await offline.newPage();
      const heard: string[] = [];
      const asked: string[] = [];
      report.on('console', (message) => heard.push(message.text()));
      report.on('pageerror', (error) => heard.push(error.message));
      report.on('request', (request) => asked.push(request.url()));
      await report.goto(pathToFileURL(file).href);
      await report.getByRole('heading', { name: 'Runs of vision' }).waitFor();
      const chart = report.getByRole('img', { name: /^val\/loss: 6 lines/ });
      await chart.waitFor();
      await report.locator('.legend').getByText(nasty).waitFor();
      await holds(async () => expect(await report.title()).to.equal('Runs of vision'));
      expect(await report.locator('img').count()).to.equal(0);
      // What one points at is told.
      await chart.hover();
      await report.getByText(/^at \d/).waitFor();
      await holds(async () => expect(await report.locator('.values li').count()).to.equal(6));
      // Dragging zooms, and all can be shown again.
      const ticks = () => chart.locator('text').allTextContents();
      const whole = await ticks();
      const box = await placeAtRest(chart);
      await report.mouse.move(box.x + box.width * 0.3, box.y + 60);
      await report.mouse.down();
      await report.mouse.move(box.x + box.width * 0.5, box.y + 60);
      await report.mouse.up();
      await holds(async () => expect(await ticks()).to.not.deep.equal(whole));
      await report.getByRole('button', { name: 'Show all' }).click();
      await holds(async () => expect(await ticks()).to.deep.equal(whole));
      // By keys too.
      await chart.focus();
      await report.keyboard.press('+');
      await holds(async () => expect(await ticks()).to.not.deep.equal(whole));
      await report.keyboard.press('0');
      await report.keyboard.press('ArrowRight');
      await holds(async () => expect(await ticks()).to.deep.equal(whole));
      await report.getByText('As a table').first().click();
      const table = report.getByRole('region', { name: 'val/loss as a table' });
      await table.getByRole('row').last().waitFor(); // a browser opens it in its own time
      await holds(async () => expect(await table.getByRole('row').count()).to.equal(1 + 40));
      // The checker itself is let in by no policy, so that it runs where there is none.
      expect(asked).to.deep.equal([pathToFileURL(file).href]);
      expect(heard).to.deep.equal([]);
    } finally {
      await offline.close();
    }
    expect(readFileSync(file).length).to.be.lessThan(200_000);
  });

  it('are opened from their file, and a file that is none is refused in a sentence', async () => {
    const { page } = opened;
    await page.goto(`${screens.server.url}/settings/report`);
    const field = page.getByLabel('File of the report');
    await field.setInputFiles({
      name: 'a.html',
      mimeType: 'text/html',
      buffer: Buffer.from('<p>'),
    });
    await page.getByRole('alert').getByText('this file is no report').waitFor();
    await field.setInputFiles(file);
    await page.getByRole('heading', { name: 'Runs of vision' }).waitFor();
    await page.getByRole('img', { name: /^val\/loss: 6 lines/ }).waitFor();
    await page.locator('.legend').getByText(nasty).waitFor();
    expect(await page.title()).to.not.equal('1');
    expect(await page.locator('main img').count()).to.equal(0);
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflows(page)).to.equal(false);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  holdsForEverybody(
    () => screens,
    () => [
      `${screens.server.url}/settings/report`,
      screens.address('runs'),
      screens.address('/models'),
    ],
  );

  it('make the browser complain of nothing', () => {
    expect(opened.complaints().filter((one) => !one.endsWith(' failed'))).to.deep.equal([]);
  });
});
