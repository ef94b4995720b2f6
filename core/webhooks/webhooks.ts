import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { webhookOperations } from '#ports/api/webhooks';
import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import { Failure } from '#ports/failure';
import type { Channel, Delivery } from '#ports/model/channels';
import { Notifiers } from '#ports/notify';
import { Sealer } from '#ports/sealer';
import { Settings } from '#ports/settings';
import { storageOf } from '#ports/storage/storage';
import { WebhookForms } from '#ports/webhook-forms';
import { openTarget, showRequest, type CallingNeeds } from './calling.js';
import {
  configure,
  findMeant,
  groupsOf,
  requireModel,
  resolveWebhook,
  showWebhook,
  type ConfigAsked,
} from './configuring.js';
import type { Caller } from '#ports/model/identity';
import type { Workspace } from '#ports/model/workspaces';
import { test } from './testing.js';
import { deliveryKind } from './kinds.js';

const needs = {
  storage: storageOf('channels', 'deliveries', 'leases', 'registry', 'users', 'workspaces'),
  clock: Clock,
  ids: Ids,
  sealer: Sealer,
  notifiers: Notifiers,
  forms: WebhookForms,
  settings: Settings,
};
const pageSize = 25;

export const showDelivery = (
  calling: CallingNeeds,
  delivery: Delivery,
  channel: Channel | undefined,
) => ({
  deliveryId: delivery.id,
  webhookId: delivery.channelId,
  kind: channel?.kind ?? '',
  registryModelId:
    delivery.subjectId === delivery.workspaceId || delivery.trigger === 'ANNOUNCEMENT'
      ? null
      : delivery.subjectId,
  eventId: delivery.eventId,
  eventType: delivery.trigger,
  state: delivery.state,
  attempts: delivery.attempts,
  createdAt: delivery.createdAt,
  lastAttemptAt: delivery.triedAt ?? null,
  nextAttemptAt: delivery.retryAt ?? null,
  status: delivery.status ?? null,
  durationMillis: delivery.durationMs ?? null,
  responseBody: delivery.reply ?? null,
  error: delivery.error ?? null,
  repeats: delivery.repeats ?? null,
  request:
    channel === undefined
      ? { method: 'POST', url: '', headers: {}, body: delivery.content }
      : showRequest(calling, channel, () => openTarget(calling, channel), delivery.content),
});

export const webhooksArea = area({
  name: 'webhooks',
  summary: 'Webhooks of the model registry and the log of their deliveries.',
  family: trackingFamily,
  table: webhookOperations,
  kinds: [deliveryKind],
  toggles: {
    'registry-webhooks': { default: true, says: 'Webhooks of the registry' },
  },
  needs,
  handlers: ({ storage, clock, ids, sealer, notifiers, forms, settings }) => {
    const { channels, deliveries, registry, users, leases } = storage.stores;
    const calling = { sealer, notifiers, forms, users, clock, ids };
    const change = async (
      {
        body,
        workspaces,
        caller,
      }: {
        readonly body: { readonly webhookConfigs: readonly ConfigAsked[] };
        readonly workspaces: readonly Workspace[];
        readonly caller: Caller;
      },
      whole: boolean,
    ): Promise<undefined> => {
      await storage.transaction(async (stores) =>
        configure(stores, calling, {
          groups: await groupsOf(stores, body.webhookConfigs, workspaces, caller),
          caller,
          whole,
        }),
      );
    };
    const listOf = async (workspaceId: string, modelName: string | undefined) =>
      channels.list({
        workspaceId,
        use: 'webhook',
        ...(modelName === undefined
          ? {}
          : { modelId: (await requireModel({ registry }, workspaceId, modelName)).id }),
      });

    return {
      updateWebhooks: (call) => change(call, false),
      overrideWebhooks: (call) => change(call, true),
      async listWebhooks({ query, workspace }) {
        const groups = new Map<string | undefined, Channel[]>();
        for (const channel of await listOf(workspace.id, query.modelName))
          groups.set(channel.modelId, [...(groups.get(channel.modelId) ?? []), channel]);
        const shown = await Promise.all(
          [...groups].map(async ([modelId, found]) => {
            const model = modelId === undefined ? undefined : await registry.findModel(modelId);
            // Webhooks of a model that is gone are of nothing that could be named; they go with its removal.
            return modelId !== undefined && model === undefined
              ? []
              : [
                  {
                    workspaceName: workspace.name,
                    ...(model === undefined ? {} : { modelName: model.name }),
                    webhookUrls: found.map((channel) => showWebhook(calling, channel)),
                  },
                ];
          }),
        );
        return { webhookConfigs: shown.flat() };
      },
      async deleteWebhooks({ query, workspace }) {
        const model =
          query.modelName === undefined
            ? undefined
            : await requireModel({ registry }, workspace.id, query.modelName);
        await storage.transaction(async (stores) => {
          await stores.workspaces.lock(workspace.id);
          for (const { id } of await stores.channels.list({
            workspaceId: workspace.id,
            use: 'webhook',
            modelId: model?.id ?? null,
          }))
            await stores.channels.remove(id);
        });
        return undefined;
      },
      async testWebhook({ body, workspace, caller, signal }) {
        const [group] = await groupsOf(
          { registry },
          [
            {
              workspaceName: workspace.name,
              modelName: body.modelName,
              webhookUrls: [body.webhook],
            },
          ],
          [workspace],
          caller,
        );
        const saved =
          group === undefined ? undefined : await findMeant({ channels }, group, body.webhook);
        // What could never be called is told as what came of the call, like every other fault of the receiver.
        const unchecked = {
          ...calling,
          notifiers: { ...notifiers, find: () => undefined },
          forms: { find: () => undefined },
        };
        const { place, form, formOptions } = resolveWebhook(unchecked, body.webhook, saved, true);
        return test(
          { ...calling, leases, settings },
          {
            workspace,
            modelName: group?.model?.name,
            trigger: body.trigger,
            called: { use: 'webhook', kind: 'http', form, formOptions, userId: undefined },
            place: () => place,
            signal,
          },
        );
      },
      async listDeliveries({ query, workspace }) {
        const { page = 1, size = pageSize, modelName, webhookId, state } = query;
        const model =
          modelName === undefined
            ? undefined
            : await requireModel({ registry }, workspace.id, modelName);
        const { total, deliveries: found } =
          webhookId !== undefined && (await channels.find(webhookId)) === undefined
            ? { total: 0, deliveries: [] }
            : await deliveries.search({
                workspaceId: workspace.id,
                ...(webhookId === undefined ? {} : { channelId: webhookId }),
                ...(model === undefined ? {} : { subjectId: model.id }),
                ...(state === undefined ? {} : { state }),
                offset: (page - 1) * size,
                limit: size,
              });
        const known = new Map(
          (await channels.findAll([...new Set(found.map(({ channelId }) => channelId))])).map(
            (channel) => [channel.id, channel],
          ),
        );
        return {
          page,
          size,
          total,
          content: found.map((one) => showDelivery(calling, one, known.get(one.channelId))),
        };
      },
      async redeliver({ delivery }) {
        const channel = await channels.find(delivery.channelId);
        if (channel?.enabled !== true)
          throw new Failure('invalid', 'the webhook of this delivery is gone or switched off');
        const deliveryId = ids.next();
        const { channelId, workspaceId, subjectId, eventId, trigger, content } = delivery;
        await storage.transaction((stores) =>
          stores.deliveries.enqueue([
            {
              id: deliveryId,
              channelId,
              workspaceId,
              subjectId,
              eventId,
              trigger,
              content,
              createdAt: clock.now(),
              repeats: delivery.id,
            },
          ]),
        );
        return { deliveryId };
      },
    };
  },
});
