// Fills a project, and what belongs to it in its workspace, with what looks like the work of two weeks; and a second one with a week of answers of an assistant.
import { logArtifacts } from './artifacts.js';
import { logAnswers } from './assistant/answers.js';
import { logJudged } from './assistant/judged.js';
import { logWatched } from './assistant/watched.js';
import { api, type DemoClient } from './client.js';
import { totalSteps } from './curves.js';
import { registerModels } from './models.js';
import { plansOf } from './plans.js';
import { logRuns, type LoggedRun, type Where } from './runs.js';

/** The fewest runs that have one of each kind of end, and enough good ones for the registry. */
export const fewestRuns = 16;

/** As many as have some of each kind. */
const fewestAnswers = 80;

export interface Filled {
  readonly runs: readonly LoggedRun[];
  readonly models: readonly string[];
}

/** Other projects that belong to a demo of a name: what its artifacts came from, and the assistant. */
export const besideProject = (project: string) =>
  ({
    data: `${project}-data`,
    assistant: `${project}-assistant`,
    judged: `${project}-judged`,
  }) as const;

const say = (client: DemoClient, run: LoggedRun | undefined, text: string, steps = {}) =>
  run === undefined
    ? Promise.resolve({})
    : client.ask('POST', `/v1/private/ui/runs/${run.key}/comments`, { text, ...steps });

const comment = async (client: DemoClient, runs: readonly LoggedRun[], best?: LoggedRun) => {
  await say(client, best, 'Best so far. Let us register this one.');
  await say(client, best, 'The loss is still falling here; longer training may help.', {
    firstStep: totalSteps * 0.8,
    lastStep: totalSteps,
  });
  const diverged = runs.find(({ plan }) => plan.outcome === 'diverged');
  await say(client, diverged, 'The rate was ten times too high, and nothing was warmed up.');
  if (best !== undefined)
    await client.ask('POST', `${api}/write/experiment/notes`, {
      experimentKey: best.key,
      notes: '# Why this one\n\nA warm-up and **mixup** together, on the balanced images.\n',
    });
};

/** Logs `count` runs with all that belongs to them. `progress` is told of every few. */
export const fillDemo = async (
  client: DemoClient,
  where: Where,
  { count, progress }: { readonly count: number; readonly progress: (runs: number) => void },
): Promise<Filled> => {
  const runs = await logRuns(client, where, { plans: plansOf(count), progress });
  const best = runs
    .filter(({ plan }) => plan.outcome === 'finished')
    .sort((one, other) => other.accuracy - one.accuracy);
  await logArtifacts(client, where, best);
  const models = await registerModels(client, where, best);
  await comment(client, runs, best[0]);
  const { assistant, judged } = besideProject(where.project);
  const answers = await logAnswers(client, assistant, {
    now: where.now,
    count: Math.max(fewestAnswers, count),
  });
  await logJudged(client, { assistant, judged });
  await logWatched(client, where, assistant, answers);
  return { runs, models };
};
