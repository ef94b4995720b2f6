import type { AssetStore } from '#ports/storage/assets';
import type { Connection } from './connection.js';

export const assetStore = (_connection: Connection): AssetStore => ({
  find: async () => undefined,
});
