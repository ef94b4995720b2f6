// What pages say when things are not as usual: odd values, very many names, very long ones, a server that is away, things that are gone.
import { expect } from 'chai';
import { v7 } from 'uuid';
import { holds, placeAtRest } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { watchTasks } from './long-tasks.js';
import { openScreens, password, type Screens } from './signed-in.js';

const write = '/api/rest/v2/write/experiment';
describe('the web UI where things are not as usual', () => {
  let screens: Screens;
  let opened: OpenedPage;
  before('start a server and a browser, and log odd runs', async function () {
    screens = await openScreens(this, { count: 3 });
    opened = await screens.signIn({ width: 1400 });
  });
  after(async () => {
    await screens?.stop();
  });
  const ask = (path: string, body: unknown) => screens.ask('POST', path, body);
  const create = async (project: string, experimentName: string): Promise<string> =>
    String(
      (
        await ask(`${write}/create`, {
          workspaceName: screens.server.workspace,
          projectName: project,
          experimentName,
        })
      )['experimentKey'],
    );
  const log = (
    experimentKey: string,
    metricName: string,
    values: readonly (number | string)[],
  ): Promise<unknown> =>
    ask('/clientlib/batch/logger/experiment/metric', {
      experimentKey,
      values: values.map((metricValue, step) => ({
        metricName,
        metricValue: String(metricValue),
        step,
        timestamp: Date.now(),
      })),
    });
  /** Looks again and again until something holds. */
  const expectSoon = async (holds: () => Promise<boolean>): Promise<void> => {
    for (const began = Date.now(); Date.now() - began < 60_000;)
      if (await holds()) return;
      else await opened.page.waitForTimeout(100);
    throw new Error('it did not come to hold within a minute');
  };
  const place = (project: string, rest = 'runs') => screens.address(`/p/${project}/${rest}`);
  const panel = (metric: string) =>
    opened.page.locator('.panel').filter({ has: opened.page.getByTitle(metric, { exact: true }) });

  it('says how many values are not finite, and draws a single point', async () => {
    const { page } = opened;
    const key = await create('odd', 'odd values');
    await log(key, 'broken', [1, 'NaN', 2, 'Infinity', '-Infinity', 3]);
    await log(key, 'never', ['NaN', 'NaN']);
    await log(key, 'once', [0.5]);
    await page.goto(place('odd'));
    await panel('broken').getByText('3 not finite').waitFor();
    await panel('once').getByText('all 1 points').waitFor();
    await panel('never').getByText('2 not finite').waitFor();
    await page.goto(place('odd', `run/${key}`));
    await page.getByRole('cell', { name: 'never' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'never' });
    await holds(async () => expect(await row.textContent()).to.match(/NaN/));
  });

  it('shows names of 500 letters and from right to left whole where one asks, and keeps to the width', async () => {
    const { page } = opened;
    const long = `long-${'x'.repeat(490)}-end`;
    const hebrew = 'ניסוי ראשון 3.5';
    const key = await create('long', long);
    const other = await create('long', hebrew);
    await screens.upload(key, { name: `${long}.png`, type: 'image', content: 'no picture' });
    const wire = '/opik/api/v1/private';
    const [dataset, experiment] = [long.slice(0, 250), `${hebrew} ${long.slice(0, 200)}`];
    await ask(`${wire}/datasets`, { name: dataset });
    await ask(`${wire}/experiments`, { name: experiment, dataset_name: dataset });
    const { content } = await screens.ask('GET', `${wire}/experiments?size=1`);
    const evaluation = String((content as readonly { readonly id: string }[])[0]?.id); // as every list of the wire
    await log(key, `group/${'m'.repeat(400)}`, [1, 2, 3]);
    await ask('/clientlib/batch/logger/experiment/parameter', {
      experimentKey: key,
      values: [{ parameterName: 'p'.repeat(400), parameterValue: 'v'.repeat(400), timestamp: 1 }],
    });
    await page.goto(place('long'));
    const link = page.getByRole('link', { name: long });
    await link.waitFor();
    await holds(async () =>
      expect(await link.locator('span').last().textContent()).to.equal('xxxx-end'),
    );
    await link.hover();
    await holds(async () => expect(await link.getAttribute('title')).to.equal(long));
    await page.getByRole('link', { name: hebrew }).click();
    await page.getByRole('heading', { name: hebrew }).waitFor();
    expect(
      await page
        .getByRole('heading', { name: hebrew })
        .evaluate((head) => (head as unknown as { dir: string }).dir),
    ).to.equal('auto');
    for (const rest of [
      ...['', '/params', '/charts', '/media', '/files'].map((tab) => `run/${key}${tab}`),
      ...['params', 'media', 'divergence'].map((tab) => `compare?runs=${key},${other}&tab=${tab}`),
      'seeds',
      `/experiments/${evaluation}`,
      '/datasets',
      '/playground',
    ]) {
      await page.goto(rest.startsWith('/') ? screens.address(rest) : place('long', rest));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const wide = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = (
          globalThis as unknown as {
            document: { documentElement: { scrollWidth: number; clientWidth: number } };
          }
        ).document.documentElement;
        return scrollWidth - clientWidth;
      }); // this runs in the browser
      expect([rest, wide]).to.deep.equal([rest, 0]);
    }
  });

  it('places the largest and the smallest of numbers, however far apart they are', async () => {
    const { page } = opened;
    for (const [at, value] of ['1e308', '-1e308', '5e-324', 'NaN'].entries())
      await log(await create('far', `far ${at}`), 'apart', [value]);
    for (const plot of ['scatter', 'parallel', 'bars']) {
      await page.goto(place('far', `runs?plot=${plot}&differing=0`));
      await page.locator('.plot').first().waitFor();
      await page.getByText('loading …').first().waitFor({ state: 'detached' });
      // Axes side by side need two columns.
      await (
        plot === 'parallel'
          ? page.getByText(/at least two columns must differ/)
          : page.locator('.plot svg').first()
      ).waitFor();
    }
    await page.goto(place('far'));
    await panel('apart').locator('footer').filter({ hasText: '1 not finite' }).waitFor();
    expect(opened.complaints().filter((one) => /undefined|NaN/.test(one))).to.deep.equal([]);
  });

  it('opens a project of 3,000 metrics and 12,000 parameters without a task that is felt', async function () {
    this.timeout(180_000);
    const { page } = opened;
    const key = await create('many', 'of many names');
    for (let at = 0; at < 3000; at += 1000)
      await ask('/clientlib/batch/logger/experiment/metric', {
        experimentKey: key,
        values: Array.from({ length: 1000 }, (_, more) => ({
          metricName: `part${Math.floor((at + more) / 100)}/metric_${at + more}`,
          metricValue: String(more),
          step: 1,
          timestamp: Date.now(),
        })),
      });
    for (let at = 0; at < 12_000; at += 2000)
      await ask('/clientlib/batch/logger/experiment/parameter', {
        experimentKey: key,
        values: Array.from({ length: 2000 }, (_, more) => ({
          parameterName: `parameter_${at + more}`,
          parameterValue: String(more),
          timestamp: 1,
        })),
      });
    const watched = await page.context().newPage();
    const { expectNone: look } = await watchTasks(watched);
    await watched.goto(place('many'));
    await watched.locator('.panel canvas').first().waitFor();
    await watched.getByText('part of a name finds the charts of others').waitFor();
    await look('the page of its runs');
    await watched.getByRole('button', { name: 'columns' }).click();
    await watched.getByText(/more; type part of a name/).waitFor();
    await watched.getByLabel('Find a column').pressSequentially('parameter_11999');
    await watched.getByRole('checkbox', { name: /^parameter_11999/ }).check();
    await watched.getByRole('columnheader', { name: /parameter_11999/ }).waitFor();
    await look('a column that is found');
    await watched.getByLabel('Filter charts').pressSequentially('metric_2999');
    await watched.getByTitle('part29/metric_2999', { exact: true }).waitFor();
    await look('a chart that is found');
    const axis = watched.getByLabel('Axis');
    await axis.getByText(/more; filter charts to find them/).waitFor({ state: 'attached' });
    await axis.selectOption('part29/metric_2999');
    await watched.waitForURL(/x=metric/);
    await axis.selectOption('step');
    await holds(async () =>
      expect(
        await watched
          .getByLabel('Group by', { exact: true })
          .getByText('others: by their column')
          .count(),
      ).to.equal(1),
    );
    await watched.getByLabel('Filter charts').fill('');
    await watched
      .getByRole('button', { name: /^show the other/ })
      .first()
      .click();
    await look('all charts of a section');
    const bar = watched.locator('#query');
    await bar.pressSequentially('Param("parameter_1199');
    await watched
      .getByRole('option', { name: /^parameter_1199/ })
      .first()
      .waitFor();
    await look('a query that is completed');
    for (const [tab, count, wanted] of [
      ['', 'metrics', 'part29/metric_2999'],
      ['/params', 'parameters', 'parameter_11999'],
    ] as const) {
      await watched.goto(place('many', `run/${key}${tab}`));
      await watched
        .getByText(/part of a name finds the others/)
        .first()
        .waitFor();
      await watched
        .getByPlaceholder(`find among ${tab === '' ? 3000 : 12_000}`)
        .pressSequentially(wanted);
      await watched.getByRole('row').filter({ hasText: wanted }).waitFor();
      await look(`the ${count} of a run`);
    }
    await watched.goto(place('many', `run/${key}/charts`));
    await watched.locator('.panel canvas').first().waitFor();
    await look('the charts of a run');
    await watched.close();
  });

  it('says that the server is away, that what is shown is from before, and goes on afterwards', async () => {
    const { page } = opened;
    await page.goto(screens.address('runs'));
    await page.locator('.row[data-key]').first().waitFor();
    // What shows groups is fetched once the page has come to rest.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/groups-')),
    );
    await page.context().setOffline(true);
    await page.getByLabel('Group by', { exact: true }).selectOption('parameter:arch');
    await page
      .getByRole('alert')
      .getByText(/does not answer since .* from before/)
      .waitFor();
    await page.context().setOffline(false);
    // Without a press: it sees by itself that the server is back, and asks for what did not come.
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /▸ vit/ }).waitFor();
  });

  it('asks once more, by a press beside it, for each part of a page that did not come', async () => {
    const { page } = opened;
    const run = `run/${screens.runs[0]?.key ?? ''}`;
    const wire = '/opik/api/v1/private';
    await ask(`${wire}/traces/batch`, {
      traces: [{ id: v7(), name: 'asked', project_name: 'vision', start_time: new Date() }],
    });
    // Its first rows come along with their page.
    await page.route('**/p/vision/traces', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/(id="replies">).*?(<\/script>)/s, '$1{}$2');
      await route.fulfill({ response, body });
    });
    for (const [rest, rows, part, came] of [
      [`${run}/charts`, '**/series/**', '.panel', 'canvas'],
      [run, '**/experiment/tags**', '.tags', 'input'],
      [`${run}/logs`, '**/output**', '.logs', 'text=0 lines'],
      ['runs?group=parameter:arch', '**/runs/groups', '[aria-label="Groups of runs"]', 'tbody th'],
      ['traces', '**/traces/stats**', 'main', 'dl.figures'],
      ['traces', '**/private/traces?**', 'main', '.row[data-key]'],
    ] as const) {
      await page.route(rows, (route) =>
        route.fulfill({ status: 500, json: { message: 'this part is out of order' } }),
      );
      await page.goto(screens.address(rest));
      const box = page.locator(part).filter({ hasText: 'this part is out of order' }).first();
      await box.waitFor();
      await page.unroute(rows);
      await box.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText('this part is out of order').first().waitFor({ state: 'detached' });
      await page.locator(part).locator(came).first().waitFor({ state: 'attached' });
    }
  });

  it('says so while the server is started anew, and goes on with what is written afterwards', async function () {
    this.timeout(120_000);
    const { page } = opened;
    await create('restarted', 'before it');
    await page.goto(place('restarted'));
    await page.getByRole('link', { name: 'before it' }).waitFor();
    const again = screens.server.restart();
    // Whoever looks asks for something while nobody answers, until the page says so.
    await expectSoon(async () => {
      await page.getByRole('button', { name: 'archived' }).click();
      return page
        .getByRole('alert')
        .getByText(/does not answer since/)
        .isVisible();
    });
    await again;
    await expectSoon(async () => {
      await page.getByRole('button', { name: 'archived' }).click();
      return (await page.getByRole('alert').count()) === 0;
    });
    const archived = page.getByRole('button', { name: 'archived' });
    if ((await archived.getAttribute('aria-pressed')) === 'true') await archived.click();
    await page.getByRole('link', { name: 'before it' }).waitFor();
    // What is written now comes to the page by itself, which was open all the time.
    await create('restarted', 'after it');
    await page.getByRole('link', { name: 'after it' }).waitFor({ timeout: 60_000 });
  });

  it('says that a slow server is waited for', async () => {
    const { page } = opened;
    await page.route('**/v1/private/ui/runs/groups', async (route) => {
      await new Promise((wake) => setTimeout(wake, 1500));
      await route.continue();
    });
    await page.goto(screens.address('runs?group=parameter:arch'));
    await page.getByRole('region', { name: 'Groups of runs' }).getByText('loading …').waitFor();
    await page.getByRole('button', { name: /▸ vit/ }).waitFor();
    await page.unroute('**/v1/private/ui/runs/groups');
  });

  it('says that a project is gone that was deleted under the page', async () => {
    const { page } = opened;
    await create('doomed', 'of a doomed project');
    await page.goto(place('doomed'));
    await page.locator('.row[data-key]').first().waitFor();
    await screens.ask('POST', '/api/rest/v2/write/project/delete', {
      workspaceName: screens.server.workspace,
      projectName: 'doomed',
      deleteAllExperiments: true,
    });
    await page.getByRole('button', { name: 'archived' }).click();
    await page
      .locator('.fault')
      .filter({ hasText: /not found/ })
      .first()
      .waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  });

  it('says that the session has ended elsewhere, keeps what is shown and leads to sign-in and back', async () => {
    const one = await screens.signIn({ width: 1280 });
    const { page } = one;
    await page.goto(screens.address('runs?q=vit'));
    await page.locator('.row[data-key]').first().waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'archived' }).click();
    await page.getByRole('alert').getByText('Your session has ended').waitFor();
    await holds(async () =>
      expect(await page.locator('.row[data-key]:not([hidden])').count()).to.be.greaterThan(0),
    );
    await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
    await holds(() => expect(new URL(page.url()).searchParams.get('returnTo')).to.contain('q=vit'));
    expect(
      await page.evaluate(() =>
        JSON.stringify((globalThis as unknown as { localStorage: unknown }).localStorage),
      ),
    ).to.not.match(/token|csrf|session/i); // this runs in the browser
    await one.context.close();
  });

  it('keeps what was not stored in its field, and asks before it is lost', async () => {
    const { page, context } = await screens.signIn({ width: 1280 });
    await page.goto(screens.address(`run/${screens.runs[0]?.key ?? ''}`));
    const field = page.getByLabel('Comment', { exact: true });
    const send = page.getByRole('button', { name: 'Comment', exact: true });
    await field.fill('worth keeping');
    await context.setOffline(true);
    await send.click();
    await page.getByText('the server cannot be reached').first().waitFor();
    await context.setOffline(false);
    for (const leave of [
      () => page.evaluate('location.reload()'),
      () => page.getByRole('link', { name: 'charts', exact: true }).click(),
    ]) {
      const asked = page.waitForEvent('dialog');
      const leaving = leave();
      const dialog = await asked;
      expect(dialog.type()).to.equal('beforeunload');
      await dialog.dismiss();
      await leaving;
      expect(await field.inputValue()).to.equal('worth keeping');
    }
    await send.click();
    await page.locator('.comments li').getByText('worth keeping').waitFor();
    await holds(async () => expect(await field.inputValue()).to.equal(''));
    await page.goto(screens.address('runs'));
    await page.getByRole('button', { name: /^views/ }).click();
    await page.getByRole('menuitem', { name: 'Save as' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('a view worth keeping');
    await context.setOffline(true);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await page.getByRole('alert').filter({ hasText: 'the server cannot be reached' }).waitFor();
    expect(await name.inputValue()).to.equal('a view worth keeping');
    await context.setOffline(false);
    await save.click();
    await page.getByRole('button', { name: /^a view worth keeping/ }).waitFor();
    await context.close();
  });

  it('leaves a dialog open where a text in it is marked to beyond its edge, and asks before what is written in it is lost', async () => {
    const { page, context } = await screens.signIn({ width: 1280 });
    await page.goto(screens.address('/datasets'));
    await page.getByRole('navigation').getByRole('link', { name: 'prompts', exact: true }).click();
    await page.getByRole('button', { name: 'New prompt' }).click();
    const dialog = page.getByRole('dialog', { name: 'New prompt' });
    const field = dialog.getByLabel('Name', { exact: true });
    const box = await placeAtRest(field);
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, box.y, { steps: 4 });
    await page.mouse.up();
    await field.fill('half a name');
    await page.mouse.click(5, 300);
    await holds(async () => expect(await field.inputValue()).to.equal('half a name'));
    const answered = async (leave: () => Promise<unknown>, answer: 'accept' | 'dismiss') => {
      const asked = page.waitForEvent('dialog');
      const leaving = leave();
      const question = await asked;
      expect(question.type()).to.equal('confirm');
      await question[answer]();
      await leaving;
    };
    const escape = () => page.keyboard.press('Escape');
    const goBack = () => page.evaluate('history.back()');
    // The browser closes a dialog at a second Escape by itself, unless the page hears of the key.
    for (const leave of [escape, escape, goBack, goBack]) {
      await answered(leave, 'dismiss');
      expect(await field.inputValue()).to.equal('half a name');
      await page.waitForURL(/\/prompts$/);
    }
    await answered(goBack, 'accept');
    await page.getByRole('heading', { name: 'Datasets' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.goForward();
    await page.getByRole('button', { name: 'New prompt' }).click();
    await field.fill('once more');
    await answered(escape, 'accept');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New prompt' }).click();
    await field.fill('once more');
    await field.fill('');
    await page.mouse.click(5, 300);
    await dialog.waitFor({ state: 'detached' });
    await context.close();
  });

  it('goes on with the session that one began beside it', async () => {
    const { page, context } = await screens.signIn({ width: 1280 });
    await page.goto(screens.address(`run/${screens.runs[0]?.key ?? ''}`));
    const field = page.getByLabel('Comment', { exact: true });
    const send = page.getByRole('button', { name: 'Comment', exact: true });
    const said = page.locator('.comments li');
    const beside = await context.newPage();
    const signInAnew = async () => {
      await context.clearCookies();
      await beside.goto(`${screens.server.url}/login`);
      await beside.getByLabel('User name or e-mail').fill('admin');
      await beside.getByLabel('Password').fill(password);
      await beside.getByRole('button', { name: 'Sign in' }).click();
      await beside.waitForURL((at) => at.pathname !== '/login');
    };
    await field.fill('by another token');
    await signInAnew();
    await send.click();
    await said.getByText('by another token').waitFor();
    await field.fill('after it had ended');
    await context.clearCookies();
    await send.click();
    const ended = page.getByRole('alert').getByText('Your session has ended');
    await ended.waitFor();
    await signInAnew();
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await ended.waitFor({ state: 'detached' });
    await send.click();
    await said.getByText('after it had ended').waitFor();
    await context.close();
  });
});
