// The pages of boards, of queries and of agent insights.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { v7 } from 'uuid';
import { holds, placeAtRest } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { agreeTo, letGo, takeBack } from './deleting.js';
import { readStored } from './evaluating-data.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';
import { markup, sendTraces, type SentTraces } from './trace-data.js';

const wire = '/opik/api/v1/private';
const long = 'x'.repeat(500);
const today = () => new Date().toISOString().slice(0, 10);

interface Item {
  readonly i: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
interface Section {
  readonly widgets: readonly {
    readonly id: string;
    readonly type: string;
    readonly title: string;
    readonly config: Readonly<Record<string, unknown>>;
  }[];
  readonly layout: readonly Item[];
}

describe('the pages of boards, queries and insights in a browser', function () {
  this.timeout(60_000);
  let screens: Screens;
  let sent: SentTraces;
  let opened: OpenedPage;
  let project: string;
  /** A board and an issue that the first cases made. */
  const looked = { board: '', issue: '' };
  before('start a server and a browser, and send traces', async function () {
    screens = await openScreens(this, { count: 3 });
    sent = await sendTraces(screens);
    const found = await screens.ask('POST', `${wire}/projects/retrieve`, { name: 'vision' });
    project = String(found['id']);
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
  });
  const open = (place: string) => opened.page.goto(screens.address(place));
  const rowOf = (name: string) => opened.page.getByRole('row').filter({ hasText: name });
  const told = (text: string | RegExp) => opened.page.getByRole('status').getByText(text);
  const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
  const form = (name: string) => opened.page.getByRole('form', { name, exact: true });
  const widget = (name: string) => opened.page.getByRole('region', { name, exact: true });
  const sectionOf = async (id: string): Promise<Section> => {
    const { config } = await readStored(screens, `dashboards/${id}`);
    const { sections } = config as { readonly sections: readonly Section[] }; // as SDKs write it
    return sections[0] ?? { widgets: [], layout: [] };
  };
  const idHere = (): string => new URL(opened.page.url()).pathname.split('/').at(-1) ?? '';
  const makeBoard = async (
    name: string,
    widgets: readonly Readonly<Record<string, unknown>>[],
    layout: readonly Item[],
    ofProject?: string,
  ): Promise<string> => {
    const made = await screens.ask('POST', `${wire}/dashboards`, {
      ...{ name, type: 'multi_project' },
      ...(ofProject === undefined ? {} : { project_id: ofProject }),
      config: {
        version: 4,
        sections: [{ id: 'first', title: 'Overview', widgets, layout }],
        lastModified: 1,
      },
    });
    return String(made['id']);
  };
  const text = (id: string, content: string) => ({
    ...{ id, type: 'text_markdown', title: id },
    config: { content },
  });
  const place = (i: string, x: number, y: number, w = 2, h = 4): Item => ({ i, x, y, w, h });

  describe('boards', () => {
    it('are made from nothing, with a widget of each kind, in the form of SDKs', async () => {
      const { page } = opened;
      await open('/boards');
      await page.getByText('No board yet').waitFor();
      await button('New board').click();
      await form('New board').getByLabel('Name').fill('health');
      await form('New board').getByRole('button', { name: 'Make it' }).click();
      await page.getByRole('heading', { name: 'health', exact: true }).waitFor();
      await page.getByText('Nothing on this board yet.').waitFor();
      const member = (name: string) => form('Add a widget').locator(`[name=${name}]`);
      const add = async (kind: string, title: string, fill: () => Promise<unknown>) => {
        await button('Add a widget').click();
        await member('kind').selectOption({ label: kind });
        await form('Add a widget').getByLabel('Title').fill(title);
        await fill();
        await form('Add a widget').getByRole('button', { name: 'Add it' }).click();
        await form('Add a widget').waitFor({ state: 'detached' });
      };
      const inProject = () => member('project').selectOption({ label: 'vision' });
      await add('One figure of traces', 'how many', inProject);
      await add('Traces over time', 'volume', inProject);
      await add('A metric of the newest runs', 'learning', async () => {
        await inProject();
        await member('metric').fill('train/loss');
      });
      await add('A query, as a table or chart', 'names', async () => {
        await form('Add a widget')
          .getByLabel(/^Statement/)
          .fill(
            'select name, count(*) as n from traces where start_time < {{window_end}} group by name order by n desc, name;',
          );
      });
      await add('Text', 'said', async () => {
        await form('Add a widget').getByLabel('Text, in Markdown').fill(`**bold** ${markup}`);
      });
      await widget('how many · vision').getByText(String(sent.count), { exact: true }).waitFor();
      await widget('volume · vision')
        .getByRole('img', { name: /^volume, 1 line/ })
        .waitFor();
      await widget('learning · vision')
        .getByRole('img', { name: /^learning, 3 lines of \d\d+ places/ })
        .waitFor();
      await widget('names').getByRole('cell', { name: 'agent', exact: true }).waitFor();
      await widget('said').locator('strong').getByText('bold').waitFor();
      expect(await page.title()).not.to.equal('run');
      looked.board = idHere();
      const { widgets, layout } = await sectionOf(looked.board);
      expect(widgets.map(({ type }) => type)).to.deep.equal([
        'project_stats_card',
        'project_metrics',
        'orrery_run_metric',
        'ollie_chart',
        'text_markdown',
      ]);
      expect(widgets[1]?.config).to.deep.include({
        ...{ projectId: project, metricType: 'TRACE_COUNT', chartType: 'line' },
      });
      expect(layout.map(({ i }) => i).sort()).to.deep.equal(widgets.map(({ id }) => id).sort());
    });

    it('show charts as tables, and keep their time in the address', async () => {
      const { page } = opened;
      await button('volume as a table').click();
      const dialog = page.getByRole('dialog', { name: 'volume as a table' });
      await dialog.getByRole('columnheader', { name: 'traces' }).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByLabel('Time', { exact: true }).selectOption({ label: 'the last hour' });
      await page.waitForURL(/range=1h/);
      await page.reload();
      await widget('names').getByRole('cell', { name: 'agent', exact: true }).waitFor();
      await holds(async () =>
        expect(await page.getByLabel('Time', { exact: true }).inputValue()).to.equal('1h'),
      );
    });

    it('are arranged by keys, buttons and pointer, and stay so', async () => {
      const { page } = opened;
      const id = await makeBoard(
        'arranged',
        [text('one', 'first'), text('two', 'second'), text('three', 'third')],
        [place('one', 0, 0), place('two', 2, 0), place('three', 0, 4)],
        project,
      );
      const stored = async (name: string) => {
        await page.waitForLoadState('networkidle');
        const { layout } = await sectionOf(id);
        const { x, y, w, h } = layout.find(({ i }) => i === name) ?? place('', -1, -1);
        return [x, y, w, h];
      };
      await open(`/boards/${id}`);
      await widget('three').waitFor();
      await page.keyboard.press('e');
      await button('Move one').focus();
      await page.keyboard.press('ArrowRight');
      await expectSoon(() => stored('one'), [2, 0, 2, 4]);
      expect(await stored('two')).to.deep.equal([0, 0, 2, 4]);
      await page.keyboard.press('Shift+ArrowRight');
      await expectSoon(() => stored('one'), [2, 0, 3, 4]);
      expect(await button('Move one').evaluate((it) => it.matches(':focus'))).to.equal(true);
      await button('Arrange two').click();
      await page.getByRole('menuitem', { name: 'Move down' }).click();
      await expectSoon(() => stored('three'), [0, 0, 2, 4]);
      expect(await stored('two')).to.deep.equal([0, 4, 2, 4]);
      const grip = await placeAtRest(button('Move three'));
      const wide = ((await page.locator('.board').boundingBox())?.width ?? 0) / 6;
      await page.mouse.move(grip.x + 5, grip.y + 5);
      await page.mouse.down();
      await page.mouse.move(grip.x + 5 + 4 * wide, grip.y + 5 + 64, { steps: 5 });
      await page.mouse.up();
      await expectSoon(async () => (await stored('three'))[0], 4);
      await page.reload();
      await button('Move three').waitFor();
    });

    it('lose a widget and get it back where it was', async () => {
      const { page } = opened;
      const id = await makeBoard(
        'kept',
        [text('stays', 'here'), text('goes', 'there')],
        [place('stays', 0, 0), place('goes', 3, 0)],
      );
      await open(`/boards/${id}?edit=on`);
      await button('Remove goes').click();
      await widget('goes').waitFor({ state: 'detached' });
      await told('goes is removed').waitFor();
      expect((await sectionOf(id)).widgets.map((one) => one.id)).to.deep.equal(['stays']);
      await button('Undo').click();
      await widget('goes').waitFor();
      await expectSoon(
        async () => (await sectionOf(id)).layout.find(({ i }) => i === 'goes')?.x,
        3,
      );
      await button('Edit goes').click();
      await form('Edit the widget').getByLabel('Title').fill('went');
      await form('Edit the widget').getByRole('button', { name: 'Save' }).click();
      await widget('went').getByText('there').waitFor();
      await page.reload();
      await widget('went').waitFor();
    });

    it('keep what another page or program changed meanwhile, and members that are not known here', async () => {
      const { page } = opened;
      const id = await makeBoard(
        'shared',
        [text('mine', 'a'), { ...text('theirs', 'b'), colour: 'blue' }],
        [place('mine', 0, 0), place('theirs', 2, 0)],
      );
      await open(`/boards/${id}?edit=on`);
      await widget('mine').waitFor();
      const { config } = await readStored(screens, `dashboards/${id}`);
      const now = config as { readonly sections: readonly Section[] }; // as SDKs write it
      await screens.ask('PATCH', `${wire}/dashboards/${id}`, {
        config: {
          ...now,
          sections: now.sections.map((one) => ({
            ...one,
            widgets: [...one.widgets, text('late', 'c')],
            layout: [...one.layout, place('late', 4, 0)],
          })),
        },
      });
      await button('Remove mine').click();
      await widget('late').waitFor();
      const { widgets } = await sectionOf(id);
      expect(widgets.map((one) => one.id)).to.deep.equal(['theirs', 'late']);
      expect(widgets[0]).to.deep.include({ colour: 'blue' });
      await page.keyboard.press('Escape');
    });

    it('have sections that are added, named, moved, folded and removed, and widgets go between them', async () => {
      const { page } = opened;
      const id = await makeBoard(
        'parts',
        [text('one', 'first'), text('two', 'second')],
        [place('one', 0, 0), place('two', 2, 0)],
      );
      const stored = async () => {
        const { config } = await readStored(screens, `dashboards/${id}`);
        const { sections } = config as {
          readonly sections: readonly (Section & { readonly title: string })[];
        }; // as SDKs write it
        return sections.map(({ title, widgets }) => [title, ...widgets.map((each) => each.id)]);
      };
      const head = (title: string) =>
        page.getByRole('heading', { name: title, exact: true }).getByRole('button');
      await open(`/boards/${id}?edit=on`);
      await button('Add a section').click();
      await form('Add a section').getByLabel('Title').fill('Costs');
      await form('Add a section').getByRole('button', { name: 'Add it' }).click();
      await told('The section is added').waitFor();
      await button('Arrange two').click();
      await page.getByRole('menuitem', { name: 'To the section Costs' }).click();
      await expectSoon(stored, [
        ['Overview', 'one'],
        ['Costs', 'two'],
      ]);
      await button('Rename the section Costs').click();
      await form('Rename the section Costs').getByLabel('Title').fill('Money');
      await form('Rename the section Costs').getByRole('button', { name: 'Save' }).click();
      await button('Up with Money').click();
      await expectSoon(stored, [
        ['Money', 'two'],
        ['Overview', 'one'],
      ]);
      await button('Add to Money').click();
      await form('Add a widget').locator('[name=kind]').selectOption({ label: 'Text' });
      await form('Add a widget').getByLabel('Title').fill('three');
      await form('Add a widget').getByLabel('Text, in Markdown').fill('third');
      await form('Add a widget').getByRole('button', { name: 'Add it' }).click();
      await widget('three').waitFor();
      expect((await stored())[0]).to.have.length(3);
      await head('Money').click();
      await widget('two').waitFor({ state: 'detached' });
      await widget('one').waitFor();
      await page.waitForURL(/folded=/);
      await page.reload();
      await widget('one').getByText('first').waitFor();
      await holds(async () => expect(await widget('two').count()).to.equal(0));
      await holds(async () =>
        expect(await head('Money').getAttribute('aria-expanded')).to.equal('false'),
      );
      await head('Money').click();
      await widget('two').getByText('second').waitFor();
      await button('Remove the section Money').click();
      await widget('two').waitFor({ state: 'detached' });
      await expectSoon(stored, [['Overview', 'one']]);
      await button('Undo').click();
      await widget('two').waitFor();
      expect((await stored()).map(([title]) => title)).to.deep.equal(['Money', 'Overview']);
    });

    it('say what is so of a query that is refused, and of a widget that is not known', async () => {
      const id = await makeBoard(
        'odd',
        [
          {
            ...{ id: 'bad', type: 'ollie_chart', title: 'bad' },
            config: { query: { sql: 'select nonsense from traces' } },
          },
          {
            ...{ id: 'none', type: 'ollie_chart', title: 'none' },
            config: { query: { sql: "select '{}' as result where false" } },
          },
          { id: 'other', type: 'experiment_leaderboard', title: 'other', config: {} },
          { id: 'lost', type: 'project_metrics', title: 'lost', config: {} },
          text(long, markup),
        ],
        [],
      );
      await open(`/boards/${id}`);
      await widget('bad').getByRole('alert').waitFor();
      await widget('bad').getByRole('button', { name: 'Ask again' }).click();
      await widget('bad').getByRole('alert').waitFor();
      await widget('none').getByText('The query finds no rows.').waitFor();
      await widget('other').getByText('experiment_leaderboard').waitFor();
      await widget('lost').getByText('names no project').waitFor();
      expect(await opened.page.title()).not.to.equal('run');
      await open(`/boards/${v7()}`);
      await opened.page.getByText('There is nothing here').waitFor();
    });

    it('are found by name and project, renamed, and deleted unless that is taken back', async () => {
      const { page } = opened;
      await open('/boards?project=vision');
      await rowOf('arranged').waitFor();
      await holds(async () => expect(await rowOf('kept').count()).to.equal(0));
      await open('/boards');
      await page.getByLabel('Search in boards').fill('kep');
      await page.getByLabel('Search in boards').press('Enter');
      await rowOf('arranged').waitFor({ state: 'detached' });
      await button('Rename kept').click();
      await form('Rename kept').getByLabel('Name').fill('kept well');
      await form('Rename kept').getByRole('button', { name: 'Save' }).click();
      await agreeTo(page, 'Delete the board kept well');
      await rowOf('kept well').getByText('being deleted').waitFor();
      await takeBack(page, 'The board kept well');
      await rowOf('kept well').getByText('being deleted').waitFor({ state: 'detached' });
      await agreeTo(page, 'Delete the board kept well');
      await letGo(page, 'The board kept well');
      await rowOf('kept well').waitFor({ state: 'detached' });
      const { content } = await readStored(screens, 'dashboards?size=100');
      const names = (content as readonly { readonly name: string }[]).map(({ name }) => name); // as the row says
      expect(names).to.include('arranged').and.not.include('kept well');
    });
  });

  describe('the page of SQL', () => {
    const field = () => opened.page.getByLabel('Statement');
    const result = () => opened.page.getByRole('table', { name: 'Result' });
    const run = async (statement: string) => {
      await field().fill(statement);
      await field().press('Control+Enter');
    };

    it('completes names, and runs a statement by keys', async () => {
      const { page } = opened;
      await open('/sql');
      await field().fill('select name, dur');
      await field().press('End');
      await page.keyboard.type('a');
      const names = page.getByRole('listbox', { name: 'Names' });
      await names.getByRole('option', { name: /^duration/ }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type(" from traces where name = 'agent'");
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Enter');
      await told(/^1 row of 2 columns in [\d\u202f]+ ms/).waitFor();
      await holds(async () =>
        expect(await result().getByRole('row').nth(1).textContent()).to.contain('agent2000'),
      );
      await page.waitForURL(/sql=select/);
      await page.reload();
      await result().getByText('agent', { exact: true }).waitFor();
      await holds(async () =>
        expect(await field().inputValue()).to.contain('duration from traces'),
      );
    });

    it('shows many rows, one of them in full, and saves all of them', async () => {
      const { page } = opened;
      await open('/sql');
      await run(
        `select i as number, 'row, "' || i as said, [i, 1] as pair from (select unnest(range(3000)) as i) order by i`,
      );
      await told(/^3\u202f000 rows of 3 columns/).waitFor();
      expect(await result().locator('.row').count()).to.be.lessThan(100);
      await result().getByRole('link', { name: '2', exact: true }).click();
      await page.getByRole('region', { name: 'At a glance' }).getByText('row, "2').waitFor();
      await page.waitForURL(/row=2/);
      const saved = async (name: string) => {
        const [file] = await Promise.all([page.waitForEvent('download'), button(name).click()]);
        return readFileSync(await file.path(), 'utf8');
      };
      const csv = (await saved('Save as CSV')).trimEnd().split('\n');
      expect(csv).to.have.length(3001);
      expect(csv.slice(0, 2)).to.deep.equal(['number,said,pair', '0,"row, ""0","[0,1]"']);
      const json = JSON.parse(await saved('Save as JSON')) as unknown[];
      expect(json[2999]).to.deep.equal({ number: 2999, said: 'row, "2999', pair: [2999, 1] });
    });

    it('saves all rows as Parquet, each column with its type', async () => {
      const { page } = opened;
      await open('/sql');
      await run(
        `select i as number, i / 2.0 as half, 'row ' || i as said, i % 2 = 0 as even, [i, 1] as pair, case when i > 0 then i end as some from (select unnest(range(3000)) as i) order by i`,
      );
      await told(/^3\u202f000 rows of 6 columns/).waitFor();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        button('Save as Parquet').click(),
      ]);
      expect(file.suggestedFilename()).to.equal('result.parquet');
      const bytes = readFileSync(await file.path());
      const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
      expect(rows).to.have.length(3000);
      expect(rows[0]).to.deep.equal({
        ...{ number: 0n, half: 0, said: 'row 0', even: true, pair: '[0,1]', some: null },
      });
      expect(rows[2999]).to.deep.equal({
        ...{ number: 2999n, half: 1499.5, said: 'row 2999', even: false, pair: '[2999,1]' },
        some: 2999n,
      });
    });

    it('says what is wrong, and that there are no rows', async () => {
      const { page } = opened;
      await open('/sql');
      const alert = page.getByRole('alert');
      for (const [statement, sentence] of [
        ['selec 1', 'cannot be parsed'],
        ['select * from information_schema.tables', 'is not granted'],
        ["select 'nan'::double as n", 'not finite'],
      ] as const) {
        await run(statement);
        await alert.getByText(sentence).waitFor();
      }
      await run('select name from traces where false');
      await page.getByText('The statement finds no rows.').waitFor();
      await run(`select '${markup.replaceAll("'", "''")}' as a, '${long}' as b`);
      await told(/^1 row/).waitFor();
      expect(await page.title()).not.to.equal('run');
    });

    it('says of a statement that takes too long that it does, and runs the next one', async function () {
      this.timeout(120_000);
      await open('/sql');
      const of = ['a', 'b', 'c', 'd', 'e', 'f'];
      await run(
        `select count(*) from ${of.map((one) => `traces ${one}`).join(', ')} where a.name || b.name || c.name < d.name || e.name || f.name`,
      );
      await opened.page
        .getByRole('alert')
        .getByText('it takes more than 30 s')
        .waitFor({ timeout: 90_000 });
      await run('select 1 as one');
      await told(/^1 row/).waitFor();
    });

    it('is bounded to a project, and remembers what was run', async () => {
      const { page } = opened;
      await open('/sql');
      await run('select count(*) as all_of_it from traces');
      await told(/^1 row/).waitFor();
      await page.getByLabel('Over').selectOption({ label: 'vision' });
      await page.waitForURL(/project=vision/);
      await result().getByText(String(sent.count), { exact: true }).waitFor();
      await button('Last statements ▾').click();
      await page.getByRole('menuitem', { name: /where false/ }).click();
      await holds(async () =>
        expect(await field().inputValue()).to.equal('select name from traces where false'),
      );
      await open('/sql?project=nobody');
      await page.getByText('There is no project nobody.').waitFor();
    });

    it('keeps a statement on a board, where SDKs find it too', async () => {
      const { page } = opened;
      await open('/sql?project=vision');
      await field().fill('select name, count(*) as n from traces group by name order by n, name');
      await button('Keep on a board').click();
      await form('Keep on a board').getByLabel('Title').fill('by name');
      await form('Keep on a board').locator('[name=chart]').selectOption('bar');
      await form('Keep on a board').getByRole('button', { name: 'Keep it' }).click();
      await page.getByRole('heading', { name: 'by name', exact: true, level: 1 }).waitFor();
      await widget('by name')
        .getByRole('img', { name: /^by name, \d+ bars/ })
        .waitFor();
      const { widgets } = await sectionOf(idHere());
      const answer = await screens.ask(
        'POST',
        `${wire}/dashboards/${idHere()}/widgets/${widgets[0]?.id ?? ''}/query`,
        {},
      );
      expect(answer['results']).to.deep.include({ name: 'agent', n: 1 });
      await page.keyboard.press('e');
      await button('Edit by name').click();
      await holds(async () =>
        expect(
          await form('Edit the widget')
            .getByLabel(/^Statement/)
            .inputValue(),
        ).to.equal('select name, count(*) as n from traces group by name order by n, name'),
      );
    });
  });

  describe('insights', () => {
    const report = (name: string, more: object) => ({
      ...{ name, count: 3, total_count: 40, users_impacted: 2, total_users: 9 },
      ...more,
    });
    const issueOf = async (name: string) => {
      const { content } = await readStored(
        screens,
        `agent-insights/issues?project_id=${project}&size=100`,
      );
      const all = content as readonly Readonly<Record<string, unknown>>[]; // as the row says
      return all.find((one) => one['name'] === name);
    };

    it('say how issues come about where there are none', async () => {
      await open('/p/vision/traces');
      await opened.page
        .getByRole('navigation', { name: 'Parts of the project' })
        .getByRole('link', { name: 'insights' })
        .click();
      await opened.page.getByText('No open issue in these days.').waitFor();
    });

    it('list issues, and show one day by day with its evidence', async () => {
      const { page } = opened;
      await screens.ask('POST', `${wire}/agent-insights/issues`, {
        ...{ project_id: project, report_day: today() },
        issues: [
          report('timeouts of the index', {
            severity: 'critical',
            description: `**Many** searches fail. ${markup}`,
            cause: 'the index is slow',
            suggested_fix: 'warm it up',
            traces_query: JSON.stringify([
              { field: 'name', operator: '=', key: '', value: 'agent' },
            ]),
            metadata: { trace_ids: [sent.agent] },
          }),
          report(`slow answers ${long.slice(0, 200)}`, { severity: 'low', count: 1 }),
        ],
      });
      looked.issue = String((await issueOf('timeouts of the index'))?.['id']);
      await open('/p/vision/insights');
      await rowOf('timeouts of the index').waitFor();
      await holds(async () =>
        expect(await rowOf('timeouts of the index').textContent()).to.match(
          /critical.*open.*3.*2 of 9/,
        ),
      );
      await page.getByLabel('Severity').selectOption('low');
      await rowOf('timeouts of the index').waitFor({ state: 'detached' });
      await page.getByLabel('Severity').selectOption('');
      await page.getByRole('link', { name: 'timeouts of the index' }).click();
      const issue = page.getByRole('region', { name: 'At a glance' });
      await issue.locator('strong').getByText('Many').waitFor();
      for (const part of ['the index is slow', 'warm it up', today(), '2 of 9'])
        await holds(async () => expect(await issue.textContent()).to.contain(part));
      await issue.getByRole('link', { name: 'Traces like these' }).click();
      await page.getByRole('table', { name: 'Traces' }).locator('.row[data-key]').first().waitFor();
      await holds(async () =>
        expect(
          await page.getByRole('table', { name: 'Traces' }).locator('.row[data-key]').count(),
        ).to.equal(1),
      );
      await page.goBack();
      await issue.getByRole('list', { name: 'Traces that show it' }).getByRole('link').click();
      await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
      await holds(() => expect(new URL(page.url()).pathname).to.contain(sent.agent));
    });

    it('are closed with a note, and opened again', async () => {
      const { page } = opened;
      await open('/p/vision/insights');
      await page.getByRole('link', { name: 'timeouts of the index' }).click();
      await button('Close the issue').click();
      await form('Close the issue').getByLabel(/^Why/).fill('known, and mended');
      await form('Close the issue').getByRole('button', { name: 'Close' }).click();
      await page.getByText('Closed because: known, and mended').waitFor();
      await rowOf('timeouts of the index').waitFor({ state: 'detached' });
      expect(await issueOf('timeouts of the index')).to.deep.include({
        ...{ status: 'closed', close_note: 'known, and mended' },
      });
      await button('Open again the issue').click();
      await rowOf('timeouts of the index').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: 'At a glance' }).waitFor({ state: 'detached' });
    });

    it('are looked for every day or now, as the guidance says', async () => {
      const { page } = opened;
      await open('/p/vision/insights');
      await button('Look every day').click();
      await page.getByText('are looked through every day.').waitFor();
      await button('Guidance').click();
      await form('Guidance')
        .getByLabel(/^What every run/)
        .fill('Refunds over 100 matter.');
      await form('Guidance').getByRole('button', { name: 'Save' }).click();
      await page.getByText('Told: Refunds over 100 matter.').waitFor();
      await button('Look now').click();
      await page.getByText('A run was asked for').waitFor();
      expect(await readStored(screens, `agent-insights/jobs/${project}`)).to.deep.include({
        ...{ status: 'enabled', guidance: 'Refunds over 100 matter.' },
      });
      await button('Switch off looking every day').click();
      await page.getByText('are not looked through by themselves').waitFor();
    });
  });

  describe('to who may only look', () => {
    it('show what is there, and nothing that would change it', async () => {
      const { page: own, context } = await screens.signIn();
      const name = 'onlooker';
      const password = 'quiet-Marsh-44-lantern';
      await screens.ask('POST', '/api/admin/users', {
        ...{ userName: name, password, viewOnly: true },
      });
      await screens.ask('POST', '/api/rest/v2/write/add-workspace-member', {
        ...{ workspaceName: screens.server.workspace, userName: name },
      });
      await context.clearCookies();
      await own.goto(screens.address(`/boards/${looked.board}?edit=on`));
      await own.getByLabel('User name or e-mail').fill(name);
      await own.getByLabel('Password').fill(password);
      await own.getByRole('button', { name: 'Sign in' }).click();
      await own.getByRole('region', { name: 'said', exact: true }).waitFor();
      for (const act of ['Add a widget', 'Edit', 'Move said', 'Remove said'])
        expect([
          act,
          await own.getByRole('button', { name: act, exact: true }).count(),
        ]).to.deep.equal([act, 0]);
      await own.goto(screens.address('/boards'));
      await own.getByRole('link', { name: 'health' }).waitFor();
      expect(await own.getByRole('button', { name: 'New board' }).count()).to.equal(0);
      await own.goto(screens.address(`/p/vision/insights?issue=${looked.issue}`));
      await own.getByRole('heading', { name: 'Evidence' }).waitFor();
      expect(await own.getByRole('button', { name: 'Look now' }).count()).to.equal(0);
      expect(await own.getByRole('button', { name: 'Resolve the issue' }).count()).to.equal(0);
      await own.goto(screens.address('/sql?sql=select+1+as+one'));
      await own
        .getByRole('status')
        .getByText(/^1 row/)
        .waitFor();
      expect(await own.getByRole('button', { name: 'Keep on a board' }).count()).to.equal(0);
      await context.close();
    });
  });

  // After all others: it looks at what they made.
  describe('all of them', () => {
    holdsForEverybody(
      () => screens,
      () => [
        screens.address('/boards'),
        screens.address(`/boards/${looked.board}`),
        screens.address(`/boards/${looked.board}?edit=on`),
        screens.address('/sql'),
        screens.address(`/sql?row=1&sql=${encodeURIComponent('select name, input from traces')}`),
        screens.address('/p/vision/insights'),
        screens.address(`/p/vision/insights?issue=${looked.issue}`),
      ],
    );

    it('makes the browser complain of nothing', () => {
      // Of what was refused, is not there, or was no longer wanted.
      const usual = /40[0149]|422|net::ERR_ABORTED|failed$/;
      expect(opened.complaints().filter((one) => !usual.test(one))).to.deep.equal([]);
    });
  });
});

/** Waits until something is so, for some seconds. */
async function expectSoon<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  const end = Date.now() + 5000;
  let found = await read();
  while (JSON.stringify(found) !== JSON.stringify(wanted) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    found = await read();
  }
  expect(found).to.deep.equal(wanted);
}
