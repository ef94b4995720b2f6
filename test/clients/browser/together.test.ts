// Charts and the table of runs together: what keys, zoom and pointer do to all of them, and what stays while runs go on.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { useRunsPage } from './runs-page.js';

const write = '/api/rest/v2/write/experiment';

describe('charts and the table of runs together, in a browser', () => {
  const on = useRunsPage(24);
  const { show, panel, drawn } = on;
  const saved = async (metric: string, name: 'CSV' | 'SVG') =>
    (await on.saved(metric, name)).toString();
  const row = (name: string) => on.opened.page.getByRole('row').filter({ hasText: name });
  const heads = () => on.opened.page.getByRole('columnheader').allTextContents();
  const point = (run: string, metricName: string, step: number) =>
    on.screens.ask('POST', `${write}/metric`, {
      ...{ experimentKey: run, metricName, metricValue: 0.5, step },
    });

  it('leave out parameters that do not differ, and show them again, by a key', async () => {
    const { page } = on.opened;
    await show();
    expect((await heads()).some((one) => one.startsWith('epochs'))).to.equal(false);
    await page.keyboard.press('d');
    await page.getByRole('columnheader', { name: /^epochs/ }).waitFor();
    await page.waitForURL(/differing=0/);
    await page.keyboard.press('d');
    await page.getByRole('columnheader', { name: /^epochs/ }).waitFor({ state: 'detached' });
    expect((await heads()).some((one) => one.startsWith('lr'))).to.equal(true);
  });

  it('show the runs without a tag, and those without a value as a group of their own', async () => {
    const { page } = on.opened;
    await show(`?q=${encodeURIComponent('~Tag("sweep") & ~Tag("best")')}`);
    await page.getByText('20 of 20 runs').waitFor();
    await on.screens.ask('POST', `${write}/create`, {
      workspaceName: on.screens.server.workspace,
      projectName: 'vision',
      experimentName: 'without parameters',
    });
    await show('?group=parameter:arch');
    await page.getByRole('row', { name: /no value/ }).waitFor();
    await page
      .getByText(/25 runs in 4 groups/)
      .first()
      .waitFor();
  });

  it('draw logarithmic axes in all charts by one press, and what is smallest to largest as a band', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    const plain = [await saved('train/loss', 'SVG'), await saved('val/loss', 'SVG')];
    await page.keyboard.press('l');
    await page.waitForURL(/logy=1/);
    expect(await page.getByRole('button', { name: 'log y' }).getAttribute('aria-pressed')).to.equal(
      'true',
    );
    const logged = [await saved('train/loss', 'SVG'), await saved('val/loss', 'SVG')];
    const lines = (svg: string | undefined) => svg?.match(/<g data-key.*<\/g>/g)?.join('') ?? '';
    for (const at of [0, 1]) expect(lines(logged[at])).to.not.equal(lines(plain[at]));
    await page.getByRole('button', { name: 'log x' }).click();
    await page.waitForURL(/logx=1/);
    expect(lines(await saved('val/loss', 'SVG'))).to.not.equal(lines(logged[1]));
    expect(plain[0]).to.not.contain('fill-opacity');
    await show('?q=vit');
    await page.getByRole('button', { name: 'band', exact: true }).click();
    await page.waitForURL(/band=1/);
    expect((await saved('train/loss', 'SVG')).match(/fill-opacity="0.14"/g)?.length).to.be.above(0);
  });

  it('zoom to the same part of the axis in every chart', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    await drawn('train/loss');
    await drawn('val/acc');
    const sheet = panel('train/loss').locator('.u-over').first();
    const box = await sheet.boundingBox();
    if (box === null) throw new Error('there is no chart');
    await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/zoom=/);
    const [from = 0, to = 0] = (new URL(page.url()).searchParams.get('zoom') ?? '')
      .split('_')
      .map(Number);
    for (const metric of ['train/loss', 'val/acc']) {
      const places = (await saved(metric, 'CSV'))
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => Number(line.split(',')[3]));
      expect(Math.min(...places)).to.be.at.least(from);
      expect(Math.max(...places)).to.be.at.most(to);
      expect(places.length).to.be.above(20);
    }
    await page.reload();
    await drawn('val/acc');
    expect(new URL(page.url()).searchParams.get('zoom')).to.match(/_/);
  });

  it('follow the pointer in one chart in all others, in the table and in the parallel coordinates', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    await drawn('train/loss');
    await drawn('val/acc');
    const box = await panel('train/loss').locator('.u-over').first().boundingBox();
    if (box === null) throw new Error('there is no chart');
    const across = () =>
      panel('val/acc')
        .locator('.u-cursor-x')
        .first()
        .evaluate((line) => (line as unknown as { style: { transform: string } }).style.transform); // an element of the page
    await page.mouse.move(box.x + box.width / 3, box.y + box.height - 12);
    await page.locator('.row.hovered').first().waitFor();
    const one = await across();
    await page.mouse.move(box.x + (box.width * 2) / 3, box.y + box.height - 12);
    await page.waitForTimeout(100); // a frame of the page
    expect(await across()).to.not.equal(one);
    await show('?q=vit&plot=parallel');
    await page.getByRole('img', { name: /runs across/ }).waitFor();
    await row('vit-021').first().hover();
    await page.locator('.plot .under').getByText('vit-021').waitFor();
  });

  it('have what the machine did in a section of its own, below all others and folded', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    await drawn('train/loss');
    const sections = page.locator('.panels details');
    const last = sections.last();
    expect(await last.locator('summary').textContent()).to.match(/^system/);
    expect(await last.getAttribute('open')).to.equal(null);
    expect(await panel('sys.gpu.0.utilization').count()).to.equal(0);
    await last.locator('summary').click();
    await drawn('sys.gpu.0.utilization');
  });

  it('go on with the runs, and keep zoom, query and where one has scrolled to', async () => {
    const { page } = on.opened;
    const key = on.screens.runs[23]?.key ?? '';
    await show('?q=vit%20%7C%20convnext&zoom=0_1500');
    await drawn('train/loss');
    const scroller = page.getByRole('region', { name: 'Runs' }).or(page.locator('.left')).first();
    await scroller.hover();
    await page.mouse.wheel(0, 60);
    await page.waitForTimeout(200); // a frame of the page
    const before = await page.evaluate('scrollY');
    const points = (await panel('train/loss').locator('footer').textContent()) ?? '';
    await point(key, 'train/loss', 1490);
    await page.waitForFunction(
      ([text, title]) =>
        [
          ...(
            globalThis as unknown as {
              document: { querySelectorAll(of: string): Iterable<{ textContent: string }> };
            }
          ).document.querySelectorAll('.panel'),
        ].some(
          ({ textContent }) =>
            textContent.includes(title ?? '') &&
            /points/.test(textContent) &&
            !textContent.includes(text ?? ''),
        ),
      [/ at [\d:]+/.exec(points)?.[0] ?? 'nothing', 'train/loss'],
    ); // this runs in the browser
    expect(new URL(page.url()).searchParams.get('zoom')).to.equal('0_1500');
    expect(await page.evaluate('scrollY')).to.equal(before);
  });

  it('tell of a run that crashes while one looks', async () => {
    await show('?differing=0&cols=metadata:state,metadata:duration');
    const name = on.screens.runs[23]?.name ?? '';
    await row(name).getByText('running').first().waitFor();
    await on.screens.ask('POST', `${write}/update-status`, {
      ...{ experimentKey: on.screens.runs[23]?.key, isAlive: false, hasCrashed: true },
      error: 'RuntimeError: out of memory',
    });
    await row(name).getByText('crashed').first().waitFor();
  });

  it('stop runs that are selected, and a run on its own page', async () => {
    const { page } = on.opened;
    const running = async (key: string) =>
      (await on.screens.ask('GET', `/api/rest/v2/experiment/metadata?experimentKey=${key}`))[
        'running'
      ];
    const made: string[] = [];
    for (const name of ['stopped-1', 'stopped-2', 'stopped-3']) {
      const { experimentKey } = await on.screens.ask('POST', `${write}/create`, {
        workspaceName: on.screens.server.workspace,
        projectName: 'stopping',
        experimentName: name,
      });
      await on.screens.ask('POST', `${write}/update-status`, {
        ...{ experimentKey, isAlive: true, hasCrashed: false },
      });
      made.push(String(experimentKey));
    }
    await page.goto(on.screens.address('/p/stopping/runs'));
    await row('stopped-1').first().waitFor();
    await row('stopped-1').getByRole('checkbox').click();
    await row('stopped-2').getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Stop 2' }).click();
    await page.getByText('2 runs asked to stop').waitFor();
    expect(await Promise.all(made.map(running))).to.deep.equal([false, false, true]);
    await page.goto(on.screens.address(`/p/stopping/run/${made[2] ?? ''}`));
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('The run was asked to stop').waitFor();
    await page.locator('.run-head').getByText('running').waitFor({ state: 'detached' });
    expect(await running(made[2] ?? '')).to.equal(false);
  });

  it('are light or dark as one chooses, charts too, and stay so', async () => {
    const { page, context } = await on.screens.signIn({ width: 1400 });
    await page.goto(on.screens.address('runs?q=vit'));
    const look = () =>
      page.evaluate(
        "getComputedStyle(document.body).color + document.documentElement.dataset['theme']",
      );
    await page.locator('.panel canvas').first().waitFor();
    const light = String(await look());
    await page.getByTitle('Light, dark or as the system').click();
    await page.getByTitle('Light, dark or as the system').click();
    await page.getByRole('button', { name: 'dark', exact: true }).waitFor();
    const dark = String(await look());
    expect(dark.endsWith('dark')).to.equal(true);
    expect(dark.replace('dark', '')).to.not.equal(light.replace('system', ''));
    await page.reload();
    await page
      .locator('.panel footer')
      .filter({ hasText: /points/ })
      .first()
      .waitFor();
    expect(await look()).to.equal(dark);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.locator('.panel').first().hover();
        await page.locator('.panel').first().getByRole('button', { name: 'SVG' }).click();
      })(),
    ]);
    expect((await readFile(await file.path())).toString()).to.contain('fill="#101114"');
    await context.close();
  });
});
