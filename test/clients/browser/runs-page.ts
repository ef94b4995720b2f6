// The page of the runs of a project, with its charts: what the suites about it begin with and do again and again.
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import type { OpenedPage } from './browser.js';
import { openScreens, type Screens } from './signed-in.js';

export interface RunsPage {
  readonly screens: Screens;
  readonly opened: OpenedPage;
  /** Opens the page with such a query in its address, and waits for its rows. */
  show(search?: string): Promise<void>;
  /** The chart of a metric. */
  panel(metric: string): Locator;
  /** Waits until a chart has its points. */
  drawn(metric: string): Promise<void>;
  /** What a button of a chart saves. */
  saved(metric: string, name: 'CSV' | 'SVG' | 'PNG'): Promise<Buffer>;
}

/** Starts a server and a browser before the cases of a suite, logs runs, and ends them afterwards. */
export const useRunsPage = (count?: number): RunsPage => {
  let screens: Screens;
  let opened: OpenedPage;
  before('start a server and a browser, and log some runs', async function () {
    screens = await openScreens(this, count === undefined ? {} : { count });
    opened = await screens.signIn({ width: 1400 });
  });
  after(async () => {
    await screens?.stop();
  });
  const panel = (metric: string) =>
    opened.page.locator('.panel').filter({ has: opened.page.getByTitle(metric, { exact: true }) });
  const drawn = (metric: string) =>
    panel(metric)
      .locator('footer')
      .filter({ hasText: /points|places/ })
      .waitFor();
  return {
    get screens() {
      return screens;
    },
    get opened() {
      return opened;
    },
    panel,
    drawn,
    async show(search = '') {
      await opened.page.goto(screens.address(`runs${search}`));
      await opened.page
        .getByText(/ of \d+ runs/)
        .first()
        .waitFor();
    },
    async saved(metric, name) {
      await drawn(metric);
      await panel(metric).hover();
      const [file] = await Promise.all([
        opened.page.waitForEvent('download'),
        panel(metric).getByRole('button', { name }).click(),
      ]);
      return readFile(await file.path());
    },
  };
};
