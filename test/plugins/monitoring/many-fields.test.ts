// Batches that name very many fields: what a model has room for is kept, the rest is told, and the events stay.
import { expect } from 'chai';
import { listFaults } from '#plugins/monitoring/faults';
import { readItems } from '#plugins/monitoring/items';
import { fieldsOf } from '#plugins/monitoring/models';
import { readEvents } from '#plugins/monitoring/reading';
import { storeItems } from '#plugins/monitoring/storing';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const most = 20_000;

describe('events of very many fields', () => {
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  it('keep those that a model has room for, and every event', async function () {
    this.timeout(120_000);
    const { needs, model } = await beginModel(tables);
    const given = Array.from({ length: 1100 }, (_, at) => ({
      ...{ workspaceName: 'w', modelName: 'm', modelVersion: '1', predictionId: `p${at}` },
      timestamp: start - 1000 + at,
      features: Object.fromEntries([
        ['own', at],
        ...Array.from({ length: 20 }, (__, field) => [`f${at}_${field}`, field]),
      ]),
    }));
    const { items } = readItems(given, { onlyLabels: false, now: start });

    const stored = await storeItems(needs, model, items, [], 7);

    expect(stored.accepted).to.equal(1100);
    expect((await fieldsOf(tables, model.id)).size).to.equal(most);
    const faults = await listFaults(needs, tables, model.id);
    expect(new Set(faults.map(({ reason }) => reason))).to.deep.equal(new Set(['MODEL_LIMIT']));
    expect(faults).to.have.length(101);
    const span = { from: start - 2000, to: start + 1000 };
    let [n, sum] = [0, 0];
    for await (const batch of readEvents(needs, model.id, span, new AbortController().signal, [
      'feature_own',
    ])) {
      const own = batch.column('feature_own');
      for (let row = 0; row < batch.length; row++) [n, sum] = [n + 1, sum + Number(own(row))];
      expect(() => batch.column('feature_f1_1')).to.throw('was not asked for');
    }
    expect([n, sum]).to.deep.equal([1100, (1099 * 1100) / 2]);
  });
});
