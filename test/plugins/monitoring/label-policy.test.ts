// Labels that come twice: the first stays, or the latest takes its place, as is settled of a model.
import { expect } from 'chai';
import { readItems } from '#plugins/monitoring/items';
import { removeModel, settleModel } from '#plugins/monitoring/model-settling';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { performance } from '#plugins/monitoring/performance';
import { distribution, metricSeries } from '#plugins/monitoring/queries';
import { labelChangesOf } from '#plugins/monitoring/relabelling';
import { storeItems } from '#plugins/monitoring/storing';
import { upkeepJob } from '#plugins/monitoring/upkeep';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
const span = { from: '2026-11-25', to: '2026-11-25' };

describe('a label that comes twice', function () {
  this.timeout(120_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const begin = async (labelPolicy?: 'latest') => {
    const world = await beginModel(tables);
    const { needs, model, time } = world;
    if (labelPolicy !== undefined) await settleModel(tables, model, { labelPolicy });
    const label = (predictionId: string, labels: object, at = time.now) => {
      const ids = { workspaceName: 'w', modelName: 'm', predictionId, timestamp: at };
      const { items } = readItems([{ ...ids, labels }], { onlyLabels: true, now: time.now });
      return storeItems(needs, model, items, [], 7);
    };
    const answers = async () => {
      const asked = { ...span, intervalType: 'DAILY' as const };
      const count = async (value: string) =>
        (
          await metricSeries(
            needs,
            { model, signal: never },
            { ...asked, cometSql: `SELECT count(*) FROM model WHERE label_value = '${value}'` },
          )
        ).data[0]?.data[0]?.y;
      const sums = await distribution(
        needs,
        { model, signal: never },
        { ...asked, name: 'value', source: 'model_labels' },
      );
      const whole = (await performance(needs, { model, signal: never }, asked)).whole;
      return {
        events: [await count('yes'), await count('no'), await count('maybe')],
        sums: Object.fromEntries(
          (sums.data[0]?.chartData ?? []).map(({ value, points: [point] }) => [value, point?.y]),
        ),
        labelled: whole.labelled,
        accuracy: whole.measures['accuracy'],
      };
    };
    await world.send(
      [0, 1, 2].map((place) => ({
        at: start - 2 * hourMs + place,
        predictions: { value: 'yes' },
        ...(place === 0 ? { labels: { value: 'no' } } : {}),
      })),
    );
    return { ...world, label, answers };
  };

  it('stays as it was first, where nothing else is settled', async () => {
    const { label, answers } = await begin();

    expect(await label('p0', { value: 'yes' })).to.include({ accepted: 0, duplicates: 1 });
    expect(await answers()).to.deep.equal({
      events: [0, 1, 0],
      sums: { no: 1 },
      labelled: 1,
      accuracy: 0,
    });
  });

  it('is the latest one where that is settled, in events, sums and measures, and the others are kept', async () => {
    const { needs, model, label, answers, time } = await begin('latest');
    await label('p1', { value: 'no' });
    time.now = start + hourMs;

    expect(await label('p0', { value: 'yes' })).to.include({ accepted: 1, duplicates: 0 });
    expect(await label('p1', { value: 'maybe', second: 1 })).to.include({ accepted: 1 });
    expect(await label('p1', { value: 'maybe' })).to.include({ accepted: 0, duplicates: 1 });
    time.now = start + 2 * hourMs;
    expect(await label('p1', { value: 'yes' })).to.include({ accepted: 1 });

    const expected = { events: [2, 0, 0], sums: { yes: 2 }, labelled: 2, accuracy: 1 };
    expect(await answers()).to.deep.equal(expected);
    expect(await labelChangesOf(needs, model.id, 'p1')).to.deep.equal([
      { replacedAt: start + 2 * hourMs, labels: { value: 'maybe' } },
      { replacedAt: start + hourMs, labels: { value: 'no' } },
    ]);
    expect(await labelChangesOf(needs, model.id, 'p0')).to.deep.equal([
      { replacedAt: start + hourMs, labels: { value: 'no' } },
    ]);
    await upkeepJob(needs).run(never);
    expect(await answers()).to.deep.equal(expected);
  });

  it('is not the latest one where it is older than the one that is there', async () => {
    const { label, answers, time } = await begin('latest');
    time.now = start + 2 * hourMs;
    await label('p1', { value: 'yes' });

    expect(await label('p1', { value: 'no' }, start + hourMs)).to.include({ duplicates: 1 });
    expect((await answers()).events).to.deep.equal([1, 1, 0]);
  });

  it('may come twice before its event', async () => {
    const { needs, model, send, label, answers, time } = await begin('latest');
    await label('p3', { value: 'no' });
    time.now = start + hourMs;
    await label('p3', { value: 'yes' });
    await upkeepJob(needs).run(never);
    await send([{ at: start - hourMs, predictions: { value: 'yes' } }]);

    expect(await answers())
      .to.include({ labelled: 2 })
      .and.deep.include({ events: [1, 1, 0] });
    expect(await labelChangesOf(needs, model.id, 'p3')).to.deep.equal([
      { replacedAt: start + hourMs, labels: { value: 'no' } },
    ]);
  });

  it('takes raw events, and what it was goes with them and with the model', async () => {
    const { needs, model, label, time } = await begin('latest');
    const refused = await settleModel(tables, model, { profileOnly: true }).catch(
      (thrown: unknown) => (thrown as Error).message,
    );
    expect(refused).to.contain('labelPolicy latest takes raw events');
    time.now = start + hourMs;
    await label('p0', { value: 'yes' });
    await settleModel(tables, model, { rawDays: 5 });
    time.now = start + 8 * dayMs;
    await upkeepJob(needs).run(never);
    expect(await labelChangesOf(needs, model.id, 'p0')).to.deep.equal([]);

    const other = await begin('latest');
    other.time.now = start + hourMs;
    await other.label('p0', { value: 'yes' });
    await removeModel(tables, other.model.id);
    expect(await labelChangesOf(other.needs, other.model.id, 'p0')).to.deep.equal([]);
  });
});
