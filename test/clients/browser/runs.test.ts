import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { holds, placeAtRest } from './becomes.js';
import { letGo, takeBack } from './deleting.js';
import { holdsForEverybody } from './faultless.js';
import { useRunsPage } from './runs-page.js';

describe('the screen of runs in a browser', () => {
  const on = useRunsPage();
  const { show } = on;
  const projectId = async () =>
    String(
      (
        await on.screens.ask(
          'GET',
          `/api/rest/v2/project?workspaceName=${on.screens.server.workspace}&projectName=vision`,
        )
      )['projectId'],
    );
  const total = async (archived = false) =>
    (
      await on.screens.ask('POST', '/v1/private/ui/runs/query', {
        project: await projectId(),
        archived,
      })
    )['total'];

  it('finds names by a regular expression, offers it, and says where one is wrong', async () => {
    const { page } = on.opened;
    await show();
    const bar = page.getByRole('combobox', { name: 'Query' });
    await bar.fill('nam');
    await page.getByRole('option', { name: /^Name by a regular expression/ }).waitFor();
    await bar.press('Tab');
    await holds(async () => expect(await bar.inputValue()).to.equal('Name =~ "'));
    await bar.pressSequentially(String.raw`^vit-\d*[03]$" & ~(Name matches "^vit-0{3}")`);
    await bar.press('Enter');
    await page
      .getByText(/^1 of 1 runs|^1 runs| of 1 runs/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'vit-003' }).first().waitFor();
    await bar.fill('Name =~ "vit(?=0)"');
    await page.getByText('at 13: a regular expression here neither looks around').waitFor();
    // What the server refuses is a complaint of the browser too.
    const refused = await on.screens.signIn({ width: 1400 });
    await refused.page.goto(on.screens.address(`runs?q=${encodeURIComponent('Name =~ "vit("')}`));
    await refused.page.getByText('the regular expression is not understood').first().waitFor();
    await refused.context.close();
  });

  it('quotes names and values with spaces and quotes that are taken from its offers, and finds their runs', async () => {
    const { page } = on.opened;
    const [experimentKey, other] = on.screens.runs.map(({ key }) => key);
    const name = 'mix "b"';
    for (const [key, parameterValue] of [
      [experimentKey, 'two "big" ones'],
      [other, 'none'],
    ])
      await on.screens.ask('POST', '/clientlib/batch/logger/experiment/parameter', {
        experimentKey: key,
        values: [{ parameterName: name, parameterValue, timestamp: Date.now() }],
      });
    await on.screens.ask('POST', '/clientlib/batch/logger/experiment/metric', {
      experimentKey: other,
      values: [{ metricName: 'top "5" acc', metricValue: '7', step: 1, timestamp: Date.now() }],
    });
    await show();
    const bar = page.getByRole('combobox', { name: 'Query' });
    const offer = (shows: string) =>
      page.locator('#query-offers').getByRole('option').filter({ hasText: shows });
    const written = (text: string) =>
      holds(async () => expect(await bar.inputValue()).to.equal(text));
    const finds = async (count: number) => {
      await bar.press('Enter');
      await page.getByText(`${count} of ${count} runs`).waitFor();
    };
    await bar.pressSequentially('Param(mix');
    await offer(name).click();
    await written(String.raw`Param("mix \"b\"")`);
    await bar.pressSequentially(' == tw');
    await offer('big').waitFor();
    await bar.press('Tab');
    await written(String.raw`Param("mix \"b\"") == "two \"big\" ones"`);
    await finds(1);
    await page
      .getByRole('link', { name: on.screens.runs[0]?.name ?? '' })
      .first()
      .waitFor();
    await bar.fill('');
    await bar.pressSequentially('Metric("top ');
    await offer('top "5" acc').waitFor();
    await bar.press('Tab');
    await written(String.raw`Metric("top \"5\" acc")`);
    await bar.pressSequentially(' > 6');
    await finds(1);
    await page
      .getByRole('link', { name: on.screens.runs[1]?.name ?? '' })
      .first()
      .waitFor();
  });

  it('shows the best value of a metric: the lowest of a loss, or what was said to be the better', async () => {
    const { page } = on.opened;
    await show('?cols=metric%3Aval%252Floss%3Alast&differing=0');
    const head = page.getByRole('columnheader', { name: /val\/loss/ });
    const which = (title: RegExp) => head.getByTitle(title).textContent();
    await head.getByRole('button', { name: 'last', exact: true }).click();
    await page.waitForURL(/best/);
    expect(await which(/the best is the lowest$/)).to.equal('best');
    const asked = async (value: string) =>
      (
        (
          await on.screens.ask('POST', '/v1/private/ui/runs/query', {
            project: await projectId(),
            columns: [
              { kind: 'metadata', name: 'name' },
              { kind: 'metric', name: 'val/loss', value },
            ],
          })
        )['columns'] as readonly { readonly values: readonly (string | number)[] }[]
      ).map(({ values }) => values); // as the row says
    const cellOf = async (value: string) => {
      const [names = [], numbers = []] = await asked(value);
      return Number(Number(numbers[names.indexOf('vit-003')]).toPrecision(3));
    };
    /** Waits until the cell of the run shows a value, which comes after the head says so. */
    const shows = async (value: string) => {
      const wanted = await cellOf(value);
      const cell = page
        .getByRole('row', { name: /vit-003/ })
        .getByRole('cell')
        .last();
      for (let look = 0; look < 100; look++) {
        const now = Number(Number(await cell.textContent()).toPrecision(3));
        if (now === wanted) return;
        await page.waitForTimeout(100);
      }
      throw new Error(`the cell does not come to show ${wanted}, the ${value}`);
    };
    await page
      .getByText(/ of \d+ runs/)
      .first()
      .waitFor();
    await shows('min');
    const menu = page.getByRole('button', { name: 'What can be done to val/loss', exact: true });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Best is the highest' }).click();
    await page.waitForURL(/maximize/);
    await head.getByTitle(/the best is the highest$/).waitFor();
    await page.reload();
    await head.getByTitle(/the best is the highest$/).waitFor();
    await page
      .getByText(/ of \d+ runs/)
      .first()
      .waitFor();
    await shows('max');
    // Whoever said so once is not asked again.
    await show('?cols=metric%3Aval%252Floss%3Alast&differing=0');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Show the best' }).click();
    await head.getByTitle(/the best is the highest$/).waitFor();
  });

  it('groups runs by a value, with how many, mean and deviation, and opens a group', async () => {
    const { page } = on.opened;
    await show();
    await page.getByLabel('Group by').selectOption('parameter:arch');
    const vit = page.getByRole('row', { name: /vit/ });
    await vit.first().waitFor();
    await holds(async () =>
      expect(await vit.first().getByRole('cell').first().textContent()).to.equal('4'),
    );
    await holds(async () => expect(await vit.first().textContent()).to.match(/\d ± \d/));
    await page.getByRole('button', { name: /vit/ }).click();
    await page.getByRole('link', { name: 'vit-000' }).waitFor();
    await page
      .getByText(/mean ± deviation of 12 runs in 3 groups/)
      .first()
      .waitFor();
  });

  it('saves a view, shares it, tells when the page differs from it and opens it first', async () => {
    const { page } = on.opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await show('?q=vit&sort=-metric%3Aval%252Facc');
    await page.getByRole('button', { name: /^views/ }).click();
    await page.getByRole('menuitem', { name: 'Save as' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('the vits');
    const asked = page.waitForEvent('dialog');
    const pressed = page.keyboard.press('Escape');
    await (await asked).dismiss();
    await pressed;
    await page.getByLabel('for everybody').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: /^the vits ▾/ }).waitFor();
    await page.getByRole('button', { name: 'archived' }).click();
    await page.getByRole('button', { name: /^the vits \* ▾/ }).click();
    await page.getByRole('menuitem', { name: 'Undo changes' }).click();
    await page.getByRole('button', { name: /^the vits ▾/ }).click();
    await page.getByRole('menuitem', { name: 'Copy the link' }).click();
    await page.getByText('Link copied').waitFor();
    const copied = await page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    ); // this runs in the browser
    expect(copied).to.equal(page.url());
    await page.getByRole('button', { name: /^the vits ▾/ }).click();
    await page.getByRole('menuitem', { name: 'What I see first' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.goto(on.screens.address('runs'));
    await page.waitForURL(/q=vit/);
    const { views } = await on.screens.ask(
      'GET',
      `/v1/private/ui/views?type=runs&project=${await projectId()}`,
    );
    expect(views).to.deep.include.members([]).and.have.length(1);
    expect((views as readonly { shared: boolean }[])[0]?.shared).to.equal(true); // as the row says
    await page.getByRole('button', { name: /^the vits/ }).click();
    await page.getByRole('menuitem', { name: 'Delete the vits' }).click();
    await takeBack(page, 'The view the vits');
    await page.getByRole('button', { name: /^the vits/ }).click();
    await page.clock.install();
    await page.getByRole('menuitem', { name: 'Delete the vits' }).click();
    await letGo(page, 'The view the vits');
    await page.getByRole('button', { name: /^views/ }).waitFor();
  });

  it('hides, pins, moves and widens columns, and keeps that in the address', async () => {
    const { page } = on.opened;
    await show('?differing=0');
    const heads = () => page.getByRole('columnheader').allTextContents();
    const menu = async (column: string, entry: string) => {
      await page
        .getByRole('button', { name: `What can be done to ${column}`, exact: true })
        .click();
      await page.getByRole('menuitem', { name: entry, exact: true }).click();
    };
    await menu('start', 'Hide');
    await page.waitForURL(/cols=/);
    await holds(async () =>
      expect((await heads()).some((one) => one.startsWith('start'))).to.equal(false),
    );
    await menu('val/acc', 'Pin to the left');
    await page.waitForURL(/pin=/);
    await holds(async () => expect((await heads())[1]).to.match(/^val\/acc/));
    await menu('state', 'Move right');
    await holds(async () => expect((await heads())[2]).to.match(/^duration/));
    const grip = page.getByRole('separator', { name: 'Width of val/acc' });
    const before = Number(await grip.getAttribute('aria-valuenow'));
    await grip.press('ArrowRight');
    await page.waitForURL(/widths=/);
    await holds(async () =>
      expect(Number(await grip.getAttribute('aria-valuenow'))).to.equal(before + 16),
    );
  });

  it('has columns below their prefix, and keeps how they were arranged', async () => {
    const { page } = on.opened;
    const { experimentKey } = await on.screens.ask('POST', '/api/rest/v2/write/experiment/create', {
      workspaceName: on.screens.server.workspace,
      projectName: 'layers',
      experimentName: 'of many layers',
    });
    for (const metricName of ['layer/0/norm', 'layer/1/norm', 'layer/2/norm', 'loss'])
      await on.screens.ask('POST', '/api/rest/v2/write/experiment/metric', {
        ...{ experimentKey, metricName, metricValue: 1, step: 1 },
      });
    const open = (search = '') => page.goto(on.screens.address(`/p/layers/runs${search}`));
    const head = (name: RegExp) => page.getByRole('columnheader', { name }).waitFor();
    const picker = page.getByRole('group', { name: 'Columns' });
    await open('?differing=0&cols=metadata%3Astate');
    await page.getByRole('button', { name: 'columns', exact: true }).click();
    await picker.getByText('layer/').click();
    await picker.getByRole('checkbox', { name: /^layer\/2\/norm/ }).waitFor();
    await holds(async () =>
      expect(await picker.getByRole('checkbox', { name: /norm/ }).count()).to.equal(3),
    );
    await picker.getByRole('checkbox', { name: /^layer\/1\/norm/ }).check();
    await head(/layer\/1\/norm/);
    await open();
    await head(/layer\/1\/norm/);
    await holds(async () => expect(await page.getByRole('columnheader').count()).to.equal(3));
    await page.getByRole('button', { name: 'columns', exact: true }).click();
    await picker.getByRole('button', { name: 'Usual columns' }).click();
    await head(/^loss/);
    await open();
    await head(/^loss/);
  });

  it('filters by a value of the run that keys are at', async () => {
    const { page } = on.opened;
    await show('?differing=0&cols=parameter%3Aarch,parameter%3Aoptimizer');
    await page.locator('.row[data-key]').first().waitFor();
    await page.keyboard.press('j');
    await page.locator('.row.cursor').waitFor();
    await page.keyboard.press('f');
    const menu = page.getByRole('menu', { name: 'Values of this run' });
    await menu.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('8 of 8 runs').waitFor();
    await holds(() =>
      expect(new URL(page.url()).searchParams.get('q')).to.equal('~(Param("arch") == "convnext")'),
    );
  });

  it('tags, archives and restores many runs at once, also all that a query finds', async () => {
    const { page } = on.opened;
    await show('?q=resnet');
    await page.getByLabel('Select all runs of this query').click();
    await page.getByText('4 selected', { exact: true }).waitFor();
    await page.getByLabel('Tag to add').fill('swept');
    await page.getByLabel('Tag to add').press('Enter');
    await page.getByText('4 runs tagged').waitFor();
    await page.locator('.row[data-key] input').nth(0).click();
    await page
      .locator('.row[data-key] input')
      .nth(1)
      .click({ modifiers: ['Shift'] });
    await page.getByText('2 selected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('2 runs archived').waitFor();
    expect(await total(true)).to.equal(2);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('2 runs restored').waitFor();
    expect([await total(), await total(true)]).to.deep.equal([12, 0]);
  });

  it('deletes after it was asked twice and nobody took it back', async function () {
    this.timeout(30_000);
    const { page } = on.opened;
    await show('?q=vit-000');
    await page.locator('.row[data-key] input').first().click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('Delete 1 run with everything').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('Nothing was deleted').waitFor();
    expect(await total()).to.equal(12);
    await page.locator('.row[data-key] input').first().click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 run deleted').waitFor();
    expect(await total()).to.equal(11);
  });

  it('moves runs to another project', async () => {
    const { page } = on.opened;
    await show('?q=convnext-002');
    await page.locator('.row[data-key] input').first().click();
    await page.getByLabel('Project to move to').fill('elsewhere');
    await page.getByLabel('Project to move to').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await page.getByText('1 run moved').waitFor();
    await page.goto(`${on.screens.address('/p/elsewhere/runs')}`);
    await page.getByRole('link', { name: 'convnext-002' }).waitFor();
  });

  it('shows a run beside the table by keys alone', async () => {
    const { page } = on.opened;
    await show('?q=vit');
    await page.locator('.row[data-key]').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('p');
    const peek = page.getByRole('complementary', { name: 'The run at a glance' });
    await peek.getByRole('link', { name: 'vit-009' }).waitFor();
    await page.keyboard.press('j');
    await peek.getByRole('link', { name: 'vit-006' }).waitFor();
    await page.keyboard.press('Escape');
    await peek.waitFor({ state: 'detached' });
  });

  it('saves exactly what a chart draws as SVG, CSV and PNG', async () => {
    const { page } = on.opened;
    await show('?q=vit&zoom=500_1000');
    const panel = page.locator('.panel').filter({ hasText: 'train/loss' });
    await panel.locator('canvas').first().waitFor();
    await panel.getByText(/of \d/).first().waitFor();
    const saved = async (name: string) => {
      const coming = page.waitForEvent('download');
      await panel.hover();
      await panel.getByRole('button', { name }).click();
      return readFile(await (await coming).path());
    };
    const lines = (await saved('CSV')).toString().trim().split('\n').slice(1);
    const places = lines.map((line) => Number(line.split(',')[3]));
    expect([Math.min(...places), Math.max(...places)]).to.deep.equal([500, 1000]);
    const svg = (await saved('SVG')).toString();
    expect(svg.match(/<g data-key/g)).to.have.length(
      new Set(lines.map((one) => one.split(',')[0])).size,
    );
    expect((await saved('PNG')).subarray(1, 4).toString()).to.equal('PNG');
  });

  it('draws a metric over another, and says what is clipped', async () => {
    const { page } = on.opened;
    await show();
    await page.getByLabel('Axis').selectOption('metric:train/loss');
    await page.waitForURL(/x=metric/);
    await page
      .locator('.panel footer')
      .filter({ hasText: /points/ })
      .first()
      .waitFor();
    await on.screens.ask('POST', '/api/rest/v2/write/experiment/metric', {
      experimentKey: on.screens.runs[11]?.key,
      metricName: 'train/loss',
      metricValue: 5000,
      step: 3000,
    });
    await show('?clip=1');
    await page.locator('.panel footer').filter({ hasText: '1 outside' }).first().waitFor();
  });

  it('filters by dragging along an axis of the parallel coordinates', async () => {
    const { page } = on.opened;
    await show('?plot=parallel');
    await page.getByRole('img', { name: /runs across/ }).waitFor();
    // Many axes are wider than the screen.
    await page.locator('.brush').last().scrollIntoViewIfNeeded();
    const box = await placeAtRest(page.locator('.brush').last());
    await page.mouse.move(box.x + 5, box.y + box.height - 4);
    await page.mouse.down();
    await page.mouse.move(box.x + 5, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/q=Metric/);
  });

  holdsForEverybody(
    () => on.screens,
    () => {
      const key = on.screens.runs[4]?.key ?? '';
      return [
        'runs?group=parameter:arch',
        'runs?group=parameter:arch,parameter:optimizer&smooth=0.5&smoothby=gaussian',
        'runs?colour=parameter:arch&x=relative%20step',
        'runs?plot=parallel',
        'runs?plot=scatter',
        'runs?plot=bars',
        'runs?panels=val%252Floss%20-%20train%252Floss&tree=other:parent',
        'runs?plot=boxes&group=parameter:arch',
        'runs?stroke=parameter:optimizer&latest=1&newest=10',
        'runs?plot=scatter&trend=1&logx=1',
        `runs?peek=${key}&pin=metric%3Aval%252Facc`,
        'about',
      ].map(on.screens.address);
    },
  );

  it('complains of nothing', () => {
    expect(on.opened.complaints().filter((one) => !one.endsWith(' failed'))).to.deep.equal([]);
  });
});
