// Charts and the table of runs together: what keys, zoom and pointer do to all of them, and what stays while runs go on.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { becomes, holds, placeAtRest } from './becomes.js';
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
    await holds(async () =>
      expect((await heads()).some((one) => one.startsWith('epochs'))).to.equal(false),
    );
    await page.keyboard.press('d');
    await page.getByRole('columnheader', { name: /^epochs/ }).waitFor();
    await page.waitForURL(/differing=0/);
    await page.keyboard.press('d');
    await page.getByRole('columnheader', { name: /^epochs/ }).waitFor({ state: 'detached' });
    await holds(async () =>
      expect((await heads()).some((one) => one.startsWith('lr'))).to.equal(true),
    );
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
    await holds(async () =>
      expect(
        await page.getByRole('button', { name: 'log y' }).getAttribute('aria-pressed'),
      ).to.equal('true'),
    );
    const lines = (svg: string | undefined) => svg?.match(/<g data-key.*<\/g>/g)?.join('') ?? '';
    // A chart draws its new axis in a later frame than the button's.
    const other = (metric: string, than: string | undefined) =>
      becomes(
        () => saved(metric, 'SVG'),
        (svg) => lines(svg) !== lines(than),
      );
    await other('train/loss', plain[0]);
    const logged = await other('val/loss', plain[1]);
    await page.getByRole('button', { name: 'log x' }).click();
    await page.waitForURL(/logx=1/);
    await other('val/loss', logged);
    expect(plain[0]).to.not.contain('fill-opacity');
    await show('?q=vit');
    await page.getByRole('button', { name: 'band', exact: true }).click();
    await page.waitForURL(/band=1/);
    await becomes(
      () => saved('train/loss', 'SVG'),
      (svg) => svg.includes('fill-opacity="0.14"'),
    );
  });

  it('zoom to the same part of the axis in every chart', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    await drawn('train/loss');
    await drawn('val/acc');
    const sheet = panel('train/loss').locator('.u-over').first();
    const box = await placeAtRest(sheet);
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
    await holds(() => expect(new URL(page.url()).searchParams.get('zoom')).to.match(/_/));
  });

  it('follow the pointer in one chart in all others, in the table and in the parallel coordinates', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    await drawn('train/loss');
    await drawn('val/acc');
    const box = await placeAtRest(panel('train/loss').locator('.u-over').first());
    const across = () =>
      panel('val/acc')
        .locator('.u-cursor-x')
        .first()
        .evaluate((line) => (line as unknown as { style: { transform: string } }).style.transform); // an element of the page
    await page.mouse.move(box.x + box.width / 3, box.y + box.height - 12);
    await page.locator('.row.hovered').first().waitFor();
    const one = await across();
    await page.mouse.move(box.x + (box.width * 2) / 3, box.y + box.height - 12);
    await holds(async () => expect(await across()).to.not.equal(one));
    await show('?q=vit&plot=parallel');
    await page.getByRole('img', { name: /runs across/ }).waitFor();
    await row('vit-021').first().hover();
    await page.locator('.plot .under').getByText('vit-021').waitFor();
  });

  it('keep the name of a run in sight while its columns move past', async () => {
    const { page } = on.opened;
    await show('?differing=0');
    await page.getByRole('columnheader', { name: /^seed/ }).waitFor({ state: 'attached' });
    const first = page.locator('.row[data-key]:not([hidden])').first();
    const leftOf = async (cell: string) => (await first.locator(cell).boundingBox())?.x ?? 0;
    const [name, next] = [await leftOf('.name'), await leftOf('[data-at="0"]')];
    await page.locator('.runs').evaluate((table) => {
      (table as unknown as { scrollLeft: number }).scrollLeft = 300;
    }); // an element of the page
    await becomes(
      () => leftOf('[data-at="0"]'),
      (left) => left < next - 100,
    );
    expect(await leftOf('.name')).to.be.closeTo(name, 1);
  });

  for (const [axis, low, high] of [
    ['epoch', 0, 3],
    ['relative', 0, 39 * 4000],
    ['wall', Date.now() - 90 * 86_400_000, Date.now() + 600_000],
  ] as const)
    it(`draw along another axis, and say so: ${axis}`, async () => {
      await show(`?q=vit-021&x=${axis}`);
      await holds(async () =>
        expect(await on.opened.page.getByLabel('Axis').inputValue()).to.equal(axis),
      );
      const [head = '', ...lines] = (await saved('train/loss', 'CSV')).trim().split('\n');
      expect(head.split(',')[3]).to.equal(axis);
      const places = lines.map((line) => Number(line.split(',')[3]));
      expect(Math.min(...places)).to.be.within(low, high);
      expect(Math.max(...places)).to.be.within(low + (axis === 'epoch' ? 3 : 0), high);
    });

  it('smooth what they draw, and keep what it was before as a faint line', async () => {
    await show('?q=vit-021&smooth=0.8');
    const lines = (await saved('train/loss', 'CSV'))
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').map(Number));
    const [shown, raw] = [lines.map((one) => one[4] ?? NaN), lines.map((one) => one[7] ?? NaN)];
    expect(lines).to.have.length(40);
    let [sum, weight] = [0, 0];
    raw.forEach((value, at) => {
      sum = 0.8 * sum + 0.2 * value;
      weight = 0.8 * weight + 0.2;
      expect(shown[at]).to.be.closeTo(sum / weight, 1e-5);
    });
    expect(await saved('train/loss', 'SVG')).to.match(/stroke-opacity="0?\.3"|\/ 0\.3\)/);
  });

  it('show the last value and the curve of a run in the table as they come', async () => {
    const run = on.screens.runs[22];
    await show('?differing=0&cols=metadata%3Astate,metric%3Atrain%252Floss');
    const own = row(run?.name ?? '');
    const curve = () =>
      own
        .locator('.spark path')
        .evaluateAll((paths) =>
          paths.map((one) =>
            (one as unknown as { getAttribute(of: string): string }).getAttribute('d'),
          ),
        ); // elements of the page
    await own.hover();
    const before = await becomes(curve, ({ length }) => length === 1);
    await point(run?.key ?? '', 'train/loss', 2100);
    await own.getByText('0.5', { exact: true }).first().waitFor();
    await becomes(curve, (now) => now.length === 1 && now[0] !== before[0]);
  });

  it('open what an address of more than 8,000 letters says, and go on with it', async () => {
    const { page } = on.opened;
    const columns = Array.from(
      { length: 160 },
      (_, at) => `parameter%3Aa_name_of_its_own_that_is_rather_long_${at}`,
    );
    const address = `?q=vit&differing=0&cols=metadata%3Astate,${columns.join()},parameter%3Alr`;
    expect(address.length).to.be.above(8000);
    await show(address);
    await page.getByText('8 of 8 runs').waitFor();
    await page.getByRole('columnheader', { name: /^lr/ }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'log y' }).click();
    await page.waitForURL(/logy=1/);
    await page.reload();
    await page.getByText('8 of 8 runs').waitFor();
    await holds(() =>
      expect(new URL(page.url()).searchParams.get('cols')).to.contain('rather_long_159'),
    );
  });

  it('have what the machine did in a section of its own, below all others and folded', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    await drawn('train/loss');
    const sections = page.locator('.panels details');
    const last = sections.last();
    await holds(async () =>
      expect(await last.locator('summary').textContent()).to.match(/^system/),
    );
    await holds(async () => expect(await last.getAttribute('open')).to.equal(null));
    await holds(async () => expect(await panel('sys.gpu.0.utilization').count()).to.equal(0));
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
    await holds(() => expect(new URL(page.url()).searchParams.get('zoom')).to.equal('0_1500'));
    expect(await page.evaluate('scrollY')).to.equal(before);
  });

  it('tell of a run that crashes while one looks', async () => {
    // It has told nothing since it was made, which may be too long ago.
    await on.screens.ask('POST', `${write}/update-status`, {
      ...{ experimentKey: on.screens.runs[23]?.key, isAlive: true, hasCrashed: false },
    });
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
