// Traces of very many spans, and very many traces, in a browser: how soon the first of them is there, and what the waterfall of all costs.
import { openBrowser, type TestBrowser } from '#test/clients/browser/browser';
import { atMost, round, type Figure, type Line } from './line.js';
import { withServer, type BenchServer } from './server.js';
import { logTrace } from './span-trees.js';
import { fillTraces, openTraced, sumUpSpans } from './spans-fill.js';
import { openCold, password, scriptOf, signIn, type ColdPage } from './ui-browser.js';

const [some, many, tries] = [5000, 20_000, 5];
const traces = 5_000_000;
const row = '.row[data-key]';

const best = (what: string, values: readonly number[], most: number): Figure => ({
  what: `${what}, ms`,
  value: round(Math.min(...values), 1),
  sides: `best of ${values.map((one) => round(one, 1)).join(', ')}`,
  held: atMost(most, Math.min(...values)),
});

const opened = async (
  browser: TestBrowser,
  address: string,
  cookies: Awaited<ReturnType<typeof signIn>>,
): Promise<readonly ColdPage[]> => {
  const pages: ColdPage[] = [];
  for (let tried = 0; tried < tries; tried++) {
    const cold = await openCold(browser, { address, cookies, waitFor: row });
    pages.push(cold);
    if (tried < tries - 1) await cold.close();
  }
  return pages;
};

const measure = async (browser: TestBrowser, server: BenchServer): Promise<readonly Figure[]> => {
  await server.call('POST', '/api/rest/v2/write/experiment/create', {
    ...{ workspaceName: server.workspace, projectName: 'bench' },
  });
  const at = `${server.url}/w/${server.workspace}/p/bench`;
  const cookies = await signIn(browser, `${at}/runs`);
  const traceOf = async (spans: number) => `${at}/trace/${await logTrace(server, spans)}`;
  const first = await opened(browser, await traceOf(some), cookies);
  await first.at(-1)?.close();
  const waterfall = await opened(browser, await traceOf(many), cookies);
  const last = waterfall.at(-1);
  if (last === undefined) throw new Error('nothing was measured');
  const { page, cdp } = last;
  await page.getByText(/of 20.000 spans shown$/).waitFor();
  const draws: number[] = [];
  for (let tried = 0; tried < tries; tried++) {
    await page.getByRole('button', { name: 'Fold all', exact: true }).click();
    await page.waitForTimeout(500);
    draws.push(
      await scriptOf(cdp, async () => {
        await page.getByRole('button', { name: 'Unfold all', exact: true }).click();
        await page.waitForTimeout(500);
      }),
    );
  }
  const rows = (pages: readonly ColdPage[]) => pages.map(({ rows: ms }) => ms);
  const figures = [
    best('5,000 spans: the first row', rows(first), 500),
    best('20,000 spans: the first row', rows(waterfall), 1000),
    best('20,000 spans: script to draw the waterfall of all', draws, 50),
    best(
      '20,000 spans: longest task afterwards',
      waterfall.map(({ longest }) => longest),
      100,
    ),
  ];
  await last.close();
  return figures;
};

const measureList = async (
  browser: TestBrowser,
  server: BenchServer,
  count: number,
): Promise<Figure> => {
  const { db, projectId } = await openTraced(server, 'long');
  await fillTraces(db, projectId, 0, count);
  await sumUpSpans(db);
  await db.destroy();
  const address = `${server.url}/w/${server.workspace}/p/long/traces?range=all`;
  const pages = await opened(browser, address, await signIn(browser, address));
  await pages.at(-1)?.close();
  const rows = pages.map(({ rows: ms }) => ms);
  return best(`${count.toLocaleString('en')} traces: the first rows of their list`, rows, 400);
};

export const uiTracesLine: Line = {
  name: 'ui-traces',
  run: async ({ quick }) => {
    const browser = await openBrowser();
    if ('missing' in browser)
      return [{ what: 'traces in a browser', value: '-', sides: browser.missing }];
    try {
      const env = { ORRERY_ADMIN_PASSWORD: password };
      const list = (server: BenchServer) =>
        measureList(browser, server, quick ? traces / 10 : traces);
      return [
        ...(await withServer((server) => measure(browser, server), { env })),
        await withServer(list, { env }),
      ];
    } finally {
      await browser.stop();
    }
  },
};
