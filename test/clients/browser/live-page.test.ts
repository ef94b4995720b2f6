// A page that is left open beside runs that go on: after very many changes it holds no more than at its beginning.
import { expect } from 'chai';
import type { CDPSession, Page } from 'playwright-core';
import { openScreens, type Screens } from './signed-in.js';

/** The page asks for curves at most once in two and a half seconds, and for its rows every five: so many times in a quarter of an hour. */
const [times, longestWaitMs] = [360, 5000];
/** So much shorter is each wait of the page between two changes, for the time to pass in less than a minute. */
const quicker = 100;
/** A quarter of what an hour may take. */
const mostGrowthMb = 2.5;

interface Held {
  readonly heapMb: number;
  readonly elements: number;
  readonly listeners: number;
}

describe('a page beside runs that go on, in a browser', function () {
  this.timeout(300_000);
  let screens: Screens;
  before('start a server and a browser, and log runs', async function () {
    screens = await openScreens(this, {
      count: 24,
      env: { ORRERY_THROTTLE_METRICS_PER_MINUTE: '0', ORRERY_THROTTLE_PARAMETERS_PER_MINUTE: '0' },
    });
  });
  after(async () => {
    await screens?.stop();
  });

  const heldBy = async (cdp: CDPSession): Promise<Held> => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await cdp.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
    return {
      heapMb: of('JSHeapUsedSize') / 1e6,
      elements: of('Nodes'),
      listeners: of('JSEventListeners'),
    };
  };
  /** Logs points until so many times the page has asked for its curves. */
  const goOn = async (page: Page, asked: () => number, until: number): Promise<void> => {
    for (let step = 3000; asked() < until; step++) {
      await screens.ask('POST', '/clientlib/batch/logger/experiment/metric', {
        experimentKey: screens.runs[22 + (step % 2)]?.key,
        values: ['train/loss', 'val/acc', 'val/loss'].map((metricName) => ({
          ...{ metricName, metricValue: String(Math.random()), step, timestamp: Date.now() },
        })),
      });
      await page.evaluate('tellAll()');
    }
  };
  /** Counts what the page asks for, lets it wait less, and lets its stream of events tell at once of what was logged. */
  const watched = async (page: Page) => {
    let curves = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/series/binary')) curves++;
    });
    await page.addInitScript(
      ([longest, by]) => {
        interface Stream {
          dispatchEvent(event: unknown): boolean;
        }
        const browser = globalThis as unknown as {
          setTimeout: (work: () => void, ms?: number) => number;
          EventSource: new (address: string) => Stream;
          Event: new (name: string) => unknown;
          tellAll(): void;
        }; // this runs there
        const usual = browser.setTimeout;
        browser.setTimeout = (work, ms = 0) =>
          usual(work, ms <= (longest ?? 0) && ms >= 1000 ? ms / (by ?? 1) : ms);
        const streams: Stream[] = [];
        browser.EventSource = class extends browser.EventSource {
          constructor(address: string) {
            super(address);
            streams.push(this);
          }
        };
        browser.tellAll = () => {
          for (const one of streams)
            for (const name of ['points', 'values']) one.dispatchEvent(new browser.Event(name));
        };
      },
      [longestWaitMs, quicker],
    );
    return () => curves;
  };

  it('holds no more after a quarter of an hour of changes than at its beginning', async () => {
    const { page, context } = await screens.signIn({ width: 1400 });
    const asked = await watched(page);
    await page.goto(screens.address('runs'));
    await page.locator('.panel canvas').first().waitFor();
    await page.getByText(/ · live · /).waitFor();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable');
    await goOn(page, asked, 60);
    const before = await heldBy(cdp);
    await goOn(page, asked, 60 + times);
    const after = await heldBy(cdp);
    expect(after.heapMb - before.heapMb, 'MB more').to.be.below(mostGrowthMb);
    expect(after.elements - before.elements, 'more elements').to.be.below(2000);
    expect(after.listeners - before.listeners, 'more listeners').to.be.below(500);
    await context.close();
  });

  it('draws the first metric of a project soon after its first point, which comes while one looks', async () => {
    const project = 'not trained yet';
    const { experimentKey } = await screens.ask('POST', '/api/rest/v2/write/experiment/create', {
      workspaceName: screens.server.workspace,
      projectName: project,
    });
    const { page, context } = await screens.signIn({ width: 1400 });
    await page.goto(screens.address(`/p/${encodeURIComponent(project)}/runs`));
    await page.getByText('1 of 1 runs').waitFor();
    await page.getByText(/ · live · /).waitFor();
    expect(await page.locator('.panel').count()).to.equal(0);

    await screens.ask('POST', '/clientlib/batch/logger/experiment/metric', {
      experimentKey,
      values: [{ metricName: 'loss', metricValue: '0.5', step: 1, timestamp: Date.now() }],
    });

    await page
      .locator('.panel footer')
      .filter({ hasText: /all 1 points?/ })
      .waitFor({ timeout: 30_000 });
    await context.close();
  });
});
