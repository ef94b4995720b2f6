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
import { upkeepJob } from '#plugins/monitoring/upkeep';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { plainSketch } from './plain.js';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
type World = Awaited<ReturnType<typeof beginModel>>;

describe('events that are deleted', function () {
  this.timeout(60_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

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

  /** A model of which places were sent, and its tables, which do something after each transaction. */
  const beginWatched = async (
    sent: readonly number[],
    afterEach: (world: World) => Promise<void>,
  ) => {
    const world = await beginModel(tables);
    for (let from = 0; from < sent.length; from += 50)
      await send(world, sent.slice(from, from + 50));
    const watched: PluginTables = {
      ...tables,
      async transaction(work) {
        const made = await tables.transaction(work);
        await afterEach(world);
        return made;
      },
    };
    return { world, needs: { ...world.needs, tables: watched } };
  };
  const isOdd = (at: number) => at % 2 === 1;
  const filter = 'region=us';
  /** Sums without how many events missed a field, which depends on what came together. */
  const valuesOf = async (world: World) => {
    const found: Record<string, unknown> = {};
    for (const [name, sketch] of Object.entries(await sumsOf(world)))
      found[name] = name.startsWith(eventsField)
        ? sketch
        : { ...(sketch as object), events: undefined, missing: undefined };
    return found;
  };
  const valuesAfter = async (places: readonly number[]) => {
    const other = await beginModel(tables);
    await send(other, places);
    return valuesOf(other);
  };

  it('are as many as there are, also where few are looked for at once', async () => {
    const { world, needs } = await beginWatched(range(200), async () => {});
    expect(await deleteEvents(needs, world.model, { filter }, never, 7)).to.deep.equal({
      deleted: 100,
      days: 3,
    });
    expect(await valuesOf(world)).to.deep.equal(
      await valuesAfter(range(200).filter((at) => !isOdd(at))),
    );
  });

  it('go while others come: those are kept and counted once', async () => {
    let next = 200;
    const { world, needs } = await beginWatched(range(200), async (one) => {
      if (next < 240) await send(one, [next++]);
    });
    await deleteEvents(needs, world.model, { filter }, never);
    expect(next).to.be.above(203);
    // Those of the last ones that came before their day was looked at are gone too, or not.
    const left = new Set(
      (await tables.list('events', 'key', { model_id: world.model.id }, { limit: 1000 })).map(
        ({ event }) => Number(String(event).slice(2)),
      ),
    );
    const places = range(next).filter((at) => left.has(at));
    expect(places).to.include.members(range(next).filter((at) => !isOdd(at)));
    expect(places.filter((at) => isOdd(at) && at < 200)).to.deep.equal([]);
    expect(await valuesOf(world)).to.deep.equal(await valuesAfter(places));
  });

  for (const broken of [1, 2, 3, 6, 9])
    it(`leave sums that are right after all where it is broken off after ${broken} transactions`, async () => {
      const [stop, done] = [new AbortController(), { transactions: 0 }];
      const { world, needs } = await beginWatched(range(200), async () => {
        if (++done.transactions === broken) stop.abort();
      });
      const failed = await deleteEvents(needs, world.model, { filter }, stop.signal).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(failed).to.not.equal(undefined);

      await upkeepJob(world.needs).run(never);

      const left = (
        await tables.list('events', 'key', { model_id: world.model.id }, { limit: 1000 })
      ).map(({ event }) => Number(String(event).slice(2)));
      expect(left.length).to.be.below(200);
      expect(await valuesOf(world)).to.deep.equal(
        await valuesAfter(range(200).filter((at) => left.includes(at))),
      );
      expect(
        await tables.list('unsummed', 'key', { model_id: world.model.id }, { limit: 9 }),
      ).to.deep.equal([]);
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
