// What is wrong with values, and what is odd about how they came, over the embedded database.
import { expect } from 'chai';
import { countedHours, countFaults, listFaults, storeFaults } from '#plugins/monitoring/faults';
import { findModel } from '#plugins/monitoring/models';
import { settleModel } from '#plugins/monitoring/model-settling';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { performance } from '#plugins/monitoring/performance';
import { checksOf, quality } from '#plugins/monitoring/quality';
import { sketchOf } from '#plugins/monitoring/sketches';
import { createSegment } from '#plugins/monitoring/segments';
import { storeItems } from '#plugins/monitoring/storing';
import { readItems } from '#plugins/monitoring/items';
import { upkeepJob } from '#plugins/monitoring/upkeep';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
type World = Awaited<ReturnType<typeof beginModel>>;

describe('the quality of monitored values', () => {
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const askOf = async ({ needs, model }: World, more: object = {}) => {
    const current = await findModel(tables, model.id);
    if (current === undefined) throw new Error('the model is gone');
    const asked = { intervalType: 'DAILY' as const, from: '2026-11-20', to: '2026-11-25', ...more };
    return quality(needs, { model: current, signal: never }, asked);
  };
  const dayOf = (back: number) => start - back * dayMs;
  const sendDays = (world: World, days: readonly number[], featuresOf: (day: number) => object) =>
    world.send(
      days.flatMap((back) =>
        Array.from({ length: 4 }, (_, at) => ({
          at: dayOf(back) + at,
          features: featuresOf(back),
        })),
      ),
    );

  it('tell how many different values there were, and texts of infinity', async () => {
    const world = await beginModel(tables);
    await world.send(
      [1, 2, 'inf', '-Infinity', 2].map((age, at) => ({
        at: start - 10 + at,
        features: { age, region: `r${at % 2}`, same: 7 },
      })),
    );
    const { features } = await askOf(world);
    const last = (name: string) => features.find((one) => one.name === name)?.points.at(-1);
    expect([last('age')?.distinct, last('age')?.infinities]).to.deep.equal([4, 2]);
    expect([last('region')?.distinct, last('same')?.distinct]).to.deep.equal([2, 1]);
    expect(features[0]?.points[0]?.distinct).to.equal(null);
  });

  it('tell new texts among more than a thousand different ones', () => {
    const names = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => `name ${from + at}`);
    const fresh = (values: readonly string[], before: readonly string[]) =>
      checksOf(sketchOf(values), false, sketchOf(before), undefined).newCategory;
    const many = names(0, 5000);

    expect(fresh(names(0, 900), names(100, 900))).to.equal(100);
    // What a baseline of many does not name is not new by that alone.
    expect(fresh(names(3000, 50), many)).to.equal(0);
    expect(fresh([...many].reverse(), many)).to.equal(0);
    expect(fresh(names(10_000, 5000), many)).to.be.within(4000, 5000);
    expect(fresh([...many, ...names(10_000, 5000)], many)).to.be.within(3500, 5500);
    // Texts that the current side does not name, against a baseline that names all of its own.
    expect(fresh(names(0, 4000), names(0, 500))).to.be.within(3200, 3700);
    expect(fresh(names(10_000, 3000), ['eu', 'us'])).to.be.within(2900, 3000);
  });

  it('hold numbers against the bounds that somebody set, on one side or both', async () => {
    const world = await beginModel(tables);
    const ages = [-5, 0, 10, 50, 90, 200];
    await world.send(ages.map((age, at) => ({ at: start - 10 + at, features: { age } })));
    const outside = async () => (await askOf(world)).features[0]?.points.at(-1)?.outOfRange;
    expect(await outside()).to.equal(0);
    for (const [bounds, expected] of [
      [{ min: 0, max: 90 }, 2],
      [{ min: 0 }, 1],
      [{ max: 10 }, 3],
      [{}, 0],
    ] as const) {
      await settleModel(tables, world.model, { bounds: { age: bounds } });
      expect(await outside(), JSON.stringify(bounds)).to.equal(expected);
    }
    const wrong = await settleModel(tables, world.model, {
      bounds: { age: { min: 2, max: 1 } },
    }).then(String, (thrown: unknown) => String(thrown));
    expect(wrong).to.include('must have min below max');
  });

  it('tell where a feature begins and where it ends', async () => {
    const world = await beginModel(tables);
    await sendDays(world, [5, 4, 3, 2, 1], (back) => ({
      always: 1,
      ...(back >= 3 ? { ended: 1 } : {}),
      ...(back <= 2 ? { begun: 1 } : {}),
    }));
    const { features } = await askOf(world);
    const told = (name: string) =>
      features
        .find((one) => one.name === name)
        ?.points.map(({ schemaAdded, schemaDropped }) =>
          schemaAdded ? 'added' : schemaDropped ? 'dropped' : '-',
        );
    expect(told('always')).to.deep.equal(['-', '-', '-', '-', '-', '-']);
    expect(told('ended')).to.deep.equal(['-', '-', '-', 'dropped', '-', '-']);
    expect(told('begun')).to.deep.equal(['-', '-', '-', 'added', '-', '-']);
    const later = await askOf(world, { from: '2026-11-24' });
    expect(
      later.features.find(({ name }) => name === 'ended')?.points.map((one) => one.schemaDropped),
    ).to.deep.equal([false, false]);
  });

  it('stand beside the volume of the same hour of the weeks before', async () => {
    const world = await beginModel(tables);
    for (const [weeks, count] of [
      [0, 10],
      [1, 4],
      [2, 8],
    ] as const)
      await world.send(
        Array.from({ length: count }, (_, at) => ({
          at: start - hourMs - weeks * 7 * dayMs + at,
          features: { age: 1 },
        })),
      );
    const from = new Date(start - hourMs).toISOString();
    const { volume } = await askOf(world, { intervalType: 'HOURLY', from });
    expect(volume[0]).to.deep.include({ events: 10, usual: 6 });
    expect(volume.at(-1)?.usual).to.equal(0);
    const fresh = await beginModel(tables);
    await fresh.send([{ at: start - 1, features: { age: 1 } }]);
    expect((await askOf(fresh)).volume.at(-1)).to.deep.include({ events: 1, usual: null });
  });

  it('may be those of a segment alone', async () => {
    const world = await beginModel(tables);
    const { needs, model } = world;
    await sendDays(world, [2, 1], (back) => ({ age: back }));
    await world.send(
      [1, 2, 0].map((back, at) => ({
        at: dayOf(back) + 10 + at,
        features: { region: 'eu', ...(at === 1 ? {} : { age: -1 }) },
      })),
    );
    const { segmentId } = await createSegment(needs, model, { name: 'eu', filter: 'region=eu' });
    const { features, volume } = await askOf(world, { segmentId, from: '2026-11-23' });
    expect(volume.map(({ events, usual }) => [events, usual])).to.deep.equal([
      [1, null],
      [1, null],
      [1, null],
    ]);
    const age = features.find(({ name }) => name === 'age')?.points;
    expect(
      age?.map(({ events, missingCount, negatives, distinct }) => [
        ...[events, missingCount, negatives, distinct],
      ]),
    ).to.deep.equal([
      [1, 1, 0, null],
      [1, 0, 1, 1],
      [1, 0, 1, 1],
    ]);
    const refused = await askOf(world, { segmentId: 'none' }).then(String, (thrown: unknown) =>
      String(thrown),
    );
    expect(refused).to.include('has no segment none');
  });

  it('count what came again, late or too early, and faults, by the hour in which they came', async () => {
    const world = await beginModel(tables);
    const { needs, model, time } = world;
    const items = (given: readonly object[]) =>
      readItems(
        given.map((one) => ({
          ...{ workspaceName: 'w', modelName: 'm', modelVersion: '1', timestamp: time.now },
          ...one,
        })),
        { onlyLabels: false, now: time.now },
      );
    const store = async (given: readonly object[]) => {
      const { items: read, doubts } = items(given);
      await storeItems(
        needs,
        model,
        read,
        doubts.map((doubt) => ({ ...doubt, sample: '{}' })),
        7,
      );
    };
    const one = { predictionId: 'a', features: { age: 1 } };
    await store([one, { ...one, predictionId: 'late', timestamp: time.now - 2 * hourMs }]);
    await store([one]);
    await store([{ ...one, features: { age: 2 } }]);
    time.now += hourMs;
    await store([
      { ...one, predictionId: 'early', timestamp: time.now + 2 * hourMs },
      { ...one, predictionId: 'odd', prediction: { probability: 2 } },
    ]);

    const hours = await countedHours(tables, model.id, start - dayMs, start + dayMs);
    expect(hours).to.deep.equal([
      { hour: start / hourMs, counts: { DUPLICATE: 1, LATE_EVENT: 1, RESENT: 1 } },
      { hour: start / hourMs + 1, counts: { FUTURE_EVENT: 1, PROBABILITY_RANGE: 1 } },
    ]);
    expect(await countFaults(tables, model.id, start, start + hourMs)).to.equal(1);
    expect(await countFaults(tables, model.id, start, start + 2 * hourMs)).to.equal(2);
    expect((await askOf(world, { to: '2026-11-26' })).volume.at(-2)).to.deep.include({
      ...{ duplicates: 2, lateEvents: 1, futureEvents: 1, probabilityOutOfRange: 1 },
    });

    time.now = start + 89 * dayMs;
    await upkeepJob(needs).run(never);
    expect(await countedHours(tables, model.id, start, start + dayMs)).to.have.length(2);
    time.now = start + 91 * dayMs;
    await upkeepJob(needs).run(never);
    expect(await countedHours(tables, model.id, start, start + dayMs)).to.deep.equal([]);
  });

  it('keep the same reason and field of one second once, and tell how many and which', async () => {
    const { needs, model, time } = await beginModel(tables);
    const fault = (predictionId: string, field = 'age') => ({
      ...{ predictionId, field, reason: 'WRONG_TYPE' as const, message: 'm', sample: '{}' },
    });
    const told = async () =>
      (await listFaults(needs, tables, model.id)).map(({ field, times, predictionIds }) => [
        ...[field, times, predictionIds.join()],
      ]);
    await storeFaults(needs, tables, model.id, [fault('a'), fault('b'), fault('c', 'size')]);
    await storeFaults(needs, tables, model.id, [fault('d')]);
    expect(await told()).to.have.deep.members([
      ['size', 1, 'c'],
      ['age', 3, 'a,b,d'],
    ]);
    time.now += 1000;
    await storeFaults(needs, tables, model.id, [fault('e')]);
    expect((await told())[0]).to.deep.equal(['age', 1, 'e']);
    const many = Array.from({ length: 5000 }, (_, at) => fault(`p${at}`, `f${at}`));
    await storeFaults(needs, tables, model.id, many);
    expect(await told()).to.have.length(1000);
    expect(await countFaults(tables, model.id, start, start + hourMs)).to.equal(5005);
  });

  it('tell how long labels of the whole span took', async () => {
    const world = await beginModel(tables);
    const { needs, model, time } = world;
    await world.send([{ at: start - hourMs, predictions: { value: 1 } }]);
    const label = { workspaceName: 'w', modelName: 'm', predictionId: 'p0', labels: { value: 1 } };
    const { items } = readItems([{ ...label, timestamp: start }], {
      onlyLabels: true,
      now: time.now,
    });
    await storeItems(needs, model, items, [], 7);
    const current = (await findModel(tables, model.id)) ?? model;
    const { whole } = await performance(needs, { model: current, signal: never }, {});
    expect([whole.labelDelayP50, whole.labelDelayP95]).to.deep.equal([hourMs, hourMs]);
  });
});
