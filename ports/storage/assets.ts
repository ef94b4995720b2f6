import type { Asset } from '../model/assets.js';

export interface AssetStore {
  /** Deleted ones are not found. */
  find(experimentId: string, assetId: string): Promise<Asset | undefined>;
}
