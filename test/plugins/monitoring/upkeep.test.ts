// What the job of the plugin removes, gives up and joins, over the embedded database.
import { expect } from 'chai';
import { systemIds } from '#adapters/system/ids';
import { listFaults } from '#plugins/monitoring/faults';
import { readItems } from '#plugins/monitoring/items';
import { ensureModel, fieldKey } from '#plugins/monitoring/models';
import { dayMs } from '#plugins/monitoring/needs';
import { eventsField, readProfiles } from '#plugins/monitoring/profiles';
import { readEvents } from '#plugins/monitoring/reading';
import { mergeSketches, emptySketch } from '#plugins/monitoring/sketches';
import { storeItems } from '#plugins/monitoring/storing';
import { upkeepJob } from '#plugins/monitoring/upkeep';
import type { PluginTables } from '#ports/plugin-tables';
import { freshName } from '#test/contract/storage/builders';
import { plainSketch } from './plain.js';
import { start, withTables } from './world.js';

const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

describe('the upkeep of monitoring', function () {
  this.timeout(120_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  /** A model, what is sent of it, and what is left after the job ran at that time. */
  const begin = async () => {
    let now = start;
    const needs = { clock: { now: () => now }, ids: systemIds, log, tables };
    const model = await ensureModel(needs, freshName(), 'm');
    const send = async (predictionId: string, more: object, onlyLabels = false) => {
      const ids = { workspaceName: 'w', modelName: 'm', modelVersion: '1', predictionId };
      const { items } = readItems([{ ...ids, timestamp: now, ...more }], { onlyLabels, now });
      await storeItems(needs, model, items, [], 7);
    };
    const runAt = async (at: number) => {
      now = at;
      await upkeepJob(needs).run(new AbortController().signal);
    };
    const span = { from: start - dayMs, to: start + 2 * 400 * dayMs };
    const countEvents = async () => {
      let n = 0;
      for await (const batch of readEvents(needs, model.id, span, new AbortController().signal))
        n += batch.length;
      return n;
    };
    const sumOf = async (column: string) => {
      let sketch = emptySketch;
      const field = column === eventsField ? column : fieldKey(needs, column);
      for await (const one of readProfiles(tables, model.id, field, span))
        sketch = mergeSketches(sketch, one.sketch);
      return plainSketch(sketch);
    };
    return { needs, model, send, runAt, countEvents, sumOf };
  };

  it('keeps both events of one batch that share an id and lie more than a week apart', async () => {
    const { needs, model, countEvents, sumOf } = await begin();
    const event = { workspaceName: 'w', modelName: 'm', modelVersion: '1', predictionId: 'p' };
    const given = [start - 8 * dayMs, start].map((timestamp, age) => ({
      ...event,
      timestamp,
      features: { age },
    }));
    const { items } = readItems(given, { onlyLabels: false, now: start });

    expect(await storeItems(needs, model, items, [], 7)).to.include({ accepted: 2 });
    expect(await storeItems(needs, model, items.slice(1), [], 7)).to.include({ duplicates: 1 });

    const wide = { from: start - 10 * dayMs, to: start + dayMs };
    let n = 0;
    for await (const batch of readEvents(needs, model.id, wide, new AbortController().signal))
      n += batch.length;
    expect([n, await countEvents()]).to.deep.equal([2, 1]);
    expect((await sumOf('feature_age')).sum).to.equal(1);
  });

  it('makes one piece of the pieces of a day, which comes to the same', async () => {
    const { model, send, runAt, sumOf } = await begin();
    for (const id of ['a', 'b', 'c']) await send(id, { features: { age: id.charCodeAt(0) } });
    const before = [await sumOf('feature_age'), await sumOf(eventsField)];

    await runAt(start + 1);

    expect([await sumOf('feature_age'), await sumOf(eventsField)]).to.deep.equal(before);
    expect(before[0]?.numbers).to.equal(3);
    const pieces = await tables.list(
      'profiles',
      'key',
      { model_id: model.id, field: eventsField },
      { limit: 10 },
    );
    expect(pieces).to.have.length(1);
  });

  it('gives up a label after seven days without its event, and tells so', async () => {
    const { needs, model, send, runAt } = await begin();
    await send('lost', { labels: { value: 'yes' } }, true);

    await runAt(start + 6 * dayMs);
    expect(await listFaults(needs, tables, model.id)).to.deep.equal([]);
    await runAt(start + 8 * dayMs);

    expect(
      (await listFaults(needs, tables, model.id)).map(({ reason, predictionId }) => [
        reason,
        predictionId,
      ]),
    ).to.deep.equal([['LABEL_WITHOUT_EVENT', 'lost']]);
    await runAt(start + 16 * dayMs);
    expect(await listFaults(needs, tables, model.id)).to.deep.equal([]);
  });

  it('removes raw events beyond their time, and keeps their sums', async () => {
    const { send, runAt, countEvents, sumOf } = await begin();
    await send('old', { features: { age: 1 } });
    await send('old', { labels: { value: 'yes' } }, true);

    await runAt(start + 390 * dayMs);
    expect(await countEvents()).to.equal(1);
    await runAt(start + 400 * dayMs);

    expect([await countEvents(), (await sumOf('feature_age')).numbers]).to.deep.equal([0, 1]);
  });
});
