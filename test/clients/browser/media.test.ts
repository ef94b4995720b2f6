// What the real Python client logs to be looked at: boxes and outlines over pictures, vectors with labels and small pictures.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { holds } from './becomes.js';
import { cacheFolder } from '#test/servers/launch';
import type { OpenedPage } from './browser.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';

const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');
const script = join(
  dirname(fileURLToPath(import.meta.url)),
  ...['..', '..', '..', '..', 'test', 'clients', 'browser', 'media.py'],
);
const markup = '<img src=x onerror="document.title=1">';

/** The key of the run that the script logs. */
const log = async ({ server }: Screens): Promise<string> => {
  const home = mkdtempSync(join(tmpdir(), 'orrery-python-'));
  try {
    const { stdout } = await promisify(execFile)(python, [script], {
      cwd: home,
      timeout: 90_000,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        PYTHONDONTWRITEBYTECODE: '1',
        COMET_URL_OVERRIDE: `${server.url}/clientlib/`,
        COMET_API_KEY: server.apiKey,
        COMET_WORKSPACE: server.workspace,
      },
    });
    const line = stdout.split('\n').find((one) => one.startsWith('{"key"')) ?? '';
    return (JSON.parse(line) as { readonly key: string }).key; // as the script prints it
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

describe('what lies where in pictures, and vectors as points, in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let run: string;
  before('start a server and a browser, and log by the Python client', async function () {
    if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client here');
    screens = await openScreens(this, { count: 1 });
    this.timeout(180_000);
    run = await log(screens);
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
  });
  const show = (query = '') => opened.page.goto(screens.address(`run/${run}/media${query}`));
  const shapes = (name: string) =>
    opened.page.locator('figure.image').filter({ hasText: name }).locator('.shapes polygon');

  it('draws boxes and outlines where the client put them, with label and score', async () => {
    const { page } = opened;
    await show();
    await page.getByText('6 of 6 shapes').waitFor();
    await shapes('street').nth(4).waitFor();
    await holds(async () => expect(await shapes('street').count()).to.equal(5));
    await holds(async () =>
      expect(await shapes('street').first().getAttribute('points')).to.equal(
        '10,10 30,10 30,25 10,25',
      ),
    );
    await holds(async () =>
      expect(await shapes('street').nth(3).getAttribute('points')).to.equal('30,50 70,50 60,30'),
    );
    await holds(async () =>
      expect(await shapes('plain').first().getAttribute('points')).to.equal('1,2 31,2 31,22 1,22'),
    );
    await holds(async () =>
      expect(await page.locator('img[alt^="street"]').getAttribute('alt')).to.contain('car 0.9'),
    );
    expect(await page.title()).to.not.equal('1');
  });

  it('leaves out labels, layers and low scores, and keeps the choice in the address', async () => {
    const { page } = opened;
    await show();
    await page.getByRole('button', { name: 'road', exact: true }).click();
    await page.getByText('5 of 6 shapes').waitFor();
    await page.getByRole('button', { name: 'true', exact: true }).click();
    await page.getByText('4 of 6 shapes').waitFor();
    await page.getByRole('button', { name: markup, exact: true }).click();
    await page.getByText('3 of 6 shapes').waitFor();
    await page.getByLabel('Least score').fill('0.5');
    await page.getByText('2 of 6 shapes').waitFor();
    await page.reload();
    await page.getByText('2 of 6 shapes').waitFor();
    await shapes('street').first().waitFor({ state: 'attached' });
    await holds(async () => expect(await shapes('street').count()).to.equal(1));
    await page.getByRole('button', { name: 'boxes', exact: true }).click();
    await shapes('street').first().waitFor({ state: 'detached' });
  });

  it('colours points by their labels and tells of the one that is pointed at', async () => {
    const { page } = opened;
    await show();
    const plain = page.getByRole('img', { name: /^12 points of animals, 3 labels/ });
    await plain.waitFor();
    // What the points are made of is not shown once more.
    await holds(async () =>
      expect(await page.locator('figure.table, img[alt^="embedding-image"]').count()).to.equal(0),
    );
    const inks = await plain
      .locator('circle')
      .evaluateAll((all) => all.map((one) => one.getAttribute('fill'))); // this runs in the browser
    expect(new Set(inks).size).to.equal(3);
    expect(inks[0]).to.equal(inks[3]);
    const figure = page.locator('figure').filter({ has: plain });
    await figure.getByRole('button', { name: 'dog' }).click();
    await holds(async () => expect(await plain.locator('circle').count()).to.equal(8));
    await plain.locator('circle').nth(1).hover({ force: true });
    await figure.getByRole('definition').filter({ hasText: 'eel' }).waitFor();
  });

  it('shows the small picture of each point, and goes from point to point by keys', async () => {
    const { page } = opened;
    await show();
    const pictured = page.getByRole('img', { name: /^12 points of pictured, 3 labels/ });
    await pictured.waitFor();
    await holds(async () => expect(await pictured.locator('image').count()).to.equal(12));
    // Four in a row: the sixth is the second of the second row.
    await holds(async () =>
      expect(await pictured.locator('svg').nth(5).getAttribute('viewBox')).to.equal('8 8 8 8'),
    );
    // What is scrolled below the pointer would be pointed at too.
    await page.mouse.move(0, 0);
    await pictured.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const figure = page.locator('figure').filter({ has: pictured });
    await figure.getByRole('definition').filter({ hasText: 'dog' }).waitFor();
    await figure.getByLabel('coloured by').selectOption('index');
    await page.getByRole('img', { name: /^12 points of pictured, 12 labels/ }).waitFor();
  });

  holdsForEverybody(
    () => screens,
    () => [screens.address(`run/${run}/media`)],
  );

  it('complains of nothing', () => {
    expect(opened.complaints().filter((one) => !one.endsWith(' failed'))).to.deep.equal([]);
  });
});
