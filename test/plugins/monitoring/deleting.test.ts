// Events that are deleted: nothing of them is left, and what is left is what there would be had they never come.
import { expect } from 'chai';
import { deleteEvents } from '#plugins/monitoring/deleting';
import { listFaults } from '#plugins/monitoring/faults';
import { readItems } from '#plugins/monitoring/items';
import { mergeFrames } from '#plugins/monitoring/merging';
import { settleModel } from '#plugins/monitoring/model-settling';
import { fieldKey, fieldsOf, findModel } from '#plugins/monitoring/models';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { eventsField, readProfiles } from '#plugins/monitoring/profiles';
import { metricSeries } from '#plugins/monitoring/queries';
import { emptySketch, mergeSketches } from '#plugins/monitoring/sketches';
import { storeItems } from '#plugins/monitoring/storing';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import type { OpenedStorage } from '#test/contract/adapters';
import { plainSketch } from './plain.js';
import { beginModel, openTables, start } from './world.js';

const never = new AbortController().signal;
type World = Awaited<ReturnType<typeof beginModel>>;

describe('events that are deleted', function () {
  this.timeout(60_000);
  let opened: OpenedStorage;
  let tables: PluginTables;
  before(async () => {
    ({ opened, tables } = await openTables());
  });
  after(() => opened.stop());

  const eventOf = (at: number) => ({
    at: start - 1 - (at % 3) * dayMs - (at % 5) * hourMs,
    version: String(at % 2),
    features: {
      age: at,
      region: ['eu', 'us'][at % 2],
      ...(at % 4 === 0 ? {} : { size: at / 4 }),
    },
    predictions: { value: at % 3 === 0 ? 'yes' : 'no' },
    ...(at % 6 === 0 ? { labels: { value: 'yes' } } : {}),
  });
  const send = async (world: World, places: readonly number[], onlyLabels = false) => {
    const { needs, model, time } = world;
    const given = places.map((at) => {
      const { at: timestamp, version, ...more } = eventOf(at);
      const ids = {
        ...{ workspaceName: 'w', modelName: 'm', modelVersion: version },
        ...{ predictionId: `p${at}`, timestamp },
      };
      return onlyLabels ? { ...ids, timestamp: start, labels: { later: at } } : { ...ids, ...more };
    });
    const { items } = readItems(given, { onlyLabels, now: time.now });
    return storeItems(needs, model, items, [], 7);
  };
  const range = (count: number) => Array.from({ length: count }, (_, at) => at);
  const remove = async ({ needs, model }: World, asked: object) => {
    const current = await findModel(tables, model.id);
    if (current === undefined) throw new Error('the model is gone');
    return deleteEvents(needs, current, asked, never);
  };
  const span = { from: start - 30 * dayMs, to: start + dayMs };
  /** All sums of a model, by field, hour and version. */
  const sumsOf = async ({ needs, model }: World) => {
    const found: Record<string, unknown> = {};
    for (const column of [eventsField, ...(await fieldsOf(tables, model.id)).keys()]) {
      const key = column === eventsField ? column : fieldKey(needs, column);
      const hours = new Map<string, typeof emptySketch>();
      for await (const { hour, version, sketch } of readProfiles(tables, model.id, key, span)) {
        const name = `${hour} ${version}`;
        hours.set(name, mergeSketches(hours.get(name) ?? emptySketch, sketch));
      }
      for (const [name, sketch] of [...hours].sort(([one], [other]) => (one < other ? -1 : 1)))
        found[`${column} ${name}`] = plainSketch(sketch);
    }
    return found;
  };
  const ask = async ({ needs, model }: World, cometSql: string): Promise<number> => {
    const asked = { from: '2026-10-30', to: '2026-11-26', cometSql };
    const { data } = await metricSeries(needs, { model, signal: never }, asked);
    return data[0]?.data.reduce((sum, { y }) => sum + (y ?? 0), 0) ?? 0;
  };

  for (const merged of [false, true])
    it(`by a filter leave what others would have left alone${merged ? ', also of frames that were merged' : ''}`, async () => {
      const [world, other] = [await beginModel(tables), await beginModel(tables)];
      const isGone = (at: number) => at % 2 === 1 && at >= 100;
      const kept = range(300).filter((at) => !isGone(at));
      for (const [one, places] of [
        [world, range(300)],
        [other, kept],
      ] as const) {
        for (let from = 0; from < 300; from += 100)
          await send(
            one,
            places.filter((at) => at >= from && at < from + 100),
          );
        await send(
          one,
          places.filter((at) => at % 10 < 2),
          true,
        );
      }
      if (merged) await mergeFrames(world.needs, world.model.id, never);

      expect(await remove(world, { filter: 'region=us AND age >= 100' })).to.deep.equal({
        deleted: 300 - kept.length,
        days: 3,
      });

      expect(await sumsOf(world)).to.deep.equal(await sumsOf(other));
      for (const sql of [
        'SELECT count(*) FROM model',
        'SELECT count(*) FROM model WHERE age >= 0',
        "SELECT sum(size) FROM model WHERE region = 'us'",
        'SELECT count(label_later) FROM model WHERE age >= 0',
        'SELECT count(label) FROM model',
      ])
        expect(await ask(world, sql), sql).to.equal(await ask(other, sql));
      for (const table of ['events', 'additions'])
        expect(
          (await tables.list(table, 'key', { model_id: world.model.id }, { limit: 1000 })).map(
            ({ event }) => event,
          ),
        ).to.deep.equal(
          (await tables.list(table, 'key', { model_id: other.model.id }, { limit: 1000 })).map(
            ({ event }) => event,
          ),
        );
    });

  it('by their id are told nowhere, and count as new when they come again', async () => {
    const world = await beginModel(tables);
    const { model, needs, time } = world;
    await send(world, range(20));
    await send(world, [7], true);
    const wrong = {
      ...{ workspaceName: 'w', modelName: 'm', modelVersion: '1', predictionId: 'p7' },
      ...{ timestamp: eventOf(7).at, features: { age: 'secret' } },
    };
    const { items } = readItems([wrong], { onlyLabels: false, now: time.now });
    await storeItems(needs, model, items, [], 7);
    expect(JSON.stringify(await listFaults(needs, tables, model.id))).to.include('secret');

    expect(await remove(world, { predictionId: 'p7' })).to.deep.equal({ deleted: 1, days: 1 });
    expect(await remove(world, { predictionId: 'p7' })).to.deep.equal({ deleted: 0, days: 0 });

    expect(await listFaults(needs, tables, model.id)).to.deep.equal([]);
    expect(await ask(world, 'SELECT count(*) FROM model WHERE age = 7')).to.equal(0);
    const holds = async (table: string): Promise<boolean> => {
      const rows: readonly PluginRow[] = await tables.list(
        table,
        'key',
        { model_id: model.id },
        { limit: 1000 },
      );
      return rows.some(({ event }) => event === '=p7');
    };
    expect([await holds('events'), await holds('additions')]).to.deep.equal([false, false]);
    expect(await send(world, [7])).to.include({ accepted: 1, duplicates: 0 });
    expect(await ask(world, 'SELECT count(*) FROM model')).to.equal(20);
  });

  it('may be those of a version and a span of time alone', async () => {
    const world = await beginModel(tables);
    await send(world, range(60));
    const day = new Date(start - dayMs).toISOString().slice(0, 10);
    const asked = { filter: 'age >= 0', version: '1', from: day, to: day };
    const meant = range(60).filter(
      (at) => at % 2 === 1 && new Date(eventOf(at).at).toISOString().startsWith(day),
    );
    expect(meant).to.have.length.above(3);
    expect(await remove(world, asked)).to.deep.equal({ deleted: meant.length, days: 1 });
    expect(await ask(world, 'SELECT count(*) FROM model')).to.equal(60 - meant.length);
  });

  it('must be named, and are none of models that keep sums alone', async () => {
    const world = await beginModel(tables);
    await send(world, range(3));
    const refused = (asked: object) =>
      remove(world, asked).then(
        () => 'deleted',
        (thrown: unknown) => String(thrown),
      );
    expect(await refused({})).to.include('predictionId or filter must say');
    expect(await refused({ filter: '  ', version: '1' })).to.include('predictionId or filter');
    expect(await refused({ filter: 'nothing ~ 1' })).to.not.equal('deleted');
    await settleModel(tables, world.model, { profileOnly: true });
    expect(await refused({ predictionId: 'p1' })).to.include('profileOnly');
    expect(await ask(world, 'SELECT count(*) FROM model')).to.equal(3);
  });
});
