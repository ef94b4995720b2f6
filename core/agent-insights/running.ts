// Asks for the runs that are due and goes through those that wait: a run is a row, so that a process that dies leaves it to the next.
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { InsightAnalyser, InsightFindings } from '#ports/insight-analyser';
import type { Job } from '#ports/jobs';
import type { Log } from '#ports/log';
import type { InsightsFailureReason, InsightsRun } from '#ports/model/agent-insights';
import type { StorageOf } from '#ports/storage/storage';
import type { Toggles } from '#ports/toggles';
import { markOf, storeReport } from './reporting.js';
import { dailyRun, recentRun, reportDayOf, runDay } from './runs.js';

export interface RunningNeeds {
  readonly storage: StorageOf<'insightsIssues' | 'insightsJobs' | 'projects'>;
  readonly analyser: InsightAnalyser;
  readonly toggles: Pick<Toggles, 'isOn'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Hour in UTC from which on the day before is looked through. */
  readonly hour: number;
  /** A signal that aborts after so long, in ms. */
  readonly deadline: (ms: number) => AbortSignal;
}

/** Jobs that are asked for, and runs that are taken, in one go. */
const [jobsAtOnce, runsAtOnce] = [200, 20];
/** How often a run is tried, how long one try may take, and how long it keeps others off, which is when it is tried again. */
const [mostTries, timeMs, claimMs] = [3, 5 * 60_000, 10 * 60_000];
const byServer = 'system';

/** Asks for the daily runs that are due, and for the first ones of enrolled projects. */
export const askForRuns = async (needs: RunningNeeds, signal: AbortSignal): Promise<void> => {
  const { storage, clock, ids, hour } = needs;
  const { insightsJobs } = storage.stores;
  const day = runDay(clock.now(), hour);
  for (let more = true; more && !signal.aborted;) {
    const due = await insightsJobs.listDue(day, jobsAtOnce);
    for (const job of due)
      await insightsJobs.addScheduled(day, dailyRun(job, ids.next(), day, clock.now()));
    more = due.length === jobsAtOnce;
  }
  for (let more = true; more && !signal.aborted;) {
    const enrolled = await insightsJobs.listEnrolled(jobsAtOnce);
    for (const job of enrolled) {
      const now = clock.now();
      await insightsJobs.addFirst(recentRun(job, 'first', ids.next(), now), now * 1000);
    }
    more = enrolled.length === jobsAtOnce;
  }
};

const end = async (
  { storage, clock }: RunningNeeds,
  run: InsightsRun,
  failure: { readonly reason: InsightsFailureReason; readonly detail: string },
): Promise<void> => {
  const { reason, detail } = failure;
  await storage.transaction(async ({ insightsJobs }) => {
    await insightsJobs.noteFailure(
      run.projectId,
      { reason, detail, at: clock.now() * 1000 },
      reason === 'out_of_credits',
    );
    await insightsJobs.removeRun(run.projectId, run.kind, run.id);
  });
};

const store = async (
  { storage, clock }: RunningNeeds,
  run: InsightsRun,
  issues: Extract<InsightFindings, { issues: unknown }>['issues'],
): Promise<void> => {
  const { projectId, kind, id, guidanceVersion } = run;
  const at = clock.now() * 1000;
  const report = { projectId, day: reportDayOf(run), issues };
  await storage.transaction(async (stores) => {
    await storeReport(
      stores,
      { ...report, guidanceVersion: markOf(guidanceVersion) },
      { lastUpdatedAt: at, lastUpdatedBy: byServer },
    );
    if (kind === 'first') await stores.insightsJobs.noteFirstDone(projectId, at);
    await stores.insightsJobs.removeRun(projectId, kind, id);
  });
};

const tooLong = {
  reason: 'timed_out',
  detail: 'the run was not done in time',
  retry: true,
} as const;

const goThrough = async (
  needs: RunningNeeds,
  run: InsightsRun,
  signal: AbortSignal,
): Promise<void> => {
  const { storage, analyser, deadline, log } = needs;
  const project = await storage.stores.projects.findById(run.projectId);
  if (project === undefined) return;
  const { workspaceId, id: projectId } = project;
  const { from, to, guidance } = run;
  const late = deadline(timeMs);
  const found = await analyser.analyse(
    { workspaceId, projectId, from, to, guidance },
    AbortSignal.any([signal, late]),
  );
  if (signal.aborted) return; // tried again once the claim is over
  const failure = late.aborted ? tooLong : 'failure' in found ? found.failure : undefined;
  if (failure === undefined && 'issues' in found) await store(needs, run, found.issues);
  if (failure === undefined || (failure.retry && run.tries + 1 < mostTries)) return;
  log.warn('a run of agent insights came to nothing', { project: projectId, ...failure });
  await end(needs, run, failure);
};

/** Goes through the runs that are due. May be done by several processes at once: each run is claimed by one. */
export const runDue = async (needs: RunningNeeds, signal: AbortSignal): Promise<number> => {
  const { storage, clock, log } = needs;
  const { insightsJobs } = storage.stores;
  let taken = 0;
  for (const run of await insightsJobs.listRuns(clock.now(), runsAtOnce)) {
    if (signal.aborted) break;
    if (!(await insightsJobs.claim(run, clock.now() + claimMs))) continue;
    taken += 1;
    const about = { project: run.projectId, run: run.id, kind: run.kind };
    try {
      if (run.tries >= mostTries) await end(needs, run, tooLong);
      else await goThrough(needs, run, signal);
    } catch (error) {
      // The next run goes on; this one is tried again once its claim is over.
      log.warn('a run of agent insights failed', { ...about, error });
    }
  }
  return taken;
};

/** What makes agent insights run. */
export const insightsJobs = (needs: RunningNeeds, everyMs: number): readonly Job[] => [
  {
    name: 'run-agent-insights',
    everyMs,
    async run(signal) {
      if (!needs.toggles.isOn('agent-insights')) return;
      await askForRuns(needs, signal);
      await runDue(needs, signal);
    },
  },
];
