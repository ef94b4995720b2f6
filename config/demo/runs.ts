// Logs the runs of a demo, some of them at a time.
import { api, type DemoClient } from './client.js';
import { bestAccuracy, curvesOf, totalSteps, type Point } from './curves.js';
import { reconstruction } from './pictures.js';
import type { Plan } from './plans.js';
import { codeOf, confusionOf, errorOf, outputOf, predictionsOf, rocOf } from './run-files.js';

export interface LoggedRun {
  readonly key: string;
  readonly plan: Plan;
  readonly accuracy: number;
}

export interface Where {
  readonly workspace: string;
  readonly project: string;
  /** When the newest run was seen last, in ms since the epoch. */
  readonly now: number;
}

const write = `${api}/write/experiment`;
const atOnce = 6;
/** An accuracy that few runs reach. */
const veryGood = 0.95;
const [hour, days] = [3_600_000, 14];

/** Makes a run of this name and hands out its key. */
export const createRun = async (
  client: DemoClient,
  { workspace, project }: Where,
  name: string,
): Promise<string> => {
  const made = await client.ask('POST', `${write}/create`, {
    workspaceName: workspace,
    projectName: project,
    experimentName: name,
  });
  return String(made['experimentKey']);
};

const parametersOf = (plan: Plan) => ({
  arch: plan.family.name,
  lr: plan.lr,
  batch_size: plan.batchSize,
  optimizer: plan.optimizer,
  schedule: plan.schedule,
  warmup: plan.warmup,
  weight_decay: plan.weightDecay,
  dropout: plan.dropout,
  augment: plan.augment,
  image_size: plan.imageSize,
  steps: totalSteps,
  seed: plan.seed,
});

export const logParameters = (
  client: DemoClient,
  key: string,
  parameters: Readonly<Record<string, string | number>>,
) =>
  client.ask('POST', '/clientlib/batch/logger/experiment/parameter', {
    experimentKey: key,
    values: Object.entries(parameters).map(([parameterName, value]) => ({
      parameterName,
      parameterValue: String(value),
    })),
  });

const logCurves = (
  client: DemoClient,
  key: string,
  points: readonly Point[],
  timeOf: (step: number) => number,
) =>
  client.ask('POST', '/clientlib/batch/logger/experiment/metric', {
    experimentKey: key,
    values: points.map(({ metric, value, step, epoch }) => ({
      metricName: metric,
      metricValue: String(value),
      step,
      epoch,
      timestamp: Math.round(timeOf(step)),
    })),
  });

const logText = async (client: DemoClient, key: string, plan: Plan, points: readonly Point[]) => {
  await client.ask('POST', `${write}/code`, { experimentKey: key, code: codeOf(plan) });
  await client.ask('POST', `${write}/output`, {
    experimentKey: key,
    outputLines: outputOf(plan, points),
  });
  await client.ask('POST', `${write}/git/metadata`, {
    experimentKey: key,
    branch: plan.seed % 5 === 0 ? 'augmentation' : 'main',
    parent: (0x9e3779b9 * (1 + Math.floor(plan.seed / 40)))
      .toString(16)
      .padStart(40, '4')
      .slice(0, 40),
    origin: 'https://example.org/street-scenes.git',
  });
  await client.ask('POST', `${write}/system-details`, {
    experimentKey: key,
    pythonVersion: '3.13.1',
    os: 'Linux 6.12',
    hostname: `gpu-${1 + (plan.seed % 4)}`,
    command: ['python', 'train.py', '--arch', plan.family.name],
    installedPackages: ['numpy==2.3.1', 'pillow==11.3.0', 'torch==2.9.0', 'torchvision==0.24.0'],
  });
};

/** Pictures at some steps, and what the model got wrong at the end. */
const logMedia = async (client: DemoClient, key: string, plan: Plan, accuracy: number) => {
  for (const share of [0.1, 0.4, 1].filter((one) => one <= plan.done))
    for (let scene = 0; scene < 6; scene++)
      await client.upload(
        {
          experimentKey: key,
          fileName: `scene-${scene}.png`,
          type: 'image',
          step: share * totalSteps,
          overwrite: 'false',
        },
        reconstruction(scene, share * accuracy),
      );
  const file = (fileName: string, type: string, content: string) =>
    client.upload(
      { experimentKey: key, fileName, type, step: Math.round(plan.done * totalSteps) },
      content,
    );
  await file('confusion-matrix.json', 'confusion-matrix', confusionOf(plan, accuracy));
  await file('roc.json', 'curve', rocOf(accuracy));
  await file('predictions.csv', 'dataframe', predictionsOf(plan, accuracy));
};

const tagsOf = (plan: Plan, accuracy: number): readonly string[] => [
  plan.seed < 8 ? 'baseline' : 'sweep',
  ...(accuracy > 0.93 ? ['candidate'] : []),
  ...(plan.outcome === 'diverged' ? ['diverged'] : []),
];

const endRun = async (
  client: DemoClient,
  key: string,
  plan: Plan,
  [began, ended]: readonly [number, number],
) => {
  const error = errorOf(plan);
  const running = plan.outcome === 'running';
  await client.ask('POST', `${write}/set-start-end-time`, {
    experimentKey: key,
    startTimeMillis: Math.round(began),
    ...(running ? {} : { endTimeMillis: Math.round(ended) }),
  });
  await client.ask('POST', `${write}/update-status`, {
    experimentKey: key,
    isAlive: running,
    hasCrashed: error !== undefined,
    ...(error === undefined ? {} : { error }),
  });
};

const logRun = async (
  client: DemoClient,
  where: Where,
  plan: Plan,
  { began, media }: { readonly began: number; readonly media: boolean },
): Promise<LoggedRun> => {
  const key = await createRun(client, where, plan.name);
  const points = curvesOf(plan);
  const accuracy = bestAccuracy(points);
  const took = totalSteps * plan.family.secondsAStep * 1000;
  await logParameters(client, key, parametersOf(plan));
  await logCurves(client, key, points, (step) => began + (step / totalSteps) * took);
  await logText(client, key, plan, points);
  if (media || accuracy > veryGood) await logMedia(client, key, plan, accuracy);
  await client.ask('POST', `${write}/tags`, {
    experimentKey: key,
    addedTags: tagsOf(plan, accuracy),
  });
  await endRun(client, key, plan, [began, began + plan.done * took]);
  return { key, plan, accuracy };
};

/** The newest runs and one in twenty of the others have media; so have those that turn out well. */
const hasMedia = ({ seed }: Plan, count: number): boolean => seed % 20 === 0 || seed > count - 6;

/** Logs the planned runs, the newest as running now, the others over the last two weeks. */
export const logRuns = async (
  client: DemoClient,
  where: Where,
  { plans, progress }: { plans: readonly Plan[]; progress: (done: number) => void },
): Promise<readonly LoggedRun[]> => {
  const logged: LoggedRun[] = [];
  const span = days * 24 * hour;
  for (let at = 0; at < plans.length; at += atOnce) {
    const part = plans.slice(at, at + atOnce).map((plan) => {
      const took = plan.done * totalSteps * plan.family.secondsAStep * 1000;
      const ago =
        plan.outcome === 'running' ? 0 : (1 - (plan.seed + 1) / plans.length) * span + hour;
      const media = hasMedia(plan, plans.length);
      return logRun(client, where, plan, { began: where.now - ago - took, media });
    });
    logged.push(...(await Promise.all(part)));
    progress(logged.length);
  }
  return logged;
};
