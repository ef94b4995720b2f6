import { pendingUnlessAll } from '#test/pending';
import { storageAdapters, type OpenedStorage } from './adapters.js';
import { dialectContract } from './dialect.js';

for (const adapter of storageAdapters)
  describe(`the dialect of SQL of ${adapter.name}`, () => {
    let opened: OpenedStorage | undefined;
    before(`open ${adapter.name}`, async function () {
      const result = await adapter.openEmpty();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      opened = result;
    });
    dialectContract(() => {
      if (opened === undefined) throw new Error(`${adapter.name} is not open`);
      return opened.storage.connection;
    });
    // After the suite removed what it made.
    after(() => opened?.stop());
  });
