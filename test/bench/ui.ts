// The web UI in a browser, over a project of many runs: how soon there is something to see, and what moving costs.
import { openBrowser, type TestBrowser } from '#test/clients/browser/browser';
import { logDemo } from '#test/clients/browser/demo';
import { atMost, quantile, round, type Figure, type Line } from './line.js';
import { fillProject } from './listing.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';
import {
  openCold,
  password,
  phoneLine,
  scroll,
  signIn,
  usage,
  type ColdPage,
} from './ui-browser.js';

const [tries, frames, moves] = [5, 120, 60];
/** The budgets hold for a machine that does nothing else: what it does best of five times is what is compared. */
const best = (values: readonly number[]): number => Math.min(...values);

const fill = async (server: BenchServer, count: number): Promise<string> => {
  const [key = ''] = await makeExperiments(server, 1, 'ui');
  const db = await server.openDatabase();
  await fillProject(db, key, count);
  await db.destroy();
  await logDemo(server, { project: 'ui', count: 20, steps: 500, now: Date.now() });
  return `${server.url}/w/${server.workspace}/p/ui/runs`;
};

const hover = async ({ page, cdp }: ColdPage): Promise<number> => {
  const box = await page.locator('.panel canvas').first().boundingBox();
  if (box === null) throw new Error('there is no chart');
  const before = await usage(cdp);
  for (let move = 0; move < moves; move++)
    await page.mouse.move(box.x + 60 + (move % 40) * 4, box.y + box.height / 2);
  return ((await usage(cdp)).scriptMs - before.scriptMs) / moves;
};

const timed = (what: string, of: readonly number[], most: number): Figure => ({
  what: `${what}, ms`,
  value: round(best(of), 0),
  sides: `best of ${of.map((one) => round(one, 0)).join(', ')}`,
  held: atMost(most, best(of)),
});

const moved = async (cold: ColdPage): Promise<readonly Figure[]> => {
  const hovers: number[] = [];
  const scrolls: { readonly p95: number; readonly script: number }[] = [];
  for (let tried = 0; tried < tries; tried++) {
    hovers.push(await hover(cold));
    const before = await usage(cold.cdp);
    const times = await scroll(cold.page, frames);
    const { scriptMs } = await usage(cold.cdp);
    scrolls.push({
      p95: quantile(times, 0.95),
      script: (scriptMs - before.scriptMs) / frames,
    });
  }
  const { heapMb } = await usage(cold.cdp);
  const figure = (what: string, values: readonly number[], most: number): Figure => ({
    what,
    value: round(best(values)),
    sides: `best of ${values.map((one) => round(one)).join(', ')}`,
    held: atMost(most, best(values)),
  });
  return [
    figure('script for a move over a chart of ten runs, ms', hovers, 1),
    figure(
      'a frame while the table moves by 100 px, p95 ms',
      scrolls.map(({ p95 }) => p95),
      17.5,
    ),
    figure(
      'script for such a frame, ms',
      scrolls.map(({ script }) => script),
      1,
    ),
    figure('memory of the page, MB', [heapMb], 60),
  ];
};

const measure = async (browser: TestBrowser, address: string): Promise<readonly Figure[]> => {
  const cookies = await signIn(browser, address);
  const at = async (slower: number, line?: typeof phoneLine): Promise<readonly ColdPage[]> => {
    const pages: ColdPage[] = [];
    for (let tried = 0; tried < tries; tried++) {
      const cold = await openCold(browser, {
        ...{ address, cookies, slower },
        ...(line === undefined ? {} : { line }),
      });
      if (tried < tries - 1 || slower > 1) await cold.close();
      pages.push(cold);
    }
    return pages;
  };
  const slow = await at(4);
  const phone = await at(4, phoneLine);
  const quick = await at(1);
  const last = quick.at(-1);
  if (last === undefined) throw new Error('nothing was measured');
  const of = (pages: readonly ColdPage[], what: 'paint' | 'rows' | 'chart' | 'longest') =>
    pages.map((one) => one[what]);
  const figures = [
    timed('first paint', of(quick, 'paint'), 300),
    timed('first paint, processor four times slower', of(slow, 'paint'), 700),
    timed('first rows', of(quick, 'rows'), 400),
    timed('first chart', of(quick, 'chart'), 550),
    timed('first chart, processor four times slower', of(slow, 'chart'), 1300),
    timed('first chart, so slow and by the line of a phone', of(phone, 'chart'), 1500),
    timed('longest task after that', of(quick, 'longest'), 100),
    ...(await moved(last)),
  ];
  await last.close();
  return figures;
};

export const uiLine: Line = {
  name: 'ui-screen',
  run: async ({ quick }) => {
    const count = quick ? 5000 : 25_000;
    const browser = await openBrowser();
    if ('missing' in browser)
      return [{ what: 'the web UI in a browser', value: '-', sides: browser.missing }];
    try {
      return await withServer(
        async (server) => {
          const figures = await measure(browser, await fill(server, count));
          const of = count.toLocaleString('en');
          return figures.map((one) => ({ ...one, what: `${of} runs: ${one.what}` }));
        },
        { env: { ORRERY_ADMIN_PASSWORD: password } },
      );
    } finally {
      await browser.stop();
    }
  },
};
