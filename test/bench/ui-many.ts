// Very many things on a page of the web UI: no task after it has loaded is long enough to be felt.
import { chunkPoints } from '#adapters/storage/sql/metrics/chunks';
import { openBrowser, type TestBrowser } from '#test/clients/browser/browser';
import { logDemo } from '#test/clients/browser/demo';
import { watchTasks } from '#test/clients/browser/long-tasks';
import { atMost, round, type Figure, type Line } from './line.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';
import { fillSeries } from './series.js';
import { openStore } from './store.js';
import { password } from './ui-browser.js';

const [compared, points, tries] = [50, 100_000_000, 5];

interface Case {
  readonly what: string;
  readonly address: string;
  /** What says that it is there. */
  readonly shows: string | RegExp;
}

/** Fills a series of a hundred million points, whose last million can be looked at one by one. */
const fillEndless = async (server: BenchServer, quick: boolean): Promise<string> => {
  const [key = ''] = await makeExperiments(server, 1, 'endless');
  const storage = await openStore(server);
  const experiment = await storage.stores.experiments.findByKey(key);
  const chunks = Math.ceil((quick ? points / 10 : points) / chunkPoints);
  await fillSeries(storage, experiment?.id ?? '', 'long', { chunks, from: chunks - 1000 });
  await storage.close();
  return key;
};

const casesOf = async (server: BenchServer, quick: boolean): Promise<readonly Case[]> => {
  const runs = await logDemo(server, {
    ...{ project: 'vision', count: compared, steps: 500, now: Date.now() },
  });
  const endless = await fillEndless(server, quick);
  const at = `${server.url}/w/${server.workspace}/p`;
  const keys = runs.map(({ key }) => key).join();
  return [
    ...(['params', 'metrics', 'charts', 'media'] as const).map((tab) => ({
      what: `${compared} runs compared by ${tab}`,
      address: `${at}/vision/compare?runs=${keys}&tab=${tab}`,
      shows: `Compare ${compared} runs`,
    })),
    {
      what: `a series of ${quick ? 10 : 100} million points`,
      address: `${at}/endless/run/${endless}/charts`,
      shows: /places for \d+/,
    },
  ];
};

const measure = async (
  browser: TestBrowser,
  server: BenchServer,
  quick: boolean,
): Promise<readonly Figure[]> => {
  const cases = await casesOf(server, quick);
  const { page, context } = await browser.open({ width: 1400 });
  await page.goto(`${server.url}/w/${server.workspace}/p/vision/runs`);
  await page.getByLabel('User name or e-mail').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.row[data-key]').first().waitFor();
  const tasks = await watchTasks(page);
  const figures: Figure[] = [];
  for (const { what, address, shows } of cases) {
    const longest: number[] = [];
    for (let tried = 0; tried < tries; tried++) {
      await page.goto(address);
      await page.getByText(shows).first().waitFor();
      await page.waitForTimeout(1500);
      longest.push(await tasks.longest());
    }
    figures.push({
      what: `${what}: longest task, ms`,
      value: round(Math.min(...longest), 0),
      sides: `best of ${longest.map((one) => round(one, 0)).join(', ')}; 0 where none took 50`,
      held: atMost(100, Math.min(...longest)),
    });
  }
  await context.close();
  return figures;
};

export const uiManyLine: Line = {
  name: 'ui-many',
  run: async ({ quick }) => {
    const browser = await openBrowser();
    if ('missing' in browser)
      return [{ what: 'very many things in a browser', value: '-', sides: browser.missing }];
    try {
      return await withServer((server) => measure(browser, server, quick), {
        env: { ORRERY_ADMIN_PASSWORD: password },
      });
    } finally {
      await browser.stop();
    }
  },
};
