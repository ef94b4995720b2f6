// The pages of traces: the list, one trace, and conversations.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { v7 } from 'uuid';
import { becomes, holds, placeAtRest } from './becomes.js';
import { holdsForEverybody } from './faultless.js';
import { axeFaults, type OpenedPage } from './browser.js';
import { agreeTo, letGo, takeBack } from './deleting.js';
import { watchTasks } from './long-tasks.js';
import { openScreens, type Screens } from './signed-in.js';
import {
  manySpans,
  markup,
  readSpan,
  readThread,
  readTrace,
  sendOneMore,
  sendTraces,
  type SentTraces,
} from './trace-data.js';

describe('the pages of traces in a browser', function () {
  this.timeout(60_000);
  let screens: Screens;
  let sent: SentTraces;
  let opened: OpenedPage;
  before('start a server and a browser, and send traces', async function () {
    screens = await openScreens(this, { count: 1 });
    sent = await sendTraces(screens);
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
  });
  const list = () => opened.page.getByRole('table', { name: 'Traces' });
  const rowOf = (name: string) => list().getByRole('row').filter({ hasText: name });
  const openList = async (query = '') => {
    await opened.page.goto(screens.address(`traces${query}`));
    await list().locator('.row[data-key]').first().waitFor();
  };
  const told = (text: string | RegExp) => opened.page.getByRole('status').getByText(text);
  const tree = () => opened.page.getByRole('treegrid', { name: 'Spans' });
  const spanRow = (name: string) => tree().getByRole('row').filter({ hasText: name });
  const detail = () => opened.page.getByRole('region', { name: 'What is chosen' });
  const openTrace = async (id: string, query = '') => {
    await opened.page.goto(screens.address(`trace/${id}${query}`));
    await tree().locator('.row[data-key]').first().waitFor();
  };

  /** Has the page of a trace come without its spans from now on, as where the server had none in time. */
  const bringNoSpans = async (page: Page) => {
    const brought = /<script[^>]* id="spans">.*?<\/script>/s;
    await page.route('**/p/vision/trace/*', async (route) => {
      const response = await route.fetch();
      const body = await response.text();
      expect(body).to.match(brought);
      await route.fulfill({ response, body: body.replace(brought, '') });
    });
  };

  it('leads to the traces from the runs of the project', async () => {
    const { page } = opened;
    await page.goto(screens.address('runs'));
    await page
      .getByRole('navigation', { name: 'Parts of the project' })
      .getByRole('link', { name: 'traces' })
      .click();
    await rowOf('agent').first().waitFor();
    await holds(() => expect(new URL(page.url()).pathname).to.match(/\/p\/vision\/traces$/));
  });

  it('shows of each trace what it was given and gave, how long it took, its tags and scores', async () => {
    await openList();
    const text = await rowOf('chat 1').first().textContent();
    for (const part of ['question 1', 'answer 1', '110 ms', 'odd', 'helpful 0.25', 'thread/one'])
      expect(text).to.contain(part);
    await holds(async () =>
      expect(await rowOf('broken').textContent()).to.contain('✗ TimeoutError'),
    );
    await holds(async () => expect(await rowOf('unfinished').textContent()).to.contain('running'));
    await told(new RegExp(`^${sent.count} traces`)).waitFor();
  });

  it('scrolls through all of them, with elements for those on the screen alone', async () => {
    await openList('?charts=off');
    expect(await list().locator('.row[data-key]').count()).to.be.lessThan(60);
    await list().evaluate((at) => {
      at.scrollTop = at.scrollHeight;
    });
    await rowOf('chat 119').waitFor();
    expect(await list().locator('.row[data-key]').count()).to.be.lessThan(60);
  });

  it('sorts by a column, and says in the address by which', async () => {
    const { page } = opened;
    await openList();
    await list().getByRole('button', { name: 'duration' }).click();
    await page.waitForURL(/sort=-duration/);
    await list().locator('.body .row').first().getByText('large', { exact: true }).waitFor();
    await list().getByRole('button', { name: 'duration' }).click();
    await page.waitForURL(/sort=duration/);
    await page.goBack();
    await holds(() => expect(page.url()).to.match(/sort=-duration/));
  });

  it('filters by a field, an operator and a value, and takes a filter away', async () => {
    const { page } = opened;
    await openList();
    await page.getByRole('button', { name: '+ Filter' }).click();
    const form = page.getByRole('dialog', { name: 'Filter' });
    await form.getByLabel('Field').selectOption('feedback_scores');
    await form.getByLabel('Name of the score').fill('helpful');
    await form.getByLabel('Operator').selectOption('>=');
    await form.getByLabel('Value').fill('much');
    await form.getByRole('button', { name: 'Apply' }).click();
    await form.getByRole('alert').getByText('feedback_scores is compared with a number').waitFor();
    await form.getByLabel('Value').fill('0.5');
    await form.getByRole('button', { name: 'Apply' }).click();
    await told(/^2 traces/).waitFor();
    const again = page.url();
    await page.goto(again);
    await told(/^2 traces/).waitFor();
    await page.getByRole('button', { name: /^Remove the filter feedback_scores/ }).click();
    await told(new RegExp(`^${sent.count} traces`)).waitFor();
  });

  it('filters by the value of a cell that is pressed with the alt key', async () => {
    await openList();
    await rowOf('broken')
      .getByText('✗ TimeoutError')
      .click({ modifiers: ['Alt'] });
    await told(/^1 traces/).waitFor();
    await opened.page.getByRole('button', { name: 'error_type = TimeoutError' }).first().waitFor();
  });

  it('finds traces by a text, and says so where there are none', async () => {
    const { page } = opened;
    await openList();
    await page.getByLabel('Search in traces').fill('question 77');
    await page.getByLabel('Search in traces').press('Enter');
    await told(/^1 traces/).waitFor();
    await rowOf('chat 77').waitFor();
    await page.goto(screens.address('traces?q=nothing-has-this'));
    await page.getByText('No trace matches this.').waitFor();
  });

  it('tells above the list how many there are, how many failed, and how long they took', async () => {
    await openList();
    const figures = opened.page.locator('dl.figures');
    await figures.getByText('p90 duration').waitFor();
    await holds(async () =>
      expect(await figures.textContent())
        .to.contain(`traces${sent.count}`)
        .and.contain('failed0.8 %')
        .and.contain('helpful0.375')
        .and.match(/cost\$0\.\d/)
        .and.match(/tokens1\D810/),
    );
  });

  it('draws them over time, as a table too, and a stretch that is dragged over is zoomed to', async () => {
    const { page } = opened;
    await openList();
    const chart = page.getByRole('img', { name: 'Traces over time' });
    await chart.waitFor();
    await page.getByText('As a table').click();
    const rows = page.getByRole('region', { name: 'Charts as a table' }).getByRole('row');
    await holds(async () => expect(await rows.last().textContent()).to.match(/\d/));
    await page.getByRole('columnheader', { name: 'p95 duration' }).waitFor();
    await holds(async () =>
      expect((await rows.getByRole('cell').allTextContents()).join(' ')).to.match(/\d m?s\b/),
    );
    const box = await placeAtRest(chart);
    await page.mouse.move(box.x + 1, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.up();
    await page.waitForURL(/from=.*&to=/);
    await page.getByText('No trace in this time.').waitFor();
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await told(new RegExp(`^${sent.count} traces`)).waitFor();
  });

  it('looks at a time that is chosen, and refuses one that ends before it begins', async () => {
    const { page } = opened;
    await openList();
    await page.getByRole('button', { name: 'Choose a time' }).click();
    const form = page.getByRole('form', { name: 'Time' });
    await form.getByLabel('From').fill('2026-01-02T10:00');
    await form.getByLabel('To', { exact: true }).fill('2026-01-01T10:00');
    await form.getByRole('button', { name: 'Look at it' }).click();
    await form.getByRole('alert').getByText('the end must be after the beginning').waitFor();
    await form.getByLabel('To', { exact: true }).fill('2026-01-03T10:00');
    await form.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('No trace in this time.').waitFor();
    await holds(() => expect(page.url()).to.match(/from=2026-01-0\d.*&to=2026-01-0\d/));
    await page.getByRole('button', { name: 'Look at all time' }).click();
    await told(new RegExp(`^${sent.count} traces`)).waitFor();
  });

  it('has the columns that are chosen, also after it is loaded again', async () => {
    const { page } = opened;
    await openList();
    await page.getByRole('button', { name: 'Columns' }).click();
    const picker = page.getByRole('group', { name: 'Columns' });
    await picker.getByLabel('input', { exact: true }).uncheck();
    await picker.getByLabel('score helpful').check();
    await page.waitForURL(/cols=/);
    await page.reload();
    await list().getByRole('columnheader', { name: 'helpful' }).waitFor();
    await holds(async () =>
      expect(await list().getByRole('columnheader', { name: 'input' }).count()).to.equal(0),
    );
    await rowOf('chat 1').first().waitFor();
    await holds(async () => expect(await rowOf('chat 1').first().textContent()).to.contain('0.25'));
  });

  it('keeps what is looked at as a view by a name, and opens it again', async () => {
    const { page } = opened;
    await openList('?filters=error_info%3A%3Ais_not_empty%3A&sort=duration');
    await told(/^1 traces/).waitFor();
    await page.getByRole('button', { name: 'views' }).click();
    await page.getByRole('menuitem', { name: 'Save as …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this view' });
    await dialog.getByLabel('Name').fill('failures');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'failures' }).waitFor();
    await openList();
    await told(new RegExp(`^${sent.count} traces`)).waitFor();
    await page.getByRole('button', { name: 'views' }).click();
    await page.getByRole('menuitem', { name: 'failures' }).click();
    await told(/^1 traces/).waitFor();
    await holds(() => expect(page.url()).to.contain('sort=duration'));
  });

  it('shows a trace beside the list, and the one below it by a key', async () => {
    const { page } = opened;
    await openList();
    await rowOf('chat 0').first().locator('[data-at="0"]').click();
    const peek = page.getByRole('complementary', { name: 'The trace at a glance' });
    await peek.getByText('answer 0', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await peek.getByText('answer 1', { exact: true }).waitFor();
    await holds(() => expect(page.url()).to.contain('peek='));
    await page.keyboard.press('Escape');
    await peek.waitFor({ state: 'detached' });
  });

  it('tags what is selected and takes that back', async () => {
    const { page } = opened;
    await openList();
    await list().getByLabel('Select agent').click();
    await list().getByLabel('Select broken').click();
    const bar = page.getByRole('toolbar', { name: 'Selected traces' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByLabel('Add a tag').fill('seen');
    await bar.getByLabel('Add a tag').press('Enter');
    await told('2 traces tagged seen').waitFor();
    expect((await readTrace(screens, sent.agent))['tags']).to.deep.equal(['prod', 'seen']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await told('2 traces no longer tagged seen').waitFor();
    expect((await readTrace(screens, sent.agent))['tags']).to.deep.equal(['prod']);
  });

  it('deletes what is selected after a while in which it can be taken back', async () => {
    const { page } = opened;
    const id = await sendOneMore(screens, 'to delete');
    await openList();
    const other = await sendOneMore(screens, 'to delete too');
    const remove = async (names: readonly string[]) => {
      for (const name of names) await list().getByLabel(`Select ${name}`, { exact: true }).click();
      await agreeTo(page, `Delete ${names.length} ${names.length === 1 ? 'trace' : 'traces'}`);
    };
    await rowOf('to delete too').waitFor();
    await remove(['to delete']);
    await list().locator('.goes', { hasText: 'to delete' }).waitFor();
    await takeBack(page, '1 trace');
    await list().locator('.goes').waitFor({ state: 'detached' });
    expect((await readTrace(screens, id))['name']).to.equal('to delete');
    await remove(['to delete', 'to delete too']);
    // It is done as from this page, whichever is looked at by then.
    await page.locator('.top .mark').click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await letGo(page, '2 traces', 'are deleted');
    for (const one of [id, other])
      expect(await readTrace(screens, one).catch(String)).to.contain('404');
    await openList();
    expect(await rowOf('to delete').count()).to.equal(0);
  });

  it('deletes a trace by its page, which is left at once and come back to where that is taken back', async () => {
    const { page } = opened;
    const id = await sendOneMore(screens, 'by itself');
    await openTrace(id);
    await agreeTo(page, 'Delete the trace by itself');
    await list().locator('.goes', { hasText: 'by itself' }).waitFor();
    await takeBack(page, 'The trace by itself');
    await page.waitForURL(screens.address(`trace/${id}`));
    expect((await readTrace(screens, id))['name']).to.equal('by itself');
    await agreeTo(page, 'Delete the trace by itself');
    await letGo(page, 'The trace by itself');
    await rowOf('by itself').waitFor({ state: 'detached' });
    expect(await readTrace(screens, id).catch(String)).to.contain('404');
  });

  it('shows new traces by itself, and further down only says that they came', async () => {
    await openList('?charts=off');
    await sendOneMore(screens, 'just came');
    await rowOf('just came').waitFor();
    await list().evaluate((at) => {
      at.scrollTop = 800;
    });
    await sendOneMore(screens, 'came later');
    const show = opened.page.getByRole('button', { name: '1 new: show' });
    await show.waitFor();
    expect(await list().evaluate((at) => at.scrollTop)).to.equal(800);
    await show.click();
    await told(new RegExp(`^${sent.count + 2} traces`)).waitFor();
  });

  it('shows the spans as a tree whose costs and tokens add up, with those of no parent and of a circle', async () => {
    await openTrace(sent.agent);
    await told('7 of 7 spans shown').waitFor();
    await holds(async () =>
      expect(await spanRow('agent.run').textContent()).to.match(/1\.90 s1\s810\$/),
    );
    await holds(async () =>
      expect(await spanRow('orphan').textContent()).to.contain('its parent is not here'),
    );
    await holds(async () => expect(await spanRow('plan').getAttribute('aria-level')).to.equal('3'));
    await holds(async () =>
      expect(await spanRow('circle b').getAttribute('aria-level')).to.equal('3'),
    );
    const classes = (await spanRow('search').getAttribute('class')) ?? '';
    expect(classes).to.contain('slow').and.to.contain('failed');
  });

  it('is where the links lead that SDKs print', async () => {
    const query = new URLSearchParams({
      trace_id: sent.agent,
      path: Buffer.from(`${screens.server.url}/opik/api`).toString('base64'),
    });
    const path = '/opik/api/v1/session/redirect/projects/';
    await opened.page.goto(`${screens.server.url}${path}?${query.toString()}`);
    await opened.page.getByRole('heading', { name: 'agent' }).waitFor();
    await spanRow('plan').waitFor();
    await holds(() => expect(opened.page.url()).to.equal(screens.address(`trace/${sent.agent}`)));
  });

  it('moves by keys, folds, and names the span in the address', async () => {
    const { page } = opened;
    await openTrace(sent.agent);
    await spanRow('plan').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(new RegExp(`span=${sent.spans['agent.run']}`));
    await page.keyboard.press('ArrowLeft');
    await spanRow('plan').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await spanRow('plan').waitFor();
    await page.keyboard.press('e');
    await page.waitForURL(new RegExp(`span=${sent.spans['search']}`));
    await detail().getByText('✗ TimeoutError').waitFor();
    await detail().getByText('File "search.py", line 7').waitFor();
    await page.reload();
    await detail().getByText('the index did not answer').waitFor();
  });

  it('copies the link to the span that is looked at', async () => {
    const { page } = opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openTrace(sent.agent);
    await spanRow('search').first().click();
    await page.waitForURL(/span=/);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied').waitFor();
    const link = await page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    ); // this runs in the browser
    expect(new URL(link).searchParams.get('span')).to.equal(sent.spans['search']);
    await page.goto(link);
    await detail().getByText('the index did not answer').first().waitFor();
  });

  it('finds spans by a text and shows only those that failed, with what is above them', async () => {
    const { page } = opened;
    await openTrace(sent.agent);
    await page.getByLabel('Search in spans').fill('plan');
    await told('2 of 7 spans shown').waitFor();
    await page.getByLabel('Search in spans').fill('');
    await page.getByRole('button', { name: 'Only errors' }).click();
    await told('2 of 7 spans shown').waitFor();
    await spanRow('search').waitFor();
    await holds(async () => expect(await spanRow('plan').count()).to.equal(0));
    await holds(() => expect(page.url()).to.contain('errors=1'));
  });

  it('leads through what is worth looking at, by presses, by a key and by a link', async () => {
    const { page } = opened;
    await openTrace(sent.agent);
    await page.getByRole('button', { name: 'Guide' }).click();
    const guide = () => page.getByRole('region', { name: 'Guide through the trace' });
    await guide().getByRole('button', { name: 'Next' }).click();
    await guide().getByText('search failed: TimeoutError: the index did not answer').waitFor();
    await holds(() =>
      expect(new URL(page.url()).searchParams.get('span')).to.equal(sent.spans['search']),
    );
    await detail().getByText('✗ TimeoutError').waitFor();
    await page.keyboard.press('g');
    await guide()
      .getByText(/search takes 1\.20 s, \d\d % of the trace/)
      .waitFor();
    await guide().getByRole('button', { name: 'tokens' }).click();
    await guide().getByText('answer takes 1\u202f000 tokens, 55 % of the trace').waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.reload();
    await guide().getByText('answer takes 1\u202f000 tokens, 55 % of the trace').waitFor();
    await holds(async () =>
      expect(
        await guide().getByRole('button', { name: 'tokens' }).getAttribute('aria-current'),
      ).to.equal('step'),
    );
    await page.getByRole('button', { name: 'Guide' }).click();
    await guide().waitFor({ state: 'detached' });
  });

  it('shows messages as a chat, calls of tools, and the same as JSON', async () => {
    const { page } = opened;
    await openTrace(sent.agent);
    const input = detail().getByRole('region', { name: 'Input' });
    await input.getByText('refund', { exact: true }).waitFor();
    await holds(async () => expect(await input.locator('em').textContent()).to.equal('refund'));
    await input.getByText('system').click();
    await holds(async () => expect(await input.locator('strong').textContent()).to.equal('brief'));
    await page.goto(screens.address(`trace/${sent.agent}?span=${sent.spans['plan']}`));
    const output = detail().getByRole('region', { name: 'Output' });
    await output.getByText('⚒ search').waitFor();
    await holds(async () => expect(await output.textContent()).to.contain('term: refund'));
    await output.getByRole('button', { name: 'JSON' }).click();
    await output.getByText('choices:').waitFor();
    await detail().getByText('gpt-4o', { exact: true }).waitFor();
  });

  it('shows a trace as what happened one after another, and as what models were told and said', async () => {
    const { page } = opened;
    await openTrace(sent.agent);
    await spanRow('plan').waitFor();
    await page.getByRole('button', { name: 'log', exact: true }).click();
    const log = page.getByRole('table', { name: 'Spans one after another' });
    await log.getByText('search', { exact: true }).waitFor();
    const names = await becomes(
      () => log.locator('.row[data-key]:not([hidden])').allTextContents(),
      ({ length }) => length === 7,
    );
    expect(names[0]).to.match(/^\+.*agent\.run/);
    expect(names.findIndex((one) => one.includes('plan'))).to.be.below(
      names.findIndex((one) => one.includes('search')),
    );
    expect(names.find((one) => one.includes('search'))).to.contain('TimeoutError');
    await page.getByLabel('Search in spans').fill('plan');
    await told('1 of 7 spans shown').waitFor();
    await log.locator('.row[data-key]:visible').nth(1).waitFor({ state: 'detached' }); // else the row may still move
    await log.locator('.row[data-key]:visible').getByRole('link').click();
    await detail().getByText('gpt-4o', { exact: true }).waitFor();
    await page.getByLabel('Search in spans').fill('');
    await page.getByRole('button', { name: 'chat', exact: true }).click();
    const said = page.getByRole('list', { name: 'What models were told and said' });
    await said.getByRole('list', { name: 'What plan was told' }).getByText('plan it').waitFor();
    await said.getByText('⚒ search').waitFor();
    await page.waitForURL(/view=chat/);
    await page.reload();
    await said.getByText('plan it').waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
  });

  it('folds what a conversation repeats, and finds a text in a value', async () => {
    const { page } = opened;
    const start_time = new Date().toISOString();
    const one = {
      ...{ id: v7(), project_name: 'vision', name: 'repeating', start_time, end_time: start_time },
      input: {
        messages: Array.from({ length: 30 }, (_, at) => ({
          role: at % 2 === 0 ? 'user' : 'assistant',
          content: `said ${at}`,
        })),
      },
      output: { deep: { list: [{ 'a key': 'nothing' }, { found: `the needle ${markup}` }] } },
    };
    await screens.ask('POST', '/opik/api/v1/private/traces/batch', { traces: [one] });
    await openTrace(one.id);
    const input = detail().getByRole('region', { name: 'Input' });
    await input.getByText('said 29').waitFor();
    await holds(async () => expect(await input.getByText('said 23').count()).to.equal(0));
    await input.getByRole('button', { name: '24 earlier messages' }).click();
    await input.getByText('said 0', { exact: true }).waitFor();
    const output = detail().getByRole('region', { name: 'Output' });
    await output.getByRole('button', { name: 'Search in the output' }).click();
    const field = output.getByLabel('What to look for in the output');
    await field.fill('NEEDLE');
    await output.getByText('1 place').waitFor();
    await output.getByText('deep.list[1].found').waitFor();
    await field.fill('a k');
    await output.getByText('deep.list[0]["a key"]').waitFor();
    await field.fill('not there');
    await output.getByText('0 places').waitFor();
    await holds(async () => expect(await page.title()).to.equal('vision · Orrery'));
  });

  it('opens an output of ten megabytes and a tree of 130 levels without a task that is felt', async function () {
    this.timeout(120_000);
    const { page, context } = await screens.signIn();
    const at = Date.now();
    const time = (ms: number) => new Date(at + ms).toISOString();
    const trace = v7();
    const spans = Array.from({ length: 130 }, () => v7());
    await screens.ask('POST', '/opik/api/v1/private/traces/batch', {
      traces: [
        {
          ...{ id: trace, project_name: 'vision', name: 'huge', start_time: time(0) },
          end_time: time(1000),
          output: {
            text: 'long '.repeat(1_000_000),
            rows: Array.from({ length: 50_000 }, (_, row) => ({
              row,
              of: 'a value of some length',
            })),
            picture: `data:image/png;base64,${'A'.repeat(2_000_000)}`,
          },
        },
      ],
    });
    await screens.ask('POST', '/opik/api/v1/private/spans/batch', {
      spans: spans.map((id, level) => ({
        ...{ id, trace_id: trace, project_name: 'vision', name: `level ${level}`, type: 'general' },
        ...(level === 0 ? {} : { parent_span_id: spans[level - 1] }),
        ...{ start_time: time(level), end_time: time(1000 - level) },
      })),
    });
    const tasks = await watchTasks(page);
    await page.goto(screens.address(`trace/${trace}`));
    const output = page
      .getByRole('region', { name: 'What is chosen' })
      .getByRole('region', { name: 'Output' });
    const text = output.getByText(/50.000 more of 5.000.000 characters/);
    await text.waitFor();
    await holds(() =>
      expect(page.workers().map((one) => new URL(one.url()).pathname)).to.have.length(1),
    );
    await tasks.expectNone('an output of ten megabytes');
    await text.click();
    await output.getByText(/50.000 more of 5.000.000 characters/).waitFor();
    await output.getByText('rows: [50000]').click();
    await output.getByText('49900 more').click();
    await output.getByText('49800 more').waitFor();
    await output.getByText('199: {2}').click();
    await output.getByText('of: a value of some length').first().waitFor();
    await tasks.expectNone('parts of it that were unfolded');
    await output.getByRole('button', { name: 'Search in the output' }).click();
    await output.getByLabel('What to look for in the output').fill('49999');
    await output.getByText('rows[49999].row').waitFor();
    await tasks.expectNone('a search in it');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      output.getByRole('button', { name: 'Download the output' }).click(),
    ]);
    expect(file.suggestedFilename()).to.equal('output.json');
    const whole = JSON.parse(readFileSync(await file.path(), 'utf8')) as Record<string, unknown>; // as it was sent
    expect(String(whole['text']).length).to.equal(5_000_000);
    expect((whole['rows'] as readonly unknown[])[49_999]).to.deep.equal({
      row: 49_999,
      of: 'a value of some length',
    });
    await tasks.expectNone('its download');
    await page
      .getByRole('row', { name: /level 0/ })
      .first()
      .waitFor();
    await page.locator('.row[data-key]').first().click();
    await page.keyboard.press('End');
    await page.getByText('level 129').first().waitFor();
    await tasks.expectNone('a tree of 130 levels');
    await context.close();
  });

  it('shows the files of a trace', async () => {
    await openTrace(sent.agent);
    const files = detail().getByRole('region', { name: 'Files' });
    const image = files.getByRole('img', { name: 'seen.png' });
    await image.waitFor();
    await holds(async () => expect(await files.textContent()).to.contain('image/png'));
  });

  it('scores a span and takes the score back, and refuses what is no number', async () => {
    const id = sent.spans['plan'] ?? '';
    await openTrace(sent.agent, `?span=${id}`);
    const form = detail().getByRole('form', { name: 'Score the span' });
    await form.getByLabel('Name of the score').fill('grounded');
    await form.getByLabel('Value').fill('good');
    await form.getByRole('button', { name: 'Score' }).click();
    await form.getByRole('alert').getByText('a score is a number').waitFor();
    await form.getByLabel('Value').fill('0.75');
    await form.getByLabel('Reason').fill('cites the order');
    await form.getByRole('button', { name: 'Score' }).click();
    const scores = detail().getByRole('region', { name: 'Scores' });
    await scores.getByText('cites the order').waitFor();
    const [stored] = (await readSpan(screens, id))['feedback_scores'] as readonly unknown[]; // as the row says
    expect(stored).to.deep.include({ name: 'grounded', value: 0.75, source: 'ui' });
    await opened.page.clock.install();
    await scores.getByRole('button', { name: 'Delete the score grounded' }).click();
    await takeBack(opened.page, 'The score grounded');
    await scores.getByRole('button', { name: 'Delete the score grounded' }).click();
    await scores.getByText('being deleted').waitFor();
    await letGo(opened.page, 'The score grounded');
    expect(await readSpan(screens, id)).not.to.have.property('feedback_scores');
  });

  it('comments on a trace, changes the comment, deletes it, and tags in place', async () => {
    const { page } = opened;
    await openTrace(sent.agent);
    const comments = detail().getByRole('region', { name: 'Comments' });
    await comments.getByLabel('Comment', { exact: true }).fill('look at the tool');
    await comments.getByRole('button', { name: 'Comment' }).click();
    await comments.getByText('look at the tool').waitFor();
    await comments.getByRole('button', { name: 'Edit' }).click();
    await comments.getByLabel('Your comment').fill('look at the index');
    await comments.getByRole('button', { name: 'Save' }).click();
    await comments.getByText('look at the index').waitFor();
    const [stored] = (await readTrace(screens, sent.agent))['comments'] as readonly unknown[]; // as the row says
    expect(stored).to.deep.include({ text: 'look at the index' });
    await page.clock.install();
    await comments.getByRole('button', { name: 'Delete' }).click();
    await letGo(page, 'The comment look at the index');
    await comments.getByText('look at the index').waitFor({ state: 'detached' });
    expect(await readTrace(screens, sent.agent)).not.to.have.property('comments');
    await page.getByLabel('Add a tag').fill('checked');
    await page.getByLabel('Add a tag').press('Enter');
    await page.getByRole('button', { name: 'Remove the tag checked' }).click();
    await page
      .getByRole('button', { name: 'Remove the tag checked' })
      .waitFor({ state: 'detached' });
    expect((await readTrace(screens, sent.agent))['tags']).to.deep.equal(['prod']);
  });

  it('opens a trace of many spans fluently, with elements for those on the screen alone', async () => {
    const { page } = opened;
    await openTrace(sent.large);
    await told(`${manySpans.toLocaleString('en').replace(',', '\u202f')} of`).waitFor();
    expect(await tree().locator('.row[data-key]').count()).to.be.lessThan(60);
    const began = Date.now();
    await page.keyboard.press('End');
    await spanRow('step 2998').waitFor();
    expect(Date.now() - began).to.be.lessThan(3000);
    await page.getByRole('button', { name: 'Only errors' }).click();
    await spanRow('step 2500').waitFor();
    await page.getByRole('button', { name: 'Only errors' }).click();
    await page.getByRole('button', { name: 'Fold all', exact: true }).click();
    await told(/^1 of/).waitFor();
  });

  it('says of a trace of more spans than are shown how many those are', async function () {
    this.timeout(120_000);
    const { page, context } = await screens.signIn();
    await bringNoSpans(page);
    const tasks = await watchTasks(page);
    const start_time = new Date().toISOString();
    let [asked, sentSoFar] = [0, 0];
    await page.route('**/v1/private/spans/search', (route) => {
      const { limit } = JSON.parse(route.request().postData() ?? '{}') as { limit: number }; // as the page sends it
      const from = sentSoFar;
      asked++;
      sentSoFar += limit;
      const lines = Array.from({ length: limit }, (_, at) => ({
        ...{ id: `span-${from + at}`, name: `step ${from + at}`, type: 'tool' },
        ...{ start_time, end_time: start_time },
      }));
      return route.fulfill({ body: lines.map((one) => `${JSON.stringify(one)}\n`).join('') });
    });
    await page.goto(screens.address(`trace/${sent.agent}`));
    await page
      .getByText(/50.000 of 50.000 spans shown; only the newest 50.000 were asked for/)
      .waitFor({ timeout: 60_000 });
    expect([asked, sentSoFar]).to.deep.equal([26, 50_000]);
    expect(await page.locator('.row[data-key]').count()).to.be.below(200);
    await tasks.expectNone('a trace of 50,000 spans');
    await context.close();
  });

  it('begins with the traces that the server sent along, and asks for none of them', async () => {
    const { page, context } = await screens.signIn();
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      // Whether there are more is asked for one at a time.
      if (url.pathname.endsWith('/v1/private/traces') && url.searchParams.get('size') !== '1')
        asked.push(url.search);
    });
    const row = page.getByRole('table', { name: 'Traces' }).locator('.row[data-key]').first();
    for (const search of ['', '?range=7d&sort=-duration&cols=start,duration']) {
      await page.goto(screens.address(`traces${search}`));
      await row.waitFor();
    }
    expect(asked).to.deep.equal([]);
    await page.getByRole('link', { name: 'Threads' }).click();
    await page.goBack();
    await row.waitFor();
    await holds(() => expect(asked).to.have.length(1));
    await context.close();
  });

  it('begins with the first spans that the server sent along, before the trace itself is there', async () => {
    const { page, context } = await screens.signIn();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/spans/search')) asked.push(request.url());
    });
    let letCome = () => {};
    const mayCome = new Promise<void>((resolve) => {
      letCome = resolve;
    });
    await page.route(`**/v1/private/traces/${sent.agent}?*`, async (route) => {
      await mayCome;
      await route.continue();
    });
    const rows = page.getByRole('treegrid', { name: 'Spans' }).locator('.row[data-key]');
    const root = rows.filter({ hasText: 'agent.run' });
    const head = page.getByRole('heading', { level: 1, name: 'agent', exact: true });
    await page.goto(screens.address(`trace/${sent.agent}`));
    await root.waitFor();
    await holds(async () => expect(await head.count()).to.equal(0));
    await page
      .getByRole('region', { name: 'What is chosen' })
      .getByText('loading …')
      .first()
      .waitFor();
    letCome();
    await head.waitFor();
    await root.waitFor();
    expect(asked).to.deep.equal([]);
    await bringNoSpans(page);
    await page.reload();
    await root.waitFor();
    expect(asked).to.have.length(1);
    await context.close();
  });

  it('shows spans whose trace has not come, and the trace once it has', async () => {
    const { page } = opened;
    const [trace_id, began] = [v7(), Date.now()];
    const at = (ms: number) => new Date(began + ms).toISOString();
    const times = { start_time: at(0), end_time: at(20) };
    await screens.ask('POST', '/opik/api/v1/private/spans/batch', {
      spans: [
        { id: v7(), trace_id, project_name: 'vision', name: 'came first', type: 'tool', ...times },
      ],
    });
    await page.goto(screens.address(`trace/${trace_id}`));
    await spanRow('came first').waitFor();
    await detail().getByText('The trace itself has not arrived yet').waitFor();
    await told('1 of 1 spans shown').waitFor();
    await screens.ask('POST', '/opik/api/v1/private/traces/batch', {
      traces: [{ id: trace_id, project_name: 'vision', name: 'came last', ...times }],
    });
    await page.getByRole('heading', { name: 'came last' }).waitFor();
    await spanRow('came first').waitFor();
  });

  it('shows all spans of a trace that runs, however long they take to come', async () => {
    const { page, context } = await screens.signIn();
    const [trace_id, began] = [v7(), Date.now()];
    const at = (ms: number) => new Date(began + ms).toISOString();
    const all = Array.from({ length: 2500 }, (_, step) => ({
      ...{ id: v7({ msecs: began + step }), trace_id, project_name: 'vision', type: 'tool' },
      ...{ name: `slowly ${step}`, start_time: at(step), end_time: at(step + 1) },
    }));
    for (let from = 0; from < all.length; from += 1000)
      await screens.ask('POST', '/opik/api/v1/private/spans/batch', {
        spans: all.slice(from, from + 1000),
      });
    await page.route('**/v1/private/spans/search', async (route) => {
      await new Promise((wake) => setTimeout(wake, 2500));
      await route.continue().catch(() => undefined); // one that was given up is not there any more
    });
    await page.goto(screens.address(`trace/${trace_id}`));
    await page.getByText(/^2.500 of 2.500 spans shown$/).waitFor({ timeout: 30_000 });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });

  it('says of a trace that has not ended that it runs, and shows its end by itself', async () => {
    const { page } = opened;
    await openTrace(sent.running);
    await page.getByText(/^running · 0 spans/).waitFor();
    await screens.ask('PATCH', `/opik/api/v1/private/traces/${sent.running}`, {
      project_name: 'vision',
      end_time: new Date().toISOString(),
    });
    await page.getByText(/^running · 0 spans/).waitFor({ state: 'detached' });
  });

  it('never runs what is stored, wherever it is shown', async () => {
    const { page } = opened;
    for (const place of [
      'traces?q=onerror',
      `traces?peek=${sent.hostile}`,
      `trace/${sent.hostile}`,
    ]) {
      await page.goto(screens.address(place));
      await page.getByText('<b>bold</b>').first().waitFor();
      await page.waitForLoadState('networkidle').catch(() => undefined); // a list that is live never rests
      expect(await page.locator('img[src="x"], main b:text-is("bold")').count()).to.equal(0);
      await holds(async () => expect(await page.title()).to.equal('vision · Orrery'));
    }
    await holds(async () =>
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(markup),
    );
    expect(await page.locator('img.stored').count()).to.equal(1);
  });

  it('says of a trace and a span that are not there that they are not', async () => {
    const { page } = opened;
    await page.goto(screens.address('trace/01a21088-8ab1-7c3b-82b4-000000000000'));
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await openTrace(sent.agent, '?span=01a21088-8ab1-7c3b-82b4-000000000000');
    await detail().getByText('There is no span 01a21088').waitFor();
  });

  it('shows a thread as a conversation, found in the list of threads and from its traces', async () => {
    const { page } = opened;
    await openTrace(sent.agent);
    await page.getByRole('link', { name: 'Its thread' }).click();
    await page.getByRole('heading', { name: 'thread/one' }).waitFor();
    const turns = page.getByRole('list', { name: 'Turns' }).locator('> li');
    await page.getByText('question 5').waitFor();
    await holds(async () => expect(await turns.count()).to.equal(7));
    await holds(async () =>
      expect(await turns.first().textContent()).to.match(/question 5.*answer 5/),
    );
    await holds(async () =>
      expect(await page.locator('.turns .idle').allTextContents()).to.have.length(1),
    );
    await holds(async () =>
      expect(await turns.last().textContent()).to.match(/… idle 9.*agent → .* tokens/),
    );
    await page
      .getByRole('navigation', { name: 'Parts of the project' })
      .getByRole('link', { name: 'threads' })
      .click();
    const row = page.getByRole('row').filter({ hasText: 'thread/one' });
    await holds(async () => expect(await row.textContent()).to.contain('14'));
    const over = page.getByRole('columnheader', { name: 'Messages', exact: true });
    expect(
      await over.evaluate(
        (head) =>
          (
            globalThis as unknown as {
              getComputedStyle(of: unknown): { readonly textAlign: string };
            }
          ).getComputedStyle(head).textAlign,
      ),
    ).to.equal('right'); // as the figures below it
    await page.getByLabel('Search in threads').fill('no such words');
    await page.getByLabel('Search in threads').press('Enter');
    await page.getByText('No thread matches this.').waitFor();
  });

  it('scores, comments on, tags, closes and opens a thread', async () => {
    const { page } = opened;
    await page.goto(screens.address('thread/thread%2Fone'));
    const form = page.getByRole('form', { name: 'Score the thread' });
    await form.getByLabel('Name of the score').fill('solved');
    await form.getByLabel('Value').fill('1');
    await form.getByRole('button', { name: 'Score' }).click();
    await page.getByRole('button', { name: 'Delete the score solved' }).waitFor();
    await page.getByLabel('Comment', { exact: true }).fill('took too long');
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.getByText('took too long').waitFor();
    await page.getByLabel('Add a tag').fill('refund');
    await page.getByLabel('Add a tag').press('Enter');
    await page.getByRole('button', { name: 'Remove the tag refund' }).waitFor();
    await page.getByRole('button', { name: 'Close the thread' }).click();
    await page.getByRole('button', { name: 'Reopen the thread' }).waitFor();
    const stored = await readThread(screens, 'thread/one');
    expect(stored).to.deep.include({ status: 'inactive', tags: ['refund'] });
    expect(stored['feedback_scores']).to.have.length(1);
    expect(stored['comments']).to.have.length(1);
    await page.clock.install();
    await page.getByRole('button', { name: 'Delete the score solved' }).click();
    await letGo(page, 'The score solved');
    await page.getByRole('button', { name: 'Reopen the thread' }).click();
    await page.getByRole('button', { name: 'Close the thread' }).waitFor();
    const after = await readThread(screens, 'thread/one');
    expect(after).to.deep.include({ status: 'active' });
    expect(after).not.to.have.property('feedback_scores');
  });

  holdsForEverybody(
    () => screens,
    () => [
      screens.address('traces'),
      screens.address(`traces?peek=${sent.agent}`),
      screens.address(`trace/${sent.agent}`),
      screens.address(`trace/${sent.agent}?span=${sent.spans['search']}`),
      screens.address('threads'),
      screens.address('thread/thread%2Fone'),
    ],
  );

  it('makes the browser complain of nothing', () => {
    // Of what was asked for and is not there, and of what was no longer wanted.
    const usual = /404|net::ERR_ABORTED|failed$/;
    expect(opened.complaints().filter((one) => !usual.test(one))).to.deep.equal([]);
  });
});
