// Models that a demo registers from its best runs: versions, what became of them, and a request that waits for a decision.
import { api, type DemoClient } from './client.js';
import type { LoggedRun, Where } from './runs.js';

const registry = `${api}/write/registry-model/item`;

const register = async (
  client: DemoClient,
  model: string,
  { key, plan, accuracy }: LoggedRun,
): Promise<string> => {
  const file = (fileName: string, content: string) =>
    client.upload(
      { experimentKey: key, fileName, type: 'model-element', groupingName: plan.family.name },
      content,
    );
  await file('model.json', JSON.stringify({ arch: plan.family.name, size: plan.imageSize }));
  await file('weights.bin', plan.name.repeat(4000));
  const made = await client.ask('POST', `${registry}/create`, {
    experimentKey: key,
    experimentModelName: plan.family.name,
    registryModelName: model,
    registryModelDescription: 'Tells what is in the picture of a street',
    versionComment: `accuracy ${accuracy.toFixed(4)} on validation data`,
  });
  return String(made['registryModelItemId']);
};

const setStatus = (client: DemoClient, modelItemId: string, status: string) =>
  client.ask('POST', `${registry}/status`, { modelItemId, status, comment: 'all checks passed' });

/** The first of these statuses that this installation has, else its last. */
const statusLike = (allowed: readonly string[], ...wanted: readonly string[]): string =>
  wanted.find((one) => allowed.includes(one)) ?? allowed.at(-1) ?? 'None';

/** Registers versions of two models, the best run last. Hands out the names of the models; `best` is in descending order. */
export const registerModels = async (
  client: DemoClient,
  { workspace, project }: Where,
  best: readonly LoggedRun[],
): Promise<readonly string[]> => {
  const { allowedStatus } = await client.ask(
    'GET',
    `${api}/registry-model/allowed_status_values?${new URLSearchParams({ workspaceName: workspace }).toString()}`,
  );
  const allowed = Array.isArray(allowedStatus) ? allowedStatus.map(String) : [];
  const [model, light] = [`${project}-classifier`, `${project}-light`];
  const versions: string[] = [];
  for (const run of best.slice(0, 4).reverse()) versions.push(await register(client, model, run));
  const [oldest = '', older = '', served = '', newest = ''] = versions;
  await setStatus(client, oldest, statusLike(allowed, 'Archived'));
  await setStatus(client, older, statusLike(allowed, 'QA', 'Staging'));
  await setStatus(client, served, statusLike(allowed, 'Production'));
  await client.ask('POST', `${registry}/update`, {
    registryModelItemId: served,
    stages: ['served', 'eu-west'],
  });
  await client.ask('POST', `${registry}/${newest}/status-configuration`, {
    status: statusLike(allowed, 'Staging', 'QA'),
    isReviewRequired: true,
    comment: 'better on every class but signals; please look at those',
  });
  await client.ask('POST', `/v1/private/ui/model-versions/${newest}/comments`, {
    text: 'Signals are told from signs less often than before. The cameras of May are missing.',
  });
  const smallest = best.find(({ plan }) => plan.family.millions < 10) ?? best.at(-1);
  if (smallest !== undefined)
    await setStatus(
      client,
      await register(client, light, smallest),
      statusLike(allowed, 'Development'),
    );
  return [model, light];
};
