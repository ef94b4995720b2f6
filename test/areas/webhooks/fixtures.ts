import { channel, delivery } from '#ports/model/channels';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { models } from '#test/areas/registry/things';
import { freshName, mayCallNowhere, nowhere, unknownId } from '#test/api/fresh';
import { channels, deliveries } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['webhooks', 'channels'],
  kinds: [
    kindIn(channel, channels, { name: ({ channelId }) => channelId, unknown: () => unknownId }),
    kindIn(delivery, deliveries, {
      name: ({ deliveryId }) => deliveryId,
      unknown: () => unknownId,
    }),
  ],
  settings: mayCallNowhere,
  rows: {
    updateWebhooks: {
      with: (world) => ({
        'body.webhookConfigs': [
          {
            workspaceName: world.workspace,
            webhookUrls: [{ url: `${nowhere}/${freshName('hook')}` }],
          },
        ],
      }),
      ownNames: ['body.webhookConfigs.*.modelName'],
    },
    overrideWebhooks: {
      with: (world) => ({
        'body.webhookConfigs': [
          {
            workspaceName: world.workspace,
            modelName: world.of(models).registryModelName,
            webhookUrls: [],
          },
        ],
      }),
      ownNames: ['body.webhookConfigs.*.modelName'],
    },
    listWebhooks: { ownNames: ['query.modelName'] },
    deleteWebhooks: { consumes: true, ownNames: ['query.modelName'] },
    testWebhook: {
      with: (world) => ({
        'body.workspaceName': world.workspace,
        'body.webhook': { url: nowhere },
      }),
      ownNames: ['body.modelName'],
    },
    listDeliveries: { ownNames: ['query.modelName'] },
    redeliver: { consumes: true },
    createChannel: {
      with: () => ({ 'body.kind': 'slack', 'body.target': nowhere }),
      ownNames: ['body.modelName'],
    },
    deleteChannel: { consumes: true },
  },
};
