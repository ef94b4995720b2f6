// A page of the web UI as a browser opens it for the first time, and what it measured of itself.
import type { CDPSession, Page } from 'playwright-core';
import type { OpenedPage, TestBrowser } from '#test/clients/browser/browser';

export const password = 'velvet-Harbor-91-quill';
type Cookies = Awaited<ReturnType<OpenedPage['context']['cookies']>>;

/** A line as a phone has it: how long a round takes in ms, and bytes in a second. */
export const phoneLine = { latency: 170, downloadThroughput: 9_000_000 / 8 };

/** Notes, in ms since the page was asked for, when rows and the first drawn chart are there, and tasks that held the page up. */
const watcher = `
  window.seen = { long: [] };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.seen.long.push({ at: startTime, took: duration });
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    const now = performance.now();
    if (window.seen.rows === undefined && document.querySelector('.row[data-key]')) window.seen.rows = now;
    if (document.querySelector('.panel canvas')) window.seen.chart = now;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

interface Task {
  readonly at: number;
  readonly took: number;
}

export interface Seen {
  readonly paint: number;
  readonly rows: number;
  readonly chart: number;
  /** The longest task that began half a second or more after the first chart, in ms; 0 where none took 50. */
  readonly longest: number;
}

export interface ColdPage extends Seen {
  readonly page: Page;
  readonly cdp: CDPSession;
  close(): Promise<void>;
}

export const signIn = async (browser: TestBrowser, address: string): Promise<Cookies> => {
  const { page, context } = await browser.open();
  await page.goto(address);
  await page.getByLabel('User name or e-mail').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.row[data-key]').first().waitFor();
  const cookies = await context.cookies();
  await context.close();
  return cookies;
};

/** Opens the address with an empty cache, `slower` times slower than this machine is. */
export const openCold = async (
  browser: TestBrowser,
  {
    address,
    cookies,
    slower = 1,
    line,
    height,
    waitFor = '.panel canvas',
  }: {
    readonly address: string;
    readonly cookies: Cookies;
    readonly slower?: number;
    readonly line?: typeof phoneLine;
    /** Of the window, in points. */
    readonly height?: number;
    /** What is there once the page has opened. */
    readonly waitFor?: string;
  },
): Promise<ColdPage> => {
  const { page, context } = await browser.open({ width: 1400 });
  await context.addCookies(cookies);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower });
  if (line !== undefined)
    await cdp.send('Network.emulateNetworkConditions', {
      ...line,
      ...{ offline: false, uploadThroughput: line.downloadThroughput },
    });
  if (height !== undefined) await page.setViewportSize({ width: 1400, height });
  await page.addInitScript(watcher);
  await page.goto(address);
  await page.locator(waitFor).first().waitFor();
  await page.waitForTimeout(1500);
  const seen = await page.evaluate(() => {
    const { seen: noted } = globalThis as unknown as {
      readonly seen: Omit<Seen, 'paint' | 'longest'> & { readonly long: readonly Task[] };
    }; // what the script above noted
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const later = noted.long.filter(({ at }) => at > (noted.chart ?? noted.rows) + 500);
    return {
      rows: noted.rows,
      chart: noted.chart,
      paint: paint?.startTime ?? 0,
      longest: Math.max(0, ...later.map(({ took }) => took)),
    };
  });
  return { ...seen, page, cdp, close: () => context.close() };
};

/** Ms that scripts of a page run while something is done and for a moment afterwards. */
export const scriptOf = async (cdp: CDPSession, work: () => Promise<void>): Promise<number> => {
  const before = await usage(cdp);
  await work();
  return (await usage(cdp)).scriptMs - before.scriptMs;
};

/** Ms of the processor that scripts took in a page so far, which other programs do not lengthen, and the bytes of its heap. */
export const usage = async (cdp: CDPSession): Promise<{ scriptMs: number; heapMb: number }> => {
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  return { scriptMs: of('ScriptDuration') * 1000, heapMb: of('JSHeapUsedSize') / 1e6 };
};

interface Moving {
  requestAnimationFrame(step: (now: number) => void): void;
  readonly document: { querySelector(one: string): { scrollTop: number } | null };
}

/** Scrolls the table by 100 pixels a frame; the times between frames in ms. */
export const scroll = (page: Page, frames: number): Promise<readonly number[]> =>
  page.evaluate(
    (wanted) =>
      new Promise<number[]>((resolve) => {
        const browser = globalThis as unknown as Moving; // this runs there
        const table = browser.document.querySelector('.runs');
        const times: number[] = [];
        let last: number | undefined;
        const step = (now: number): void => {
          if (last !== undefined) times.push(now - last);
          last = now;
          if (table !== null) table.scrollTop += 100;
          if (times.length < wanted) browser.requestAnimationFrame(step);
          else resolve(times);
        };
        browser.requestAnimationFrame(step);
      }),
    frames,
  );
