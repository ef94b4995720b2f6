// Tasks of a page that people feel: while one runs, nothing that is pressed has an answer.
import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** Longer ones are felt; a crowded machine makes them this much longer. */
const [longestMs, crowding] = [100, 4];

const watch = `
  globalThis.tasks = [];
  new PerformanceObserver((list) => {
    const [{ loadEventEnd }] = performance.getEntriesByType('navigation');
    for (const { startTime, duration } of list.getEntries())
      if (loadEventEnd > 0 && startTime > loadEventEnd) globalThis.tasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
`;

export interface TaskWatch {
  /** The longest task in ms since this was asked last; 0 where none took 50. */
  longest(): Promise<number>;
  /** Fails where a task since then was felt, and says after what. */
  expectNone(what: string): Promise<void>;
}

/** Watches what a page does from now on, also when it goes elsewhere. Call it before the page opens anything. */
export const watchTasks = async (page: Page): Promise<TaskWatch> => {
  await page.addInitScript(watch);
  const longest = async (): Promise<number> => {
    await page.waitForTimeout(400); // the browser tells of a task somewhat later
    return page.evaluate(() => {
      const { tasks = [] } = globalThis as unknown as { readonly tasks?: number[] }; // what the script above noted
      return Math.max(0, ...tasks.splice(0));
    });
  };
  return {
    longest,
    async expectNone(what) {
      const ms = await longest();
      expect([what, ms]).to.satisfy(([, one]: [string, number]) => one < longestMs * crowding);
    },
  };
};
