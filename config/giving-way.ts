// Background work that gives way: requests are answered in time, and what nobody waits for comes a little later.
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** How busy the process may be for background work to go on at full speed; more is left to requests. */
const busyAtMost = 0.2;
const [lookEveryMs, longestMs] = [40, 250];

/** Called before each piece of background work: waits while the process has been busier than that, all pieces together. */
export const giveWay = (): (() => Promise<void>) => {
  let last = performance.eventLoopUtilization();
  let resumeAt = 0;
  return async () => {
    const { utilization, active, idle } = performance.eventLoopUtilization(last);
    const lookedFor = active + idle;
    if (lookedFor >= lookEveryMs) {
      last = performance.eventLoopUtilization();
      if (utilization > busyAtMost) resumeAt = performance.now() + Math.min(longestMs, lookedFor * (utilization / busyAtMost - 1));
    }
    const ms = resumeAt - performance.now();
    if (ms > 1) await wait(ms);
  };
};
