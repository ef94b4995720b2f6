// Charts of the web UI: what a browser runs to draw many lines, to zoom into them, and to draw what comes meanwhile.
import { openBrowser, type TestBrowser } from '#test/clients/browser/browser';
import { batchPath, prepareBatches } from './batches.js';
import { atMost, round, type Figure, type Line } from './line.js';
import { runLoad } from './load.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';
import { openCold, password, scriptOf, signIn, type ColdPage } from './ui-browser.js';

const [lines, panels] = [
  { runs: 100, points: 1000 },
  { runs: 20, points: 500, metrics: 24 },
] as const;
const [tries, moves] = [5, 60];
/** As long as whatever comes of an act may take to come. */
const restMs = 1500;

const fill = async (
  server: BenchServer,
  project: string,
  { runs, points, metrics = 1 }: { runs: number; points: number; metrics?: number },
): Promise<readonly string[]> => {
  const keys = await makeExperiments(server, runs, project);
  const clients = prepareBatches(
    { path: batchPath, apiKey: server.apiKey },
    keys,
    { series: metrics, points: points / 10 },
    10,
    (at) => `m/metric_${String(at).padStart(2, '0')}`,
  );
  for (const one of clients)
    await runLoad({ port: server.port, clients: [one], requests: one.length, seconds: 600 });
  return keys;
};

const held = (what: string, values: readonly number[], most: number): Figure => {
  const best = Math.min(...values);
  return {
    what: `script ${what}, ms`,
    value: round(best),
    sides: `best of ${values.map((one) => round(one)).join(', ')}`,
    held: atMost(most, best),
  };
};

const rest = ({ page }: ColdPage): Promise<void> => page.waitForTimeout(restMs);
const filter = ({ page }: ColdPage, by: string) => page.getByLabel('Filter charts').fill(by);

/** Shows no chart, then those that are meant, so that they are drawn for the first time. */
const drawAnew = async (cold: ColdPage, by: string): Promise<number> => {
  await filter(cold, 'none has this');
  await cold.page.locator('.panel').first().waitFor({ state: 'detached' });
  return scriptOf(cold.cdp, async () => {
    await filter(cold, by);
    await cold.page.locator('.panel canvas').first().waitFor();
    await rest(cold);
  });
};

const zoomed = async (cold: ColdPage): Promise<number> => {
  const box = await cold.page.locator('.panel .u-over').first().boundingBox();
  if (box === null) throw new Error('there is no chart');
  const { mouse } = cold.page;
  await mouse.move(box.x + box.width / 4, box.y + box.height / 2);
  await mouse.down();
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 2 });
  const script = await scriptOf(cold.cdp, async () => {
    await mouse.up();
    await cold.page.waitForURL(/zoom=/);
    await rest(cold);
  });
  await cold.page.getByRole('button', { name: 'reset zoom' }).click();
  await cold.page.waitForURL((url) => !url.searchParams.has('zoom'));
  await rest(cold);
  return script;
};

const pointed = async (cold: ColdPage): Promise<number> => {
  const box = await cold.page.locator('.panel .u-over').first().boundingBox();
  if (box === null) throw new Error('there is no chart');
  const script = await scriptOf(cold.cdp, async () => {
    for (let move = 0; move < moves; move++)
      await cold.page.mouse.move(box.x + 60 + (move % 40) * 4, box.y + box.height / 2);
  });
  return script / moves;
};

const manyLines = async (browser: TestBrowser, server: BenchServer): Promise<readonly Figure[]> => {
  await fill(server, 'lines', lines);
  const address = `${server.url}/w/${server.workspace}/p/lines/runs`;
  const cold = await openCold(browser, { address, cookies: await signIn(browser, address) });
  await cold.page.getByLabel('Select all runs of this query').check();
  await cold.page.getByRole('img', { name: new RegExp(`, ${lines.runs} lines`) }).waitFor();
  const [drawn, zooms, hovers]: [number[], number[], number[]] = [[], [], []];
  for (let tried = 0; tried < tries; tried++) {
    drawn.push(await drawAnew(cold, 'metric_00'));
    zooms.push(await zoomed(cold));
    hovers.push(await pointed(cold));
  }
  await cold.close();
  const of = `${lines.runs} lines of ${lines.points} points`;
  return [
    held(`to draw ${of}`, drawn, 100),
    held(`to zoom into ${of}`, zooms, 50),
    held(`for a move over ${of}`, hovers, 1),
  ];
};

const manyPanels = async (
  browser: TestBrowser,
  server: BenchServer,
): Promise<readonly Figure[]> => {
  const keys = await fill(server, 'panels', panels);
  const address = `${server.url}/w/${server.workspace}/p/panels/runs`;
  const cookies = await signIn(browser, address);
  const cold = await openCold(browser, { address, cookies, height: 4000 });
  const { page } = cold;
  await page.getByLabel('Select all runs of this query').check();
  await page.getByRole('button', { name: /^show the other/ }).click();
  await page
    .locator('.panel canvas')
    .nth(panels.metrics - 1)
    .waitFor();
  await rest(cold);
  const [drawn, ticks]: [number[], number[]] = [[], []];
  for (let tried = 0; tried < tries; tried++) {
    drawn.push(
      await scriptOf(cold.cdp, async () => {
        await page.getByRole('button', { name: 'log y' }).click();
        await rest(cold);
      }),
    );
    ticks.push(
      await scriptOf(cold.cdp, async () => {
        await server.call('POST', batchPath, {
          experimentKey: keys[tried],
          values: Array.from({ length: panels.metrics }, (_, at) => ({
            ...{ metricName: `m/metric_${String(at).padStart(2, '0')}`, metricValue: 0.5 },
            ...{ step: 600 + tried, timestamp: Date.now() },
          })),
        });
        await page.waitForTimeout(3 * restMs);
      }),
    );
  }
  await cold.close();
  const of = `${panels.metrics} charts of ${panels.runs} lines of ${panels.points} points`;
  return [held(`to draw ${of}`, drawn, 250), held(`for what comes to ${of}`, ticks, 120)];
};

export const uiChartsLine: Line = {
  name: 'ui-charts',
  run: async () => {
    const browser = await openBrowser();
    if ('missing' in browser)
      return [{ what: 'charts in a browser', value: '-', sides: browser.missing }];
    try {
      return await withServer(
        async (server) => [
          ...(await manyLines(browser, server)),
          ...(await manyPanels(browser, server)),
        ],
        { env: { ORRERY_ADMIN_PASSWORD: password } },
      );
    } finally {
      await browser.stop();
    }
  },
};
