// Charts and tables as hands work them: what is pointed at, moved, coloured, grouped, asked for and saved.
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { becomes, holds } from './becomes.js';
import { axeFaults } from './browser.js';
import { useRunsPage } from './runs-page.js';

describe('charts and tables of runs in a browser', () => {
  const on = useRunsPage(24);
  const { show } = on;
  const panel = (metric = 'train/loss') => on.panel(metric);
  /** The middle of the sheet of a chart that is drawn. */
  const middleOf = async (metric?: string) => {
    await panel(metric).locator('canvas').first().waitFor();
    await on.drawn(metric ?? 'train/loss');
    // A chart is drawn anew when its points come: what is pointed at must have come to rest.
    let before = '';
    for (let look = 0; look < 60; look++) {
      const box = await panel(metric).locator('.u-over').first().boundingBox();
      const now = JSON.stringify(box);
      if (box !== null && now === before)
        return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width };
      before = now;
      await on.opened.page.waitForTimeout(150);
    }
    throw new Error('there is no chart');
  };
  const zoomOf = () =>
    (new URL(on.opened.page.url()).searchParams.get('zoom') ?? '').split('_').map(Number);

  it('begins with the rows that the server sent along, and asks for none of them', async () => {
    const { page } = on.opened;
    const asked: string[] = [];
    const hear = (request: { url(): string }) => asked.push(new URL(request.url()).pathname);
    page.on('request', hear);
    await show('?q=vit&sort=-metric%3Aval%252Facc');
    await page.locator('.panel canvas').first().waitFor();
    page.off('request', hear);
    expect(
      asked.filter((path) => /session$|rest\/v2\/project$|runs\/columns$|runs\/query$/.test(path)),
    ).to.deep.equal([]);
    await holds(async () =>
      expect(await page.locator('.row[data-key]:not([hidden])').count()).to.equal(8),
    );
  });

  it('begins with the curves of its first charts, and asks for those that the page did not bring', async () => {
    const { page } = on.opened;
    const asked = new Set<string>();
    const hear = (request: { url(): string; postData(): string | null }) => {
      if (!request.url().endsWith('/series/binary')) return;
      const { metrics, columns } = JSON.parse(request.postData() ?? '{}') as {
        readonly metrics: readonly string[];
        readonly columns: readonly string[];
      }; // what the page sends
      for (const one of metrics) asked.add(`${one} ${columns.join()}`);
    };
    page.on('request', hear);
    await show('?q=vit');
    for (const metric of ['train/loss', 'val/acc', 'val/loss']) await on.drawn(metric);
    expect([...asked]).to.deep.equal(['val/loss last']);
    await page.route('**/p/vision/runs?q=vit', async (route) => {
      const reply = await route.fetch();
      const body = await reply.text();
      expect(body).to.contain('id="curves"');
      await route.fulfill({
        response: reply,
        body: body.replace(/<script[^>]* id="curves">.*?<\/script>/s, ''),
      });
    });
    await show('?q=vit');
    for (const metric of ['train/loss', 'val/acc', 'val/loss']) await on.drawn(metric);
    page.off('request', hear);
    await page.unroute('**/p/vision/runs?q=vit');
    expect([...asked].sort()).to.deep.equal(['train/loss last', 'val/acc last', 'val/loss last']);
  });

  it('has a colour of its own for each run that is drawn, in the table the same', async () => {
    const { page } = on.opened;
    await show();
    await page.locator('i.drawn').nth(9).waitFor();
    const colours = await page
      .locator('.row[data-key]:not([hidden]) i.drawn')
      .evaluateAll((dots) =>
        dots.map((dot) => (dot as unknown as { style: { background: string } }).style.background),
      ); // these are elements of the page
    expect(colours).to.have.length(10);
    expect(new Set(colours).size).to.equal(10);
  });

  it('colours lines by a value, and says what the colours mean', async () => {
    const { page } = on.opened;
    await show();
    await page.getByLabel('Colour by').selectOption('parameter:arch');
    await page.waitForURL(/colour=parameter/);
    await page.locator('.legend').getByText('convnext').waitFor();
    const of = (name: string) =>
      page
        .locator('.row[data-key]')
        .filter({ hasText: name })
        .locator('i.drawn')
        .first()
        .evaluate((dot) => (dot as unknown as { style: { background: string } }).style.background);
    const [one, same, other] = await Promise.all(['vit-021', 'vit-018', 'resnet-022'].map(of));
    expect(one).to.equal(same);
    expect(one).to.not.equal(other);
  });

  it('tells the nearest runs by value with their parameters, keeps and copies them', async () => {
    const { page } = on.opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await show();
    const { x, y } = await middleOf();
    await page.mouse.move(x, y);
    const tip = panel().locator('.tip');
    await tip.waitFor();
    const values = (await tip.locator('.value').allTextContents()).map(Number);
    expect(values.length).to.be.within(2, 8);
    expect(values).to.deep.equal([...values].sort((a, b) => b - a));
    await holds(async () =>
      expect(await tip.locator('.who').first().textContent()).to.match(/\w+-\d{3} .*lr 0\.\d+/),
    );
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.move(10, 10);
    await tip.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Values copied').waitFor();
    const copied = await page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    ); // this runs in the browser
    expect(copied).to.match(/^train\/loss at /);
    expect(copied.split('\n')).to.have.length(values.length + 1);
    await tip.getByRole('button', { name: 'Close the values' }).click();
    await tip.waitFor({ state: 'detached' });
  });

  it('lights the line of the run that is pointed at in the table', async () => {
    const { page } = on.opened;
    await show();
    await middleOf();
    const lit = () =>
      panel()
        .locator('.overlay')
        .evaluate((sheet) => (sheet as unknown as { width: number }).width > 1); // a canvas
    expect(await lit()).to.equal(false);
    await page.locator('.row[data-key]').first().hover();
    await holds(async () => expect(await lit()).to.equal(true));
    await page.locator('.row[data-key] .spark').first().waitFor();
  });

  it('zooms by the wheel, moves by a drag with shift, zooms out and goes back', async () => {
    const { page } = on.opened;
    await show();
    const { x, y, width } = await middleOf();
    await page.mouse.move(x, y);
    await page.keyboard.down('Alt');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Alt');
    await page.waitForURL(/zoom=/);
    const [from = 0, to = 0] = zoomOf();
    expect(from).to.be.greaterThan(0);
    expect(to - from).to.be.lessThan(1900);
    await middleOf();
    await page.keyboard.down('Shift');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - width / 4, y, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.waitForURL((url) => Number(url.searchParams.get('zoom')?.split('_')[0]) > from);
    const [moved = 0, end = 0] = zoomOf();
    expect(end - moved).to.be.closeTo(to - from, 2);
    await page.getByRole('button', { name: 'zoom out' }).click();
    await page.waitForURL((url) => Number(url.searchParams.get('zoom')?.split('_')[0]) < moved);
    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get('zoom') === `${moved}_${end}`);
    await page.getByRole('button', { name: 'reset zoom' }).click();
    await page.waitForURL((url) => !url.searchParams.has('zoom'));
  });

  it('shows all of the axis again after a double click', async () => {
    const { page } = on.opened;
    await show('?q=vit&zoom=0_500');
    const { x, y } = await middleOf();
    await page.mouse.dblclick(x, y);
    await page.waitForURL((url) => !url.searchParams.has('zoom'));
  });

  it('smooths in other ways, counts steps from the first of each run, and says so in its table', async () => {
    const { page } = on.opened;
    await show('?smooth=0.5');
    await page.getByLabel('Way of smoothing').selectOption('gaussian');
    await page.waitForURL(/smoothby=gaussian/);
    await page.getByLabel('Axis').selectOption('relative step');
    await middleOf();
    await panel().hover();
    await page.keyboard.press('t');
    const table = page.getByRole('dialog', { name: 'train/loss as a table' });
    await table.getByRole('columnheader', { name: 'relative step' }).waitFor();
    await holds(async () => expect(await table.getByRole('row').count()).to.be.greaterThan(20));
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await table.waitFor({ state: 'detached' });
  });

  it('smooths by each of its ways, each otherwise, and draws what was logged where it smooths nothing', async () => {
    const { page } = on.opened;
    await show('?q=vit-021&smooth=0.6');
    const drawn = async () => {
      const lines = (await on.saved('train/loss', 'CSV')).toString().trim().split('\n').slice(1);
      return lines.map((line) => line.split(',').map(Number));
    };
    /** How much a line turns, all along it. */
    const turned = (values: readonly number[]) =>
      values
        .slice(2)
        .reduce(
          (sum, one, at) => sum + Math.abs(one - 2 * (values[at + 1] ?? NaN) + (values[at] ?? NaN)),
          0,
        );
    const logged = (await drawn()).map((one) => one[7] ?? NaN);
    expect(logged).to.have.length(40);
    const shown = new Map<string, readonly number[]>();
    for (const way of ['exponential', 'running', 'gaussian']) {
      await page.getByLabel('Way of smoothing').selectOption(way);
      await becomes(
        async () => new URL(page.url()).searchParams.get('smoothby') ?? 'exponential',
        (now) => now === way,
      );
      const values = (await drawn()).map((one) => one[4] ?? NaN);
      expect([way, turned(values) < 0.6 * turned(logged)]).to.deep.equal([way, true]);
      shown.set(values.join(), values);
    }
    expect(shown.size).to.equal(3);
    await show('?q=vit-021');
    expect((await drawn()).map((one) => one[4])).to.deep.equal(logged);
  });

  it('finds charts by a regular expression that stays in the address', async () => {
    const { page } = on.opened;
    await show();
    await page.getByLabel('Filter charts').fill('^val/.*s$');
    await page.waitForURL(/charts=/);
    await page.reload();
    await panel('val/loss').waitFor();
    await holds(async () =>
      expect(await page.locator('.panel h2').allTextContents()).to.deep.equal(['val/loss']),
    );
  });

  it('has groups within groups, and copies their figures for a paper', async () => {
    const { page } = on.opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await show();
    await page.getByLabel('Group by').selectOption('parameter:arch');
    await page.getByLabel('Then group by, level 2').selectOption('parameter:optimizer');
    await page.waitForURL(/group=parameter%3Aarch%2Cparameter%3Aoptimizer|group=.*optimizer/);
    const groups = page.getByRole('region', { name: 'Groups of runs' });
    await groups.getByRole('button', { name: /▸ vit/ }).click();
    await groups.getByRole('button', { name: 'adamw' }).first().click();
    await groups.getByRole('link', { name: /^vit-/ }).first().waitFor();
    const names = await groups.getByRole('link').allTextContents();
    expect(names.every((name) => name.startsWith('vit-'))).to.equal(true);
    await page
      .getByText(/in 6 groups/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByText('Copied as Markdown').waitFor();
    const copied = await page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    ); // this runs in the browser
    expect(copied.split('\n')).to.have.length(2 + 6);
    expect(copied).to.contain('| vit / adamw |');
    await page.getByRole('button', { name: 'Copy as LaTeX' }).click();
    await page.getByText('Copied as LaTeX').waitFor();
    const latex = await page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    ); // this runs in the browser
    expect(latex.split('\n')[0]).to.match(/^\\begin\{tabular\}\{lr+\}$/);
    expect(latex).to.contain('vit / adamw &').and.contain('$\\pm$');
  });

  it('tells of groups what is chosen beside the mean, in the table, below charts and for a paper', async () => {
    const { page } = on.opened;
    await show('?group=parameter:arch');
    const groups = page.getByRole('region', { name: 'Groups of runs' });
    await groups.getByText(/± \d/).first().waitFor();
    await groups.getByLabel('Beside the mean').selectOption('range');
    await groups
      .getByText(/\d to \d/)
      .first()
      .waitFor();
    await page
      .getByText(/mean, smallest to largest of 24 runs in 3 groups/)
      .first()
      .waitFor();
    await groups.getByLabel('Beside the mean').selectOption('standard error');
    await page
      .getByText(/mean ± standard error of 24 runs in 3 groups/)
      .first()
      .waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
  });

  it('strokes and marks lines by a value or for each run, says what that means, and saves it', async () => {
    const { page } = on.opened;
    await show();
    await page.getByLabel('Stroke and mark by').selectOption('parameter:optimizer');
    await page.waitForURL(/stroke=parameter/);
    await page.locator('.legend').getByText('sgd').waitFor();
    await middleOf();
    const save = async () => (await on.saved('train/loss', 'SVG')).toString();
    const marksOf = (svg: string) => svg.match(/<path fill="rgb[^"]*" d="M/g)?.length ?? 0;
    expect(marksOf(await save())).to.equal(10);
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.getByLabel('Stroke and mark by').selectOption('none');
    await middleOf();
    expect(marksOf(await save())).to.equal(0);
  });

  it('asks for either of two conditions', async () => {
    const { page } = on.opened;
    const either = 'Param("arch") == "vit" | Param("arch") == "resnet"';
    await show(`?q=${encodeURIComponent(either)}`);
    await page.getByText('16 of 16 runs').waitFor();
    await show(`?q=${encodeURIComponent(`(${either}) & Param("optimizer") == "sgd"`)}`);
    await page.getByText('3 of 3 runs').waitFor();
    const names = await page.locator('.row[data-key]:not([hidden]) a').allTextContents();
    expect(names.every((one) => /^(vit|resnet)-/.test(one))).to.equal(true);
  });

  it('draws expressions over metrics, several in one chart, of some of the runs', async () => {
    const { page } = on.opened;
    await show();
    await page.getByRole('button', { name: '+ chart' }).click();
    const field = page.getByLabel('Expression over metrics');
    await field.fill('val/loss - nothing');
    await page.getByText('there is no metric nothing').waitFor();
    await holds(async () =>
      expect(await page.getByRole('button', { name: 'Add chart' }).isDisabled()).to.equal(true),
    );
    await field.fill('val/loss - train/loss');
    await field.press('Enter');
    await page.getByRole('img', { name: /^val\/loss - train\/loss, 10 lines/ }).waitFor();
    await field.fill('train/loss, log(val/loss) @ vit');
    await field.press('Enter');
    const two = page.getByRole('img', { name: /^train\/loss, log\(val\/loss\) @ vit, 6 lines/ });
    await two.waitFor();
    await page.reload();
    await two.waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    const chart = panel('val/loss - train/loss');
    await middleOf('val/loss - train/loss');
    const coming = page.waitForEvent('download');
    await chart.hover();
    await chart.getByRole('button', { name: 'CSV' }).click();
    const lines = (await readFile(await (await coming).path())).toString().trim().split('\n');
    // The loss of the validation lies 8 % and 0.02 above the other.
    const worths = lines.slice(1).map((line) => Number(line.split(',')[4]));
    expect(worths.length).to.equal(400);
    expect(worths.every((one) => one > 0.02 && one < 0.25)).to.equal(true);
    await chart.hover();
    await page.getByRole('button', { name: 'Remove the chart val/loss - train/loss' }).click();
    await chart.waitFor({ state: 'detached' });
  });

  it('shows every point that is drawn as one place, after a click on it', async () => {
    const { page } = on.opened;
    const experimentKey = on.screens.runs.at(-1)?.key ?? '';
    const values = Array.from({ length: 5000 }, (_, step) => ({
      ...{ metricName: 'zigzag', metricValue: String(step % 7), step, timestamp: Date.now() },
    }));
    await on.screens.ask('POST', '/clientlib/batch/logger/experiment/metric', {
      ...{ experimentKey, values },
    });
    await show('?charts=zigzag');
    const { x, y } = await middleOf('zigzag');
    await page.mouse.move(x, y);
    await page.mouse.click(x, y);
    await panel('zigzag').getByRole('button', { name: 'Points' }).click();
    const dialog = page.getByRole('dialog', { name: /^Points of zigzag at / });
    await dialog.getByText(/^1[23] points are drawn as one place/).waitFor();
    const rows = await dialog.getByRole('row').allTextContents();
    const cells = rows.slice(1).map((_, at) =>
      dialog
        .getByRole('row')
        .nth(at + 1)
        .getByRole('cell'),
    );
    expect(cells.length).to.be.within(12, 13);
    for (const row of cells) {
      const [, step = '', value = ''] = await row.allTextContents();
      expect(Number(value)).to.equal(Number(step.replaceAll(/\D/g, '')) % 7);
    }
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
  });

  it('smooths over every point of a long metric, not over the places that are drawn', async () => {
    // Behind the others by its name: plots begin with the first.
    const experimentKey = on.screens.runs.at(-1)?.key ?? '';
    const all = Array.from(
      { length: 20_000 },
      (_, step) => Math.sin(step / 900) + ((step * 7919) % 101) / 50,
    );
    for (let from = 0; from < all.length; from += 5000)
      await on.screens.ask('POST', '/clientlib/batch/logger/experiment/metric', {
        experimentKey,
        values: all.slice(from, from + 5000).map((value, at) => ({
          ...{ metricName: 'whole', metricValue: String(value), step: from + at },
          timestamp: Date.now(),
        })),
      });
    const weight = 0.97;
    const averaged = (values: readonly number[]): readonly number[] => {
      let [sum, part] = [0, 0];
      return values.map((value) => {
        sum = weight * sum + (1 - weight) * value;
        part = weight * part + 1 - weight;
        return sum / part;
      });
    };
    await show(`?charts=whole&smooth=${weight}`);
    const places = (await on.saved('whole', 'CSV'))
      .toString()
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => {
        const cells = line.split(',').map(Number);
        return { step: cells[3] ?? NaN, shown: cells[4] ?? NaN, raw: cells[7] ?? NaN };
      });
    expect(places.length).to.be.within(200, 2000);
    const truth = averaged(all);
    const ofDrawn = averaged(places.map(({ raw }) => raw));
    for (const { step, shown, raw } of places) {
      expect(shown).to.be.closeTo(truth[step] ?? NaN, 1e-4);
      expect(raw).to.be.closeTo(all[step] ?? NaN, 1e-4);
    }
    const apart = places.map(({ shown }, at) => Math.abs(shown - (ofDrawn[at] ?? NaN)));
    expect(Math.max(...apart)).to.be.above(0.1);
  });

  it('shows runs whose parent was deleted as roots of the tree', async () => {
    const { page } = on.opened;
    const create = async (experimentName: string, parent?: string): Promise<string> => {
      const { experimentKey } = await on.screens.ask(
        'POST',
        '/api/rest/v2/write/experiment/create',
        {
          ...{ workspaceName: on.screens.server.workspace, projectName: 'orphans', experimentName },
        },
      );
      if (parent !== undefined)
        await on.screens.ask('POST', '/api/rest/v2/write/experiment/log-other', {
          ...{ experimentKey, key: 'parent', value: parent },
        });
      return String(experimentKey);
    };
    const gone = await create('gone');
    const left = await create('left alone', gone);
    await create('below it', left);
    const stays = await create('stays');
    await create('child', stays);
    await on.screens.ask('GET', `/api/rest/v2/write/experiment/delete?experimentKey=${gone}`);
    await page.goto(on.screens.address('/p/orphans/runs?tree=other%3Aparent'));
    const tree = page.getByRole('region', { name: 'Runs as a tree' });
    const orphan = tree.getByRole('row').filter({ hasText: 'left alone' });
    await orphan.getByText('its parent is not here').waitFor();
    await holds(async () =>
      expect(await tree.getByRole('link').allTextContents()).to.deep.equal(['stays', 'left alone']),
    );
    await tree.getByRole('button', { name: 'Runs below left alone' }).click();
    await tree.getByRole('link', { name: 'below it' }).waitFor();
    await holds(async () =>
      expect(await tree.getByText('its parent is not here').count()).to.equal(1),
    );
  });

  it('shows runs below their parents to any depth, children of what a query finds too', async () => {
    const { page } = on.opened;
    const keys = new Map<string, string>();
    const create = async (experimentName: string, parent?: string) => {
      const { experimentKey } = await on.screens.ask(
        'POST',
        '/api/rest/v2/write/experiment/create',
        {
          workspaceName: on.screens.server.workspace,
          projectName: 'family',
          experimentName,
        },
      );
      keys.set(experimentName, String(experimentKey));
      if (parent !== undefined)
        await on.screens.ask('POST', '/api/rest/v2/write/experiment/log-other', {
          experimentKey,
          key: 'parent',
          value: keys.get(parent),
        });
    };
    await create('sweep');
    await create('trial one', 'sweep');
    await create('trial two', 'sweep');
    await create('retry', 'trial two');
    await create('alone');
    await page.goto(on.screens.address('/p/family/runs'));
    await page.getByText('5 of 5 runs').waitFor();
    await page.getByLabel('Group by', { exact: true }).selectOption('as a tree by parent');
    const tree = page.getByRole('region', { name: 'Runs as a tree' });
    await tree.getByRole('link', { name: 'sweep' }).waitFor();
    await holds(async () =>
      expect(await tree.getByRole('link').allTextContents()).to.deep.equal(['alone', 'sweep']),
    );
    await tree.getByRole('button', { name: 'Runs below sweep' }).focus();
    await page.keyboard.press('Enter');
    await tree.getByRole('button', { name: 'Runs below trial two' }).click();
    await tree.getByRole('link', { name: 'retry' }).waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.goto(on.screens.address('/p/family/runs?tree=other%3Aparent&q=sweep'));
    await tree.getByRole('button', { name: 'Runs below sweep' }).click();
    await tree.getByRole('link', { name: 'trial one' }).waitFor();
    await page.goto(on.screens.address('/p/family/runs?tree=other%3Aparent&q=retry'));
    await tree.getByRole('row').filter({ hasText: 'retry' }).getByText('to its parent').click();
    await page.getByRole('heading', { name: 'trial two' }).waitFor();
  });

  it('looks at the newest runs alone, in another order too, and draws the latest always', async () => {
    const { page } = on.opened;
    await show('?sort=metric%3Aval%252Floss');
    await page.getByLabel('Which runs').selectOption('newest 10');
    await page.getByText('10 of 10 runs').waitFor();
    const names = async () =>
      (await page.locator('.row[data-key]:not([hidden]) a').allTextContents()).map((one) =>
        Number(one.split('-')[1]),
      );
    await holds(async () =>
      expect([...(await names())].sort((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 10 }, (_, at) => at + 14),
      ),
    );
    await page.getByLabel('Group by', { exact: true }).selectOption('parameter:arch');
    await page
      .getByText(/of 10 runs in 3 groups/)
      .first()
      .waitFor();
    await show('?q=vit-000');
    await page.getByRole('button', { name: 'latest', exact: true }).click();
    await page.locator('.legend').getByRole('link', { name: 'convnext-023' }).waitFor();
    await page
      .getByRole('img', { name: /^train\/loss, 2 lines/ })
      .first()
      .waitFor();
  });

  it('draws a box for each group, and the trend of dots over axes of powers', async () => {
    const { page } = on.opened;
    await show('?group=parameter:arch&plot=boxes');
    const boxes = page.getByRole('img', { name: /vit: 8 runs, middle \d/ });
    await boxes.waitFor();
    await holds(async () => expect(await boxes.locator('rect').count()).to.equal(3));
    await holds(async () => expect(await boxes.locator('circle').count()).to.equal(24));
    await show('?plot=scatter&px=parameter%3Alr');
    await page.getByRole('button', { name: 'log x' }).click();
    await page.getByRole('button', { name: 'trend' }).click();
    await page.getByText(/trend (up|down), r² 0\.\d\d/).waitFor();
    const fills = () =>
      page
        .getByRole('img', { name: /^24 runs, lr against / })
        .locator('circle')
        .evaluateAll((dots) => dots.map((dot) => dot.getAttribute('fill'))); // elements of the page
    await page
      .locator('label')
      .filter({ hasText: /^colour/ })
      .locator('select')
      .selectOption('parameter:batch_size');
    await page.waitForURL(/pc=/);
    const inks = await becomes(fills, (now) => now.length === 24 && new Set(now).size === 3);
    expect(inks.slice(0, 3)).to.deep.equal(inks.slice(3, 6));
  });

  it('draws a bar for each run, and for each group its mean with how far values lie from it', async () => {
    const { page } = on.opened;
    await show('?plot=bars&differing=0&cols=metric%3Aval%252Facc');
    const bars = page.getByRole('img', { name: 'val/acc of 24 runs' });
    await bars.waitFor();
    await holds(async () => expect(await bars.locator('rect').count()).to.equal(24));
    await show('?plot=bars&differing=0&cols=metric%3Aval%252Facc&group=parameter:arch');
    const groups = page.getByRole('img', { name: 'val/acc of 3 groups' });
    await groups.waitFor();
    await holds(async () => expect(await groups.locator('rect').count()).to.equal(3));
    await holds(async () => expect(await groups.locator('path').count()).to.equal(3));
    await holds(async () => expect(await groups.textContent()).to.match(/vit \(8\)/));
    await page.getByText('3 of 3 groups, mean ± deviation of 24 of 24 runs').waitFor();
  });

  it('moves the axes of the parallel coordinates by keys, and keeps their order', async () => {
    const { page } = on.opened;
    await show('?plot=parallel');
    const plot = page.getByRole('img', { name: /runs across/ });
    await plot.waitFor();
    const order = async () =>
      ((await plot.getAttribute('aria-label')) ?? '').split(' across ')[1]?.split(', ') ?? [];
    const [first, second] = await becomes(order, ({ length }) => length > 1);
    const turned = (now: readonly string[]) => now[0] === second && now[1] === first;
    await page.getByRole('button', { name: `Axis ${first}, 1 of` }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/axes=/);
    await becomes(order, turned);
    await page.reload();
    await plot.waitFor();
    await becomes(order, turned);
  });

  it('makes an axis of the parallel coordinates logarithmic, and plain again, by choice', async () => {
    const { page } = on.opened;
    await show('?plot=parallel&cols=parameter%3Alr,parameter%3Abatch_size&differing=0');
    const log = (name: string) => page.getByRole('button', { name: `log axis ${name}` });
    const ticks = () =>
      page
        .getByRole('img', { name: /runs across/ })
        .locator('text')
        .allTextContents();
    await log('lr').waitFor();
    // Values that spread over powers have such an axis by themselves.
    await holds(async () => expect(await log('lr').getAttribute('aria-pressed')).to.equal('true'));
    await holds(async () =>
      expect(await log('batch_size').getAttribute('aria-pressed')).to.equal('false'),
    );
    await holds(async () => expect(await ticks()).to.include('160'));
    await log('batch_size').click();
    await page.waitForURL(/logaxes=/);
    await holds(async () =>
      expect(await ticks())
        .to.include('128')
        .and.not.include('160'),
    );
    await log('lr').click();
    await page.waitForURL(/plainaxes=/);
    await page.reload();
    await log('lr').waitFor();
    await holds(async () => expect(await log('lr').getAttribute('aria-pressed')).to.equal('false'));
    await holds(async () =>
      expect(await log('batch_size').getAttribute('aria-pressed')).to.equal('true'),
    );
    await log('batch_size').click();
    await page.waitForFunction('!location.search.includes("logaxes")');
  });

  it('filters by the value of a cell, and leaves it out', async () => {
    const { page } = on.opened;
    await show('?differing=0&cols=parameter%3Aarch');
    const cell = page.locator('.row[data-key]:not([hidden])').first().getByRole('cell').nth(1);
    const value = await cell.textContent();
    await cell.click({ button: 'right' });
    await page.getByRole('menuitem', { name: `Without arch = ${value}` }).click();
    await page.getByText('16 of 16 runs').waitFor();
    await cell.click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Only arch = / }).click();
    await page.getByText('8 of 8 runs').waitFor();
  });

  it('offers values that are logged, and queries that were asked before', async () => {
    const { page } = on.opened;
    await show();
    const bar = page.locator('#query');
    await bar.pressSequentially('Param("arch") == ');
    await page.getByRole('option', { name: '"vit"' }).click();
    await bar.press('Enter');
    await page.getByText('8 of 8 runs').waitFor();
    await holds(async () => expect(await bar.inputValue()).to.equal('Param("arch") == "vit"'));
    await show();
    await bar.focus();
    await page.getByRole('option', { name: 'Param("arch") == "vit"' }).click();
    await bar.press('Enter');
    await page.getByText('8 of 8 runs').waitFor();
  });

  it('exports what is loaded, and all runs of the query', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    const saved = async (entry: string) => {
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: 'export ▾' }).click();
      await page.getByRole('menuitem', { name: entry }).click();
      return (await readFile(await (await coming).path())).toString();
    };
    const loaded = JSON.parse(await saved('What is loaded, as JSON')) as { name: string }[]; // as it was written
    expect(loaded).to.have.length(8);
    expect(loaded.every(({ name }) => name.startsWith('vit'))).to.equal(true);
    const all = (await saved('All runs of the query, as CSV')).trim().split('\n');
    expect(all).to.have.length(9);
    expect(all[0]).to.contain('name').and.contain('lr');
  });

  it('complains of nothing', () => {
    expect(on.opened.complaints().filter((one) => !one.endsWith(' failed'))).to.deep.equal([]);
  });
});
