import { defineKind } from '#ports/api/kind-definition';
import { channel, delivery } from '#ports/model/channels';
import { storageOf } from '#ports/storage/storage';

export const channelKind = defineKind(channel, {
  needs: { storage: storageOf('channels') },
  rules: ({ storage: { stores } }) => ({
    async find({ text }) {
      const found = await stores.channels.find(text);
      return found?.use === 'channel' ? found : undefined; // webhooks are changed with their model's
    },
    placeOf: ({ workspaceId }) => ({ workspaceId }),
  }),
});

export const deliveryKind = defineKind(delivery, {
  needs: { storage: storageOf('deliveries') },
  rules: ({ storage: { stores } }) => ({
    find: ({ text }) => stores.deliveries.find(text),
    placeOf: ({ workspaceId }) => ({ workspaceId }),
  }),
});
