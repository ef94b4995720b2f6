// The output of a run: lines of standard error alone, and lists of lines of which only a window has elements.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { holds } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';

const logged = 3000;
const many = 1_000_000;

describe('the output of a run in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let run: string;
  const print = (lines: readonly { readonly output: string; readonly stderr?: boolean }[]) =>
    screens.ask('POST', '/api/rest/v2/write/experiment/output', {
      experimentKey: run,
      outputLines: lines,
    });
  before('start a server and a browser, and log output', async function () {
    screens = await openScreens(this, { count: 1 });
    run = screens.runs[0]?.key ?? '';
    await print(
      Array.from({ length: logged }, (_, at) => ({
        output: `line ${at + 1} ${at % 100 === 7 ? '\u001b[31mtrouble\u001b[0m' : 'fine'}\n`,
        stderr: at % 100 === 7,
      })),
    );
    opened = await screens.signIn({ width: 1400 });
  });
  after(async () => {
    await screens?.stop();
  });
  const place = () => screens.address(`run/${run}/logs`);
  const log = () => opened.page.getByRole('log');
  const status = (says: string | RegExp) =>
    opened.page.getByRole('status').getByText(says).waitFor();
  const elements = () => log().locator('div > div > div').count();

  it('begins at its end, and has elements for what is on the screen alone', async () => {
    const { page } = opened;
    await page.goto(place());
    await status(/^3.000 lines$/);
    await log().getByText('line 3000 fine').waitFor();
    await holds(async () => expect(await elements()).to.be.within(10, 150));
    await log().hover();
    await page.mouse.wheel(0, -1800);
    await log().getByText('line 2890 fine').waitFor();
    await log().focus();
    await page.keyboard.press('Control+Home');
    await log().getByText('line 1 fine').waitFor();
  });

  it('shows lines of standard error alone, searches in them, and leads to where they stand', async () => {
    const { page } = opened;
    await page.goto(place());
    await status(/^3.000 lines$/);
    await page.getByRole('button', { name: 'stderr' }).click();
    await status(/^30 of 3.000 lines$/);
    const first = log().getByTitle('standard error').first();
    await holds(async () => expect(await first.textContent()).to.equal('8line 8 trouble'));
    await holds(async () =>
      expect(await log().locator('.ink-1').first().textContent()).to.equal('trouble'),
    );
    await holds(async () => expect(await log().getByText('fine').count()).to.equal(0));
    await page.getByLabel('Search the output').fill('LINE 1008');
    await page.getByLabel('Search the output').press('Enter');
    await status(/^1 of 3.000 lines$/);
    await log().getByRole('button', { name: '1008' }).click();
    await log().getByText('line 1007 fine').waitFor();
    await log().getByText('line 1008 trouble').waitFor();
    await status(/^3.000 lines$/);
  });

  it('shows what is written meanwhile at its end, and stays where one has scrolled to', async () => {
    const { page } = opened;
    await page.goto(place());
    await log().getByText('line 3000 fine').waitFor();
    await print([{ output: 'and on\n', stderr: true }]);
    await log().getByText('and on').waitFor();
    await log().hover();
    await page.mouse.wheel(0, -1800);
    await log().getByText('line 2891 fine').waitFor();
    await print([{ output: 'and further\n' }]);
    await status(/^3.002 lines$/);
    await holds(async () => expect(await log().getByText('line 2891 fine').count()).to.equal(1));
    await holds(async () => expect(await log().getByText('and further').count()).to.equal(0));
  });

  it('folds a line that was written over, and hands all of it out as a file', async () => {
    const { page } = opened;
    await print([
      { output: `${Array.from({ length: 40 }, (_, at) => `epoch ${at}`).join('\r')}\n` },
    ]);
    await page.goto(place());
    await log().getByText('epoch 39').waitFor();
    await holds(async () => expect(await log().getByText('epoch 38').count()).to.equal(0));
    await log().getByText('39 folded').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    const text = readFileSync(await file.path(), 'utf8');
    expect(text).to.contain('line 1 fine\n').and.contain('line 3000 fine\n');
    expect(text).to.contain('epoch 38\repoch 39');
  });

  it('scrolls through a million lines by lines, however high they would be, and asks for few', async function () {
    this.timeout(60_000);
    const { page, context } = await screens.signIn({ width: 1400 });
    const asked: string[] = [];
    const lineOf = (number: number) => ({ number, text: `line ${number}` });
    await page.route(`**/v1/private/ui/runs/${run}/output*`, (route) => {
      const query = new URL(route.request().url()).searchParams;
      asked.push(query.toString());
      const tail = Number(query.get('tail') ?? 0);
      const from = tail > 0 ? many - tail + 1 : Number(query.get('from') ?? 1);
      const to = Math.min(many, Number(query.get('to') ?? many));
      const lines = Array.from({ length: to - from + 1 }, (_, at) => lineOf(from + at));
      return route.fulfill({ json: { lines, total: many, next: null } });
    });
    await page.goto(place());
    const list = page.getByRole('log');
    await list.getByText('line 1000000').waitFor();
    await list.hover();
    await page.mouse.wheel(0, -180);
    await list.getByText(/line 999980$/).waitFor();
    // A wheel goes on by as many lines as in a short list.
    const firstSeen = async () =>
      Math.min(...(await list.locator('.at').allTextContents()).map((number) => Number(number)));
    const before = await firstSeen();
    await page.mouse.wheel(0, -1800);
    await page.waitForFunction(
      (was) =>
        Number(
          (
            globalThis as unknown as {
              document: { querySelector(of: string): { textContent: string } | null };
            }
          ).document.querySelector('.output .at')?.textContent,
        ) < was,
      before,
    ); // this runs in the browser
    expect(before - (await firstSeen())).to.equal(100);
    asked.length = 0;
    await list.focus();
    await page.keyboard.press('Home');
    await list.getByText(/^1line 1$/).waitFor();
    await list.evaluate((element) => {
      const of = element as unknown as { scrollTop: number; scrollHeight: number };
      of.scrollTop = of.scrollHeight / 2;
    }); // an element of the page
    await list
      .getByText(/line 500\d\d\d$/)
      .first()
      .waitFor();
    expect(await list.locator('div > div > div').count()).to.be.below(150);
    expect(asked.length).to.be.below(6);
    await context.close();
  });

  holdsForEverybody(
    () => screens,
    () => [place()],
  );
});
