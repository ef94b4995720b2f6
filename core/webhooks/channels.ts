import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { channelOperations } from '#ports/api/webhooks';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Channel } from '#ports/model/channels';
import { Notifiers } from '#ports/notify';
import { Sealer } from '#ports/sealer';
import { Settings } from '#ports/settings';
import { storageOf } from '#ports/storage/storage';
import { WebhookForms } from '#ports/webhook-forms';
import { openTarget, sealTarget } from './calling.js';
import { requireModel } from './configuring.js';
import {
  checkTriggers,
  mask,
  maskAddress,
  maskHeaders,
  resolveTarget,
  type Place,
} from './rules.js';
import { test } from './testing.js';
import { channelKind } from './kinds.js';

const needs = {
  storage: storageOf('channels', 'deliveries', 'leases', 'registry', 'users', 'workspaces'),
  clock: Clock,
  ids: Ids,
  sealer: Sealer,
  notifiers: Notifiers,
  forms: WebhookForms,
  settings: Settings,
};

export const channelsArea = area({
  name: 'channels',
  summary: 'Chat rooms, mailboxes and addresses that a workspace notifies.',
  family: trackingFamily,
  table: channelOperations,
  kinds: [channelKind],
  needs,
  handlers: ({ storage, clock, ids, sealer, notifiers, forms, settings }) => {
    const { channels, deliveries, registry, users, leases, workspaces } = storage.stores;
    const calling = { sealer, notifiers, forms, users };
    /** Refuses a kind that nothing here delivers to, and a target that it can never reach. */
    const checkPlace = (kind: string, { address }: Place): void => {
      const notifier = notifiers.find(kind);
      if (notifier === undefined)
        throw new Failure(
          'invalid',
          `kind ${kind.slice(0, 60)} is none of ${notifiers.kinds().join(', ')}${kind === 'email' ? '; mail needs ORRERY_SMTP_HOST' : ''}`,
        );
      notifier.check({ address });
    };
    const show = async (channel: Channel, workspaceName: string) => {
      const { address, headers, secret } = openTarget(calling, channel);
      const {
        deliveries: [last],
      } = await deliveries.search({
        workspaceId: channel.workspaceId,
        channelId: channel.id,
        offset: 0,
        limit: 1,
      });
      const [model, maker] = [
        channel.modelId === undefined ? undefined : await registry.findModel(channel.modelId),
        await users.findUser({ id: channel.createdBy }),
      ];
      return {
        channelId: channel.id,
        workspaceName,
        modelName: model?.name ?? null,
        kind: channel.kind,
        name: channel.name ?? '',
        target: maskAddress(channel.kind, address),
        headers: maskHeaders(headers),
        secret: secret === undefined ? null : mask,
        triggers: channel.triggers ?? [],
        enabled: channel.enabled,
        lastStatus: last?.status ?? null,
        lastError: last?.error ?? null,
        fault: channel.fault ?? null,
        createdBy: maker?.name ?? '',
        createdAt: channel.createdAt,
      };
    };

    return {
      async listChannels({ workspace }) {
        return {
          channels: await Promise.all(
            (await channels.list({ workspaceId: workspace.id, use: 'channel' })).map((channel) =>
              show(channel, workspace.name),
            ),
          ),
        };
      },
      async createChannel({ body, workspace, caller }) {
        const { modelName, kind, name, target, headers, secret, triggers, enabled = true } = body;
        const model =
          modelName === undefined
            ? undefined
            : await requireModel({ registry }, workspace.id, modelName);
        const place = resolveTarget({ address: target, headers, secret }, undefined, false);
        checkPlace(kind, place);
        const [id, now] = [ids.next(), clock.now()];
        await channels.insert({
          id,
          workspaceId: workspace.id,
          modelId: model?.id,
          use: 'channel',
          kind,
          userId: undefined,
          place: `channel ${id}`,
          name,
          triggers: triggers === undefined ? undefined : checkTriggers(triggers),
          form: undefined,
          formOptions: undefined,
          sealed: sealTarget(calling, id, place),
          enabled,
          failures: 0,
          fault: undefined,
          createdBy: caller.userId,
          createdAt: now,
          updatedAt: now,
        });
        return { channelId: id };
      },
      async updateChannel({ body, channel }) {
        const { name, target, headers, secret, triggers, enabled } = body;
        await storage.transaction(async (stores) => {
          const there = await stores.channels.lock(channel.id);
          if (there === undefined) throw new Failure('absent', `channel ${channel.id} not found`);
          const before = openTarget(calling, there);
          // A masked address that is sent back is the one that is kept.
          const address =
            target === undefined || target === maskAddress(there.kind, before.address)
              ? before.address
              : target;
          const place = resolveTarget({ address, headers, secret }, before, true);
          checkPlace(there.kind, place);
          await stores.channels.update(there.id, {
            updatedAt: clock.now(),
            sealed: sealTarget(calling, there.id, place),
            ...(name === undefined ? {} : { name }),
            ...(triggers === undefined ? {} : { triggers: checkTriggers(triggers) }),
            ...(enabled === undefined ? {} : { enabled, failures: 0, fault: undefined }),
          });
        });
        return { channelId: channel.id };
      },
      async deleteChannel({ channel }) {
        await channels.remove(channel.id);
        return {};
      },
      async testChannel({ channel, signal }) {
        const [workspace, model] = [
          await workspaces.findById(channel.workspaceId),
          channel.modelId === undefined ? undefined : await registry.findModel(channel.modelId),
        ];
        return test(
          { ...calling, clock, ids, leases, settings },
          {
            workspace: { id: channel.workspaceId, name: workspace?.name ?? '' },
            modelName: model?.name,
            trigger: undefined,
            called: channel,
            place: () => openTarget(calling, channel),
            signal,
          },
        );
      },
    };
  },
});
