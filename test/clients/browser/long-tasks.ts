// Tasks of a page that people feel: while one runs, nothing that is pressed has an answer.
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';

/** Longer ones are felt; the processor of a slow machine takes this much longer for them. */
const [longestMs, slowness] = [100, 1.5];

export interface TaskWatch {
  /** The longest task since this was asked last, in ms of the processor, which other programs on the machine do not lengthen. */
  longest(): Promise<number>;
  /** Fails where a task since then was felt, and says after what. */
  expectNone(what: string): Promise<void>;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of the processor, in µs. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const traced = new WeakSet<Browser>();

/** What browsers call a process of pages; those of their own surface, such as what drops down from the line of addresses, have other names. */
const ofPages = 'Renderer';

const longestOf = (trace: Buffer): number => {
  const { traceEvents } = JSON.parse(trace.toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  }; // as browsers write traces
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const named = (event: string, name: string) =>
    traceEvents.filter((one) => one.name === event && one.args?.name === name);
  const processes = new Set(named('process_name', ofPages).map(({ pid }) => pid));
  const pages = new Set(
    named('thread_name', 'CrRendererMain')
      .filter(({ pid }) => processes.has(pid))
      .map(threadOf),
  );
  if (pages.size === 0) throw new Error('the trace tells of no page');
  return traceEvents
    .filter((one) => one.name.endsWith('RunTask') && pages.has(threadOf(one)))
    .reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0);
};

/** Watches what the pages of a browser do from now on. */
export const watchTasks = async (page: Page): Promise<TaskWatch> => {
  const browser = page.context().browser();
  if (browser === null) throw new Error('only pages of a browser that was started are watched');
  // Of no page: one that is closed meanwhile would take the trace with it.
  const start = () => browser.startTracing(undefined, { categories: ['toplevel'] });
  if (traced.has(browser)) await browser.stopTracing();
  traced.add(browser);
  await start();
  const longest = async (): Promise<number> => {
    await page.waitForTimeout(300); // what comes of an act may come a little later
    const trace = await browser.stopTracing();
    await start();
    return longestOf(trace);
  };
  return {
    longest,
    async expectNone(what) {
      const ms = await longest();
      expect(ms, `the longest task of ${what}, in ms`).to.be.below(longestMs * slowness);
    },
  };
};
