import { setTimeout as wait } from 'node:timers/promises';
import { slowThing, thing } from '#test/api/fixtures';
import { freshName, nowhere } from '#test/api/fresh';
import { models } from '#test/areas/registry/things';

export const channels = thing(async ({ ask, owner }) => {
  const { channelId = '' } = await ask('/api/rest/v2/write/channels', {
    workspaceName: owner.workspace,
    kind: 'slack',
    name: 'room',
    target: nowhere,
  });
  return { channelId };
});

/** A delivery to a webhook that nobody answers, once the change it tells of was fanned out. */
export const deliveries = slowThing(async ({ ask, read, of, owner }) => {
  const { registryModelName: modelName, modelVersionId } = await of(models);
  const hooks = { workspaceName: owner.workspace, modelName, webhookUrls: [{ url: nowhere }] };
  await ask('/api/rest/v2/webhooks/config', { webhookConfigs: [hooks] });
  await read(
    `/api/rest/v2/write/registry-model/item/stage?modelItemId=${modelVersionId}&stage=${freshName('told')}`,
  );
  for (let tries = 0; tries < 200; tries++) {
    const listed = await read(
      `/api/rest/v2/webhooks/deliveries?workspaceName=${owner.workspace}&modelName=${modelName}`,
    );
    const [first] = listed['content'] as readonly { readonly deliveryId: string }[]; // the row's reply
    if (first !== undefined) return first;
    await wait(50);
  }
  throw new Error('no delivery was made');
});
