import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { Storage } from '#ports/storage/storage';
import { pendingUnlessAll } from '#test/pending';
import { stopAdapters, storageAdapters, type OpenedStorage } from './adapters.js';
import { documentContract } from './storage/documents.js';
import { assetContract } from './storage/assets.js';
import { experimentContract } from './storage/experiments.js';
import { identityContract } from './storage/identity.js';
import { metricContract } from './storage/metrics.js';
import { optimizerContract } from './storage/optimizers.js';
import { panelContract } from './storage/panels.js';
import { toggleContract } from './storage/toggles.js';
import { projectContract } from './storage/projects.js';
import { rpcContract } from './storage/rpc.js';
import { textContract } from './storage/texts.js';
import { valueContract } from './storage/values.js';
import { searchContract } from './storage/search.js';
import { viewContract } from './storage/views.js';
import { searchPlanContract } from './storage/search-plans.js';

/** Every suite of the storage port. */
const storageContracts: Readonly<Record<string, (storage: () => Storage) => void>> = {
  identity: identityContract,
  projects: projectContract,
  toggles: toggleContract,
  experiments: experimentContract,
  metrics: metricContract,
  values: valueContract,
  texts: textContract,
  documents: documentContract,
  assets: assetContract,
  search: searchContract,
  rpc: rpcContract,
  views: viewContract,
  panels: panelContract,
  optimizers: optimizerContract,
};

after(stopAdapters);

for (const adapter of storageAdapters) {
  describe(`storage on ${adapter.name}`, () => {
    let opened: OpenedStorage | undefined;
    before(`open ${adapter.name}`, async function () {
      const result = await adapter.open();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      opened = result;
    });
    after(() => opened?.stop());
    const storage = (): Storage => {
      if (opened === undefined) throw new Error(`${adapter.name} is not open`);
      return opened.storage;
    };
    for (const [store, contract] of Object.entries(storageContracts)) describe(store, () => { contract(storage); });
    describe('plans of searches', () => { searchPlanContract(() => storage() as SqlStorage); }); // every adapter on the list is over SQL
  });
}
