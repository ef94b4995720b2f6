import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

/** An event of a workspace, which is of the last hour. */
export const monitoredEvent = (
  workspaceName: string,
  predictionId = 'p1',
  modelName = 'watched',
) => ({
  workspaceName,
  modelName,
  modelVersion: '1.0',
  predictionId,
  features: { age: 41, region: 'eu' },
  predictions: { value: 'yes', probability: 0.7 },
});

/** A model that some events were sent of. */
export const monitoredModels = thing(async ({ ask, read, owner }) => {
  const name = freshName('watched');
  await ask('/mpm/v2/events/batch', {
    data: ['p1', 'p2'].map((id) => monitoredEvent(owner.workspace, id, name)),
  });
  const { workspaces } = (await read('/api/mpm/v3/workspaces')) as {
    readonly workspaces: readonly {
      readonly workspaceName: string;
      readonly models: readonly { readonly modelId: string; readonly modelName: string }[];
    }[];
  }; // that row's reply
  const own = workspaces.find(({ workspaceName }) => workspaceName === owner.workspace);
  const made = own?.models.find(({ modelName }) => modelName === name);
  return { modelId: made?.modelId ?? '', modelName: name };
});

/** An alert of that model, which looks at how many events there were. */
export const monitoredAlerts = thing(async ({ ask, of }) => {
  const { modelId } = await of(monitoredModels);
  return (await ask('/api/mpm/v2/alerts', {
    modelId,
    name: 'quiet',
    type: 'SILENCE',
  })) as { readonly alertId: string }; // that row's reply
});

/** A segment of that model. */
export const monitoredSegments = thing(async ({ ask, of }) => {
  const { modelId } = await of(monitoredModels);
  return (await ask('/api/mpm/v2/segments', {
    modelId,
    name: freshName('segment'),
    filter: 'region=eu',
  })) as { readonly segmentId: string }; // as above
});

/** A baseline of that model. */
export const monitoredBaselines = thing(async ({ ask, of }) => {
  const { modelId } = await of(monitoredModels);
  return (await ask('/api/mpm/v2/baselines', { modelId, kind: 'moving', movingDays: 7 })) as {
    readonly baselineId: string;
  }; // as above
});
