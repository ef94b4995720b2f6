// What only storages over SQL keep to, beside the suites of the port: on every engine.
import { pendingUnlessAll } from '#test/pending';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';
import { artifactRemovalContract } from './artifact-removal.js';
import { chunkContract } from './chunks.js';
import { engineContract } from './engines.js';
import { entryBlockContract } from './entry-blocks.js';
import { eventSubjectContract } from './event-subjects.js';
import { journalContract } from './journal.js';
import { keptRowContract } from './kept-rows.js';
import { listContract } from './lists.js';
import { migrationContract } from './migrations.js';
import { outputPackingContract } from './output-packing.js';
import { pendingContract } from './pending.js';
import { queueJobContract } from './queue-jobs.js';
import { recordRemovalContract } from './record-removal.js';
import { registryRemovalContract } from './registry-removal.js';
import { removalContract } from './removal.js';
import { removedUsageContract } from './removed-usage.js';
import { rollupContract } from './rollups.js';
import { runTablePlanContract } from './run-table-plans.js';
import { spanFrameContract } from './span-frames.js';
import { searchPlanContract } from './search-plans.js';

for (const adapter of storageAdapters) {
  describe(`stores over SQL on ${adapter.name}`, () => {
    let opened: OpenedStorage | undefined;
    before(`open ${adapter.name}`, async function () {
      const result = await adapter.open();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      opened = result;
    });
    after(() => opened?.stop());
    const overSql = (): SqlStorage => {
      if (opened === undefined) throw new Error(`${adapter.name} is not open`);
      return opened.storage;
    };
    describe('chunks of points', () => {
      chunkContract(overSql);
    });
    describe('rollups of points', () => {
      rollupContract(overSql);
    });
    describe('engine', () => {
      engineContract(overSql);
    });
    describe('jobs over queues', () => {
      queueJobContract(overSql);
    });
    describe('packing of output', () => {
      outputPackingContract(overSql);
    });
    describe('removal', () => {
      removalContract(overSql);
    });
    describe('usage of what was removed', () => {
      removedUsageContract(overSql);
    });
    describe('removal of artifacts', () => {
      artifactRemovalContract(overSql);
    });
    describe('removal of registered models', () => {
      registryRemovalContract(overSql);
    });
    describe('removal of datasets and evaluations', () => {
      recordRemovalContract(overSql);
    });
    describe('subjects of events', () => {
      eventSubjectContract(overSql);
    });
    describe('lists', () => {
      listContract(overSql);
    });
    describe('plans of searches', () => {
      searchPlanContract(overSql);
    });
    describe('plans of the table of runs', () => {
      runTablePlanContract(overSql);
    });
    describe('blocks of traces and spans', () => {
      entryBlockContract(overSql);
    });
    // Last, since the suites of lists count what others leave.
    describe('bodies of spans', () => {
      spanFrameContract(overSql);
    });
    describe('the journal of traces and spans', () => {
      journalContract(overSql);
    });
    describe('rows that are kept for analytic queries', () => {
      keptRowContract(overSql);
    });
    describe('points that wait', () => {
      pendingContract(overSql);
    });
  });

  describe(`schema on ${adapter.name}`, () => {
    let opened: OpenedStorage | undefined;
    before(`open ${adapter.name}`, async function () {
      const result = await adapter.openEmpty();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      opened = result;
    });
    after(() => opened?.stop());
    migrationContract(() => {
      if (opened === undefined) throw new Error(`${adapter.name} is not open`);
      return opened;
    });
  });
}
