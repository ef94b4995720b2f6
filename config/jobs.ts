// Runs jobs, each by one process at a time: whoever holds its lease. A process that dies loses it, and another goes on.
import { setMaxListeners } from 'node:events';
import type { Ids } from '#ports/ids';
import type { Job } from '#ports/jobs';
import type { Log } from '#ports/log';
import type { LeaseStore } from '#ports/storage/leases';

export interface RunningJobs {
  /** Ends every run soon and waits for it. */
  stop(): Promise<void>;
}

const leaseMs = 30_000;
const renewMs = 10_000;
const waitMs = 500;
const apartMs = 30;

/** Waits, or until the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener('abort', end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
  });

const runLeased = async (
  job: Job,
  leases: LeaseStore,
  holder: string,
  stopping: AbortSignal,
): Promise<void> => {
  const name = `job:${job.name}`;
  if (!(await leases.take(name, holder, leaseMs))) return;
  const lost = new AbortController();
  const renewing = setInterval(() => {
    leases.take(name, holder, leaseMs).then(
      (held) => {
        if (!held) lost.abort();
      },
      () => {
        lost.abort();
      },
    );
  }, renewMs);
  renewing.unref();
  try {
    await job.run(AbortSignal.any([stopping, lost.signal]));
  } finally {
    clearInterval(renewing);
    await leases.release(name, holder);
  }
};

/** Does something while no process runs this job, waiting for its end where one does. */
export const withoutJob = async <T>(
  name: string,
  { leases, ids }: { readonly leases: LeaseStore; readonly ids: Ids },
  work: () => Promise<T>,
): Promise<T> => {
  const [lease, holder] = [`job:${name}`, ids.next()];
  while (!(await leases.take(lease, holder, leaseMs)))
    await new Promise((wake) => setTimeout(wake, waitMs));
  const renewing = setInterval(() => {
    leases.take(lease, holder, leaseMs).catch(() => undefined);
  }, renewMs); // one renewal may be missed
  renewing.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await leases.release(lease, holder);
  }
};

/** Starts every job; a run that fails is logged and tried again after its pause. */
export const startJobs = (
  jobs: readonly Job[],
  { leases, ids, log }: { readonly leases: LeaseStore; readonly ids: Ids; readonly log: Log },
): RunningJobs => {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every job waits on it
  const holder = ids.next();
  const loop = async (job: Job, place: number): Promise<void> => {
    // One after the other, since jobs that all began at once would each open a connection of its own.
    await pause(Math.min(job.everyMs, 1000) + place * apartMs, stopping.signal);
    while (!stopping.signal.aborted) {
      await runLeased(job, leases, holder, stopping.signal).catch((error: unknown) => {
        log.warn('a job failed and will be tried again', { job: job.name, error });
      });
      await pause(job.everyMs, stopping.signal);
    }
  };
  const loops = jobs.map(loop);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
};
