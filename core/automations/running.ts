// Works through the queue of what rules look at: some things at once, until nothing is due.
import type { Job } from '#ports/jobs';
import type { AutomationRun } from '#ports/model/automations';
import { decide, giveUp } from './deciding.js';
import { judge } from './judging.js';
import { mostTries, type RunningNeeds } from './needs.js';

/** Things that are worked on at once, and those of one project, so that no slow model holds up every other one. */
const [mostAtOnce, mostOfProject] = [32, 8];
/** Longer than a model is waited for, with all its attempts. */
const claimMs = 10 * 60_000;
const lookAgainMs = 500;
const everyMs = 1000;

const isJudged = (run: AutomationRun): run is AutomationRun & { readonly ruleId: string } =>
  run.ruleId !== undefined;

const workOn = async (
  needs: RunningNeeds,
  run: AutomationRun,
  signal: AbortSignal,
): Promise<void> => {
  const { automationRuns } = needs.storage.stores;
  try {
    if (run.tries > mostTries) await giveUp(needs, run);
    else if (isJudged(run)) await judge(needs, run, signal);
    else await decide(needs, run, signal);
  } catch (fault) {
    needs.log.warn('a rule failed to score something', {
      ...{ project: run.projectId, entity: run.entityId, rule: run.ruleId },
      ...{ tries: run.tries, fault: String(fault) },
    });
    // Where this fails too the claim runs out, and it is tried again then.
    await automationRuns
      .postpone(needs.holder, run.id, needs.retryMs * 4 ** (run.tries - 1), true)
      .catch(() => undefined);
  }
};

/** Works on all that is due; answers how much. May run in several processes at once: each thing is claimed by one. */
export const runDue = async (needs: RunningNeeds, signal: AbortSignal): Promise<number> => {
  const { automationRuns } = needs.storage.stores;
  const going = new Map<Promise<void>, string>();
  let done = 0;
  const busy = (): readonly string[] => {
    const projects = [...going.values()];
    return [...new Set(projects)].filter(
      (id) => projects.filter((other) => other === id).length >= mostOfProject,
    );
  };
  const start = (run: AutomationRun): void => {
    const work = workOn(needs, run, signal).finally(() => going.delete(work));
    going.set(work, run.projectId);
    done++;
  };
  try {
    while (!signal.aborted) {
      const before = going.size;
      const room = Math.min(mostOfProject, mostAtOnce - before);
      const claimed =
        room > 0 ? await automationRuns.claim(needs.holder, room, claimMs, busy()) : [];
      claimed.forEach(start);
      if (going.size === 0) {
        if (before === 0) return done;
        // What ended while this looked may have put something in the queue.
        continue;
      }
      // Something else may come to be due while a model is waited for.
      if (claimed.length === 0 || going.size >= mostAtOnce)
        await Promise.race([...going.keys(), needs.pause(lookAgainMs)]);
    }
    return done;
  } finally {
    await Promise.all(going.keys());
  }
};

export const automationJobs = (needs: RunningNeeds): readonly Job[] => [
  {
    name: 'run-automations',
    everyMs,
    run: async (signal) => {
      await runDue(needs, signal);
    },
  },
];
