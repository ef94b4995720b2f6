// Background work that gives way: requests are answered in time, and what nobody waits for comes a little later.
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Traffic } from '#ports/traffic';

/** What counts the requests that are being answered, for as long as it may be that they soon are. */
export interface WatchedTraffic extends Traffic {
  /** Told as a request begins; what it gives is called at its end. */
  begin(): () => void;
}

/** After so long a request is one that streams or waits, and others do not wait for it. */
const answeredMs = 100;

export const watchTraffic = (): WatchedTraffic => {
  const underWay = new Set<object>();
  const waiting = new Set<() => void>();
  let begun = 0;
  const leave = (one: object): void => {
    if (underWay.delete(one) && underWay.size === 0) for (const wake of waiting) wake();
  };
  return {
    begin() {
      const one = {};
      begun++;
      underWay.add(one);
      const late = setTimeout(leave, answeredMs, one);
      late.unref();
      return () => {
        clearTimeout(late);
        leave(one);
      };
    },
    begun: () => begun,
    quiet: (ms) =>
      new Promise((resolve) => {
        if (underWay.size === 0) {
          resolve(true);
          return;
        }
        const end = (isQuiet: boolean): void => {
          clearTimeout(late);
          waiting.delete(wake);
          resolve(isQuiet);
        };
        const wake = (): void => {
          end(true);
        };
        const late = setTimeout(end, ms, false);
        waiting.add(wake);
      }),
  };
};

/** How busy the process may be for background work to go on at full speed; more is left to requests. */
const busyAtMost = 0.2;
const [lookEveryMs, longestMs] = [40, 250];
/** How long it waits for a moment without requests, and how long it then does not, since there are always some. */
const [quietMs, unquietMs] = [50, 1000];

/** Called before each piece of background work: waits while the process has been busier than that, all pieces together, and for requests that are being answered. */
export const giveWay = (traffic: Traffic): (() => Promise<void>) => {
  let last = performance.eventLoopUtilization();
  let [resumeAt, unquietUntil] = [0, 0];
  return async () => {
    const { utilization, active, idle } = performance.eventLoopUtilization(last);
    const lookedFor = active + idle;
    if (lookedFor >= lookEveryMs) {
      last = performance.eventLoopUtilization();
      if (utilization > busyAtMost)
        resumeAt =
          performance.now() + Math.min(longestMs, lookedFor * (utilization / busyAtMost - 1));
    }
    const ms = resumeAt - performance.now();
    if (ms > 1) await wait(ms);
    if (performance.now() >= unquietUntil && !(await traffic.quiet(quietMs)))
      unquietUntil = performance.now() + unquietMs;
  };
};
