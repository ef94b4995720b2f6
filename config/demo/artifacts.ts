// Artifacts of a demo and what came of what: pictures are collected and cleaned, a model is trained on them and evaluated.
import { api, type DemoClient } from './client.js';
import { createRun, logParameters, type LoggedRun, type Where } from './runs.js';

interface NewVersion {
  readonly name: string;
  readonly type: string;
  readonly run: string;
  readonly files: Readonly<Record<string, string>>;
  readonly aliases?: readonly string[];
  readonly note?: string;
}

const logVersion = async (client: DemoClient, made: NewVersion): Promise<string> => {
  const { name, type, run, files, aliases = [], note } = made;
  const reply = await client.ask('POST', `${api}/write/artifacts/upsert`, {
    artifactName: name,
    artifactType: type,
    experimentKey: run,
    alias: aliases,
    ...(note === undefined ? {} : { note }),
  });
  const artifactVersionId = String(reply['artifactVersionId']);
  for (const [fileName, content] of Object.entries(files))
    await client.upload(
      { experimentKey: run, fileName, type: 'unknown', artifactVersionId },
      content,
    );
  await client.ask('POST', `${api}/write/artifacts/state`, {
    artifactVersionId,
    experimentKey: run,
    state: 'CLOSED',
  });
  return artifactVersionId;
};

/** Reads a version as a run does that uses it, which is noted. */
const useVersion = (client: DemoClient, versionId: string, run: string) =>
  client.ask('GET', `${api}/artifacts/version?versionId=${versionId}&consumerExperimentKey=${run}`);

const listing = (images: number, from: string): string =>
  ['image,source', ...Array.from({ length: images }, (_, at) => `scene-${at}.png,${from}`)].join(
    '\n',
  );

/** A run of a script that made something else than a model. */
const logStep = async (
  client: DemoClient,
  where: Where,
  name: string,
  parameters: Readonly<Record<string, string | number>>,
): Promise<string> => {
  const key = await createRun(client, where, name);
  await logParameters(client, key, parameters);
  await client.ask('POST', `${api}/write/experiment/update-status`, {
    experimentKey: key,
    isAlive: false,
    hasCrashed: false,
  });
  return key;
};

/** Logs three versions of a data set, the weights of the best runs and a report on them; `best` is in descending order. */
export const logArtifacts = async (
  client: DemoClient,
  where: Where,
  best: readonly LoggedRun[],
): Promise<void> => {
  const data = { ...where, project: `${where.project}-data` };
  const dataset = { name: `${where.project}-images`, type: 'dataset' };
  const collect = await logStep(client, data, 'collect-images', { cameras: 12, days: 30 });
  const raw = await logVersion(client, {
    ...dataset,
    run: collect,
    files: { 'train.csv': listing(400, 'camera'), 'labels.json': '{"classes": 6}' },
    note: 'as it came from the cameras',
  });
  const clean = await logStep(client, data, 'remove-duplicates', { threshold: 0.92 });
  await useVersion(client, raw, clean);
  const cleaned = await logVersion(client, {
    ...dataset,
    run: clean,
    files: { 'train.csv': listing(371, 'camera'), 'labels.json': '{"classes": 6}' },
    note: 'without 29 duplicates',
  });
  const balance = await logStep(client, data, 'balance-classes', { most_per_class: 80 });
  await useVersion(client, cleaned, balance);
  const newest = await logVersion(client, {
    ...dataset,
    run: balance,
    files: {
      'train.csv': listing(352, 'balanced'),
      'validation.csv': listing(64, 'balanced'),
      'labels.json': '{"classes": 6, "weighted": true}',
    },
    aliases: ['current'],
    note: 'classes balanced, a split for validation',
  });
  const evaluate = await logStep(client, data, 'evaluate-candidates', { images: 64 });
  for (const [at, { key, plan, accuracy }] of best.slice(0, 3).entries()) {
    await useVersion(client, newest, key);
    const weights = await logVersion(client, {
      name: `${where.project}-weights`,
      type: 'model',
      run: key,
      files: { 'config.json': JSON.stringify({ arch: plan.family.name, accuracy }) },
      aliases: at === 0 ? ['best'] : [],
    });
    await useVersion(client, weights, evaluate);
  }
  await logVersion(client, {
    name: `${where.project}-report`,
    type: 'report',
    run: evaluate,
    files: {
      'report.md': best
        .slice(0, 3)
        .map(({ plan, accuracy }) => `- ${plan.name}: ${accuracy.toFixed(4)}\n`)
        .join(''),
    },
  });
};
